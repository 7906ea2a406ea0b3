//go:build interop && linux

package e2e_test

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dcctop/core"
)

// cancelByKey cancels the one job on the screen of a monitor as an artist does.
func cancelByKey(t *testing.T, d *desk, name string) {
	t.Helper()
	m := d.monitor(120, 30)
	m.WaitLine(name, "running")
	m.Type("c")
	m.WaitText("cancel this job?")
	opened := time.Now()
	m.WaitFor("the dialog to listen", func(string) bool { return time.Since(opened) > 350*time.Millisecond })
	m.Type("y")
	m.WaitLine(name, "cancelled")
	m.Key("enter")
	m.WaitText("SIGTERM")
	m.Type("q")
	if code := m.Wait(); code != 0 {
		t.Errorf("monitor: exit %d", code)
	}
}

// marked are the processes that carry the id of a job in their environment.
func marked(t *testing.T, id string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var pids []string
	for _, path := range all {
		if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), "DCCTOP_JOB_ID="+id) {
			pids = append(pids, path)
		}
	}
	return pids
}

func checkStopped(t *testing.T, d *desk, id string) {
	t.Helper()
	j := d.job(id, "the end", func(j core.Job) bool { return j.State.Terminal() })
	if j.State != core.Cancelled || j.Cancellation == nil || j.Cancellation.Step != core.StepTerm || j.Cancellation.StoppedAt.IsZero() {
		t.Errorf("ended as %s, %+v", j.State, j.Cancellation)
	}
	if left := marked(t, id); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestInteropAKeyPressStopsARealRender(t *testing.T) {
	d := newDesk(t)
	d.serve()
	frames := t.TempDir()
	scene, err := filepath.Abs("../../../jobs/runner/testdata/scene.py")
	if err != nil {
		t.Fatal(err)
	}
	id := d.submit("--name", "shot_010", "--dir", frames, "--", "blender", "-b", "--python-exit-code", "3", "-P", scene,
		"-o", filepath.Join(frames, "f####"), "-s", "1", "-e", "500", "-a")
	j := d.job(id, "some frames", func(j core.Job) bool { return j.Progress != nil && j.Progress.Current >= 3 })
	if j.Kind != "blender" || j.Progress.Total != 500 || j.Progress.Unit != "frame" {
		t.Errorf("kind %q, progress %+v", j.Kind, j.Progress)
	}
	cancelByKey(t, d, "shot_010")
	checkStopped(t, d, id)
	done, err := filepath.Glob(filepath.Join(frames, "f*.png"))
	if err != nil || len(done) < 2 {
		t.Fatalf("finished frames: %v, %v", done, err)
	}
	for _, path := range done[:len(done)-1] { // the last may have been half written
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(f); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		_ = f.Close()
	}
}

func TestInteropAKeyPressStopsARealTranscode(t *testing.T) {
	d := newDesk(t)
	d.serve()
	dir := t.TempDir()
	id := d.submit("--name", "dailies", "--dir", dir, "--", "ffmpeg", "-y", "-nostdin", "-progress", "pipe:1", "-nostats", "-re",
		"-f", "lavfi", "-i", "testsrc=duration=300:size=320x180:rate=25", "-c:v", "mpeg4", "out.mkv")
	d.job(id, "progress", func(j core.Job) bool { return j.Kind == "ffmpeg" && j.Progress != nil && j.Progress.Current > 0.5 })
	cancelByKey(t, d, "dailies")
	checkStopped(t, d, id)
	if j := d.job(id, "its exit", func(j core.Job) bool { return j.Exit != nil }); j.Exit.Code != 255 {
		t.Errorf("exit %+v, want ffmpeg's own 255", j.Exit)
	}
}

func TestInteropACommandThatExitsWellWhenToldToStopIsCancelled(t *testing.T) {
	d := newDesk(t)
	d.serve()
	id := d.submit("--name", "polite", "--", "sh", "-c", `trap "exit 0" TERM; while :; do sleep 0.1; done`)
	d.job(id, "its start", func(j core.Job) bool { return j.State == core.Running })
	cancelByKey(t, d, "polite")
	checkStopped(t, d, id)
	if j := d.job(id, "its exit", func(j core.Job) bool { return j.Exit != nil }); j.Exit.Code != 0 {
		t.Errorf("exit %+v", j.Exit)
	}
}
