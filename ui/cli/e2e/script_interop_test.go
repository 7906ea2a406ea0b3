//go:build interop && linux

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/jobs"
	"dcctop/transport"
)

// studio is a dispatcher whose jobs have a control channel, as that of serve,
// without a program around it.
func studio(t *testing.T, o jobs.Options) *jobs.Dispatcher {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.ChannelURL = "http://" + ln.Addr().String() + transport.ChannelPath
	d, err := jobs.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server, err := transport.NewServer(d, transport.ServerOptions{Token: "not asked for", Channel: d})
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(context.Background(), ln) })
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := d.Shutdown(ctx); err != nil {
			t.Errorf("dispatcher: %v", err)
		}
		if err := server.Shutdown(ctx); err != nil {
			t.Errorf("server: %v", err)
		}
		serving.Wait()
	})
	return d
}

// pythons are the interpreters to try: those that CI names, with dcc-mcp-core
// and without, else the one on PATH. None is a failure.
func pythons(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, list := range []string{"DCCTOP_PYTHONS", "DCCTOP_DCC_MCP_PYTHONS"} {
		all = append(all, filepath.SplitList(os.Getenv(list))...)
	}
	all = slices.DeleteFunc(all, func(p string) bool { return p == "" })
	if len(all) > 0 {
		return all
	}
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal("no python3: this test is about the real one")
	}
	return []string{path}
}

// The scripts are as an author of skills writes them: nothing of dcctop is in
// them.
const (
	skillHead = `
import json, os, subprocess, sys, time
from dcc_mcp_core import check_dcc_cancelled, current_job_id
from dcc_mcp_core.skill import run_main, skill_entry, skill_success

@skill_entry
def main(iterations=1000, delay=0.02, **_):
`
	skillTail = `
    return skill_success("counted", count=iterations, job=current_job_id())

if __name__ == "__main__":
    run_main(main)
`
	countSkill = skillHead + `
    for step in range(iterations):
        check_dcc_cancelled()
        time.sleep(delay)
` + skillTail
	deafSkill = skillHead + `
    for step in range(iterations):
        time.sleep(delay)
` + skillTail
	treeSkill = skillHead + `
    deaf = "trap '' TERM; while :; do sleep 1000; done"
    subprocess.Popen(["sh", "-c", deaf + " & " + deaf])
    subprocess.Popen(["setsid", "sh", "-c", deaf])
    subprocess.Popen(["env", "-i", "PATH=" + os.environ["PATH"], "setsid", "sh", "-c", deaf])
    for step in range(iterations):
        check_dcc_cancelled()
        time.sleep(delay)
` + skillTail
)

func submitSkill(t *testing.T, d *jobs.Dispatcher, python, text, params string) core.JobID {
	t.Helper()
	path := filepath.Join(t.TempDir(), "skill.py")
	writeFile(t, path, text)
	j, err := d.Submit(t.Context(), core.Submission{Script: &core.Script{Path: path, Python: python, Params: json.RawMessage(params)}})
	if err != nil {
		t.Fatal(err)
	}
	return j.ID
}

// until waits on the feed until a job is as ok wants it.
func until(t *testing.T, d *jobs.Dispatcher, id core.JobID, what string, ok func(*core.Job) bool) *core.Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var v core.View
	for u, err := range d.Watch(ctx) {
		if err != nil {
			t.Fatalf("waiting for %s: %v; the job is %+v", what, err, v.Jobs[id])
		}
		if err := v.Apply(u); err != nil {
			t.Fatal(err)
		}
		if j := v.Jobs[id]; j != nil && ok(j) {
			return j
		}
	}
	return nil
}

func ended(j *core.Job) bool { return j.State.Terminal() }

func ask(t *testing.T, d *jobs.Dispatcher, id core.JobID, grace time.Duration) {
	t.Helper()
	ms := grace.Milliseconds()
	if _, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{id}, GraceMS: &ms, By: core.Actor{User: "ann", Host: "ws1"}}); err != nil {
		t.Fatal(err)
	}
}

func TestInteropAnUnmodifiedSkillStopsAtItsNextCheck(t *testing.T) {
	const runs, delay = 25, 20 * time.Millisecond
	for _, python := range pythons(t) {
		d := studio(t, jobs.Options{Slots: 4})
		var seen, stopped []time.Duration
		for range runs {
			id := submitSkill(t, d, python, countSkill, fmt.Sprintf(`{"delay": %g}`, delay.Seconds()))
			until(t, d, id, "its first check", func(j *core.Job) bool { return j.LastCheckpointAt != 0 })
			ask(t, d, id, time.Minute)
			j := until(t, d, id, "its end", ended)
			c := j.Cancellation
			if j.State != core.Cancelled || c.Step != core.StepToken || c.SeenAt == 0 || c.Late || !strings.Contains(string(j.Result), "DccMcpCancelledError") {
				t.Fatalf("%s: %s, error %q, %+v, result %s", python, j.State, j.Error, c, j.Result)
			}
			seen = append(seen, c.SeenAt.Sub(c.RequestedAt))
			stopped = append(stopped, c.StoppedAt.Sub(c.RequestedAt))
		}
		slices.Sort(seen)
		slices.Sort(stopped)
		t.Logf("%s: step %s; ask to seen p50 %s, p99 %s; ask to stopped p50 %s, p99 %s", python, delay,
			seen[runs/2], seen[runs-1], stopped[runs/2], stopped[runs-1])
	}
}

