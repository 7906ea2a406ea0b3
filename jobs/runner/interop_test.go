//go:build interop && linux

package runner

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dcctop/core"
)

// The programs of these tests are the real ones: apt-get install blender ffmpeg.
// Run them with go test -tags interop ./jobs/runner.

// part waits until the progress is a known part of the whole and has come to n.
func (j *job) part(t *testing.T, n float64) core.Progress {
	t.Helper()
	var p core.Progress
	j.until(t, "progress", func() bool {
		if len(j.progress) == 0 {
			return false
		}
		p = j.progress[len(j.progress)-1]
		return p.Current >= n
	})
	if f, ok := p.Fraction(); !ok || f <= 0 || f >= 1 {
		t.Errorf("progress %+v is no part of a whole", p)
	}
	return p
}

// stopped asks the job to end and returns its result, with nothing left of it.
func (j *job) stopped(t *testing.T) Result {
	t.Helper()
	if !j.Stop(core.StepTerm) {
		t.Error("the signal reached nothing")
	}
	r := j.result(t)
	if !r.Signalled {
		t.Errorf("not counted as the answer to the stop: %+v", r)
	}
	left, err := j.proc.members()
	if err != nil || len(left) > 0 {
		t.Errorf("of the group is left: %v, %v", left, err)
	}
	return r
}

func TestInteropARenderIsStoppedAndItsFinishedFramesStay(t *testing.T) {
	dir := t.TempDir()
	scene, err := filepath.Abs("testdata/scene.py")
	if err != nil {
		t.Fatal(err)
	}
	j := run(t, CommandOptions{JobID: "interop-blender", Argv: []string{"blender", "-b", "--factory-startup",
		"--python-exit-code", "1", "-P", scene, "-o", filepath.Join(dir, "f####"), "-s", "1", "-e", "500", "-a"}}, "")
	p := j.part(t, 3)
	if p.Total != 500 || p.Unit != "frame" {
		t.Errorf("progress: %+v", p)
	}
	if r := j.stopped(t); r.Exit == nil || r.Exit.Signal != "SIGTERM" {
		t.Errorf("result: %+v", r)
	}
	frames := 0
	for line := range strings.Lines(j.String()) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "Saved: '")
		if !ok {
			continue
		}
		frames++
		f, err := os.Open(strings.TrimSuffix(path, "'"))
		if err != nil {
			t.Error(err)
			continue
		}
		if img, err := png.Decode(f); err != nil || img.Bounds().Dx() != 64 || img.Bounds().Dy() != 36 {
			t.Errorf("%s is no picture of 64x36: %v", path, err)
		}
		f.Close()
	}
	if frames < 3 {
		t.Errorf("%d frames were saved", frames)
	}
	t.Logf("%d frames saved when it was stopped, progress %+v", frames, p)
}

func TestInteropARenderToItsEnd(t *testing.T) {
	scene, err := filepath.Abs("testdata/scene.py")
	if err != nil {
		t.Fatal(err)
	}
	j := run(t, CommandOptions{Argv: []string{"blender", "-b", "--factory-startup",
		"-P", scene, "-o", filepath.Join(t.TempDir(), "f####"), "-f", "1,5..6"}}, "")
	if r := j.result(t); r.Err != nil || r.Signalled {
		t.Errorf("result: %+v", r)
	}
	if p := j.progress[len(j.progress)-1]; p.Current != 3 || p.Total != 3 {
		t.Errorf("progress: %+v", p)
	}
}

func TestInteropAPythonErrorIsTheJobsFailure(t *testing.T) {
	j := run(t, CommandOptions{Argv: []string{"blender", "-b", "--factory-startup", "--python-exit-code", "7",
		"--python-expr", "raise RuntimeError('no camera')"}}, "")
	if r := j.result(t); r.Err == nil || r.Exit.Code != 7 || r.Err.Error() != "exit status 7: RuntimeError: no camera" {
		t.Errorf("result: %+v", r)
	}
}

func TestInteropAMissingFileIsNamed(t *testing.T) {
	for _, argv := range [][]string{
		{"blender", "-b", "missing-scene.blend", "-f", "1"},
		{"ffmpeg", "-i", "missing-scene.mov", "-f", "null", "-"},
	} {
		j := run(t, CommandOptions{Dir: t.TempDir(), Argv: argv}, "")
		if r := j.result(t); r.Err == nil || !strings.Contains(r.Err.Error(), "missing-scene") || !strings.Contains(r.Err.Error(), "No such file") {
			t.Errorf("%s: %+v", argv[0], r)
		}
	}
}

func TestInteropATranscodeIsStopped(t *testing.T) {
	for name, progress := range map[string][]string{"blocks": {"-progress", "pipe:1", "-nostats"}, "statistics": nil} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.mp4")
			argv := append([]string{"ffmpeg", "-hide_banner", "-y", "-re", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=25", "-t", "3600",
				"-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency"}, progress...)
			j := run(t, CommandOptions{Argv: append(argv, file)}, "")
			if p := j.part(t, 0.5); p.Total != 3600 || p.Unit != "s" {
				t.Errorf("progress: %+v", p)
			}
			if r := j.stopped(t); r.Exit == nil || r.Exit.Code != 255 {
				t.Errorf("result: %+v", r)
			}
			if info, err := os.Stat(file); err != nil || info.Size() == 0 {
				t.Errorf("no file is left: %v", err)
			}
		})
	}
}

func TestInteropACommandThatEndsWell(t *testing.T) {
	j := run(t, CommandOptions{}, `trap 'exit 0' TERM; echo up $$; echo '10% done'; while :; do sleep 1000 & wait $!; done`)
	j.part(t, 10)
	if r := j.stopped(t); r.Err != nil || r.Exit == nil || r.Exit.Code != 0 {
		t.Errorf("result: %+v", r)
	}
}