func TestInteropASkillRunsToItsEndAndReturnsItsResult(t *testing.T) {
	for _, python := range pythons(t) {
		d := studio(t, jobs.Options{})
		id := submitSkill(t, d, python, countSkill, `{"iterations": 3, "delay": 0}`)
		j := until(t, d, id, "its end", ended)
		if j.State != core.Completed || !strings.Contains(string(j.Result), string(id)) {
			t.Errorf("%s: %s, error %q, result %s", python, j.State, j.Error, j.Result)
		}
	}
}

func TestInteropADeafSkillIsNamedDeafAndTheLadderEndsIt(t *testing.T) {
	for _, python := range pythons(t) {
		d := studio(t, jobs.Options{DeafAfter: 2 * time.Second, KillAfter: 5 * time.Second})
		id := submitSkill(t, d, python, deafSkill, `{}`)
		j := until(t, d, id, "it to be called deaf", func(j *core.Job) bool { return j.DeafSince != 0 })
		if j.State != core.Running || j.StopsBy != core.StopsByToken {
			t.Errorf("%s: %+v", python, j)
		}
		ask(t, d, id, 300*time.Millisecond)
		j = until(t, d, id, "its end", ended)
		if c := j.Cancellation; j.State != core.Cancelled || c.Step != core.StepTerm || c.SeenAt != 0 {
			t.Errorf("%s: %s, %+v", python, j.State, c)
		}
	}
}

// Case 26, of a script: it obeys at once, and what it started does not.
func TestInteropATreeThatIgnoresSigtermIsNamedAndNothingOfItIsLeft(t *testing.T) {
	d := studio(t, jobs.Options{KillAfter: time.Hour})
	id := submitSkill(t, d, pythons(t)[0], treeSkill, `{}`)
	until(t, d, id, "its first check", func(j *core.Job) bool { return j.LastCheckpointAt != 0 })
	ask(t, d, id, time.Hour)
	j := until(t, d, id, "what is left to be named", func(j *core.Job) bool { return len(j.Left) >= 2 })
	if j.State != core.Cancelling || j.Cancellation.SeenAt == 0 {
		t.Errorf("%s, %+v", j.State, j.Cancellation)
	}
	for range 3 {
		if _, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{id}, Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	j = until(t, d, id, "its end", ended)
	if j.State != core.Cancelled || j.Left != nil {
		t.Errorf("%s, left %+v", j.State, j.Left)
	}
	if left := marked(t, string(id)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

const blenderScript = `
import bpy, os, dcctop
scene = bpy.context.scene
for frame in range(1, 500):
    dcctop.check_dcc_cancelled()
    scene.frame_set(frame)
    scene.render.filepath = os.path.join(os.getcwd(), "f%04d" % frame)
    bpy.ops.render.render(write_still=True)
    dcctop.progress(frame, 499, unit="frame")
`

func TestInteropAScriptInsideBlenderStopsAfterTheCurrentFrame(t *testing.T) {
	dir := t.TempDir()
	blend, script := blendFile(t, dir), filepath.Join(dir, "render.py")
	writeFile(t, script, blenderScript)
	for _, c := range []struct {
		name, text string
		steps      []core.Step
	}{
		{"it checks", blenderScript, []core.Step{core.StepToken}},
		{"it never checks", strings.Replace(blenderScript, "dcctop.check_dcc_cancelled()", "pass", 1), []core.Step{core.StepTerm, core.StepKill}},
	} {
		t.Run(c.name, func(t *testing.T) {
			writeFile(t, script, c.text)
			d := studio(t, jobs.Options{KillAfter: 5 * time.Second})
			j, err := d.Submit(t.Context(), core.Submission{Dir: dir, Script: &core.Script{Path: script, Blend: blend}})
			if err != nil {
				t.Fatal(err)
			}
			id := j.ID
			j = until(t, d, id, "two frames", func(j *core.Job) bool {
				return ended(j) || j.Progress != nil && j.Progress.Unit == "frame" && j.Progress.Current >= 2
			})
			if j.Kind != "blender" || j.DCC != "blender" || j.StopsBy != core.StopsByToken {
				chunk, _ := d.Log(t.Context(), id, 0)
				t.Fatalf("%+v\n%s", j, chunk.Data)
			}
			grace := time.Minute
			if len(c.steps) > 1 {
				grace = time.Second
			}
			ask(t, d, id, grace)
			j = until(t, d, id, "its end", ended)
			if j.State != core.Cancelled || !slices.Contains(c.steps, j.Cancellation.Step) || j.Cancellation.Late {
				t.Errorf("%s, error %q, %+v", j.State, j.Error, j.Cancellation)
			}
			if (j.Cancellation.SeenAt != 0) != (len(c.steps) == 1) {
				t.Errorf("seen at %v", j.Cancellation.SeenAt)
			}
			if n := pictures(t, dir); n < 2 {
				t.Errorf("%d pictures", n)
			}
			if left := marked(t, string(id)); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			t.Logf("asked to stopped %s, exit %+v", j.Cancellation.StoppedAt.Sub(j.Cancellation.RequestedAt), j.Exit)
		})
	}
}
