//go:build unix

package jobs

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dcctop/core"
)

// skill returns a script whose Python is the shell: what is said here of
// scripts needs no Python.
func skill(t *testing.T, text string) *core.Script {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	python, path := filepath.Join(dir, "python3"), filepath.Join(dir, "bake.py")
	for _, f := range []struct{ path, text string }{
		{python, "#!/bin/sh\nfor script; do :; done\nexec sh \"$script\"\n"},
		{path, text},
	} {
		if err := os.WriteFile(f.path, []byte(f.text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return &core.Script{Path: path, Python: python}
}

func submit(t *testing.T, d *Dispatcher, s core.Submission) *core.Job {
	t.Helper()
	j, err := d.Submit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestAScriptIsJudgedByItsResult(t *testing.T) {
	d := start(t, Options{})
	for _, c := range []struct {
		script string
		state  core.State
		err    string
		result string
	}{
		{`cat >&2; echo log; echo '{"success":true,"frames":24}'`, core.Completed, "", `{"success":true,"frames":24}`},
		{`echo '{"success":false,"message":"no such scene"}'; exit 1`, core.Failed, "no such scene", `{"success":false,"message":"no such scene"}`},
		{`echo '{"success":false,"message":"stopped","error":"DccMcpCancelledError"}'; exit 1`, core.Failed, "stopped", `{"success":false,"message":"stopped","error":"DccMcpCancelledError"}`},
		{`echo hello`, core.Failed, "printed no result", ""},
		{`echo '{"success":true}'; echo '{"success":true}'`, core.Failed, "printed 2 results", ""},
		{`echo '{"success":true'`, core.Failed, "printed a broken result", ""},
		{`echo boom >&2; exit 3`, core.Failed, "exit status 3: boom", ""},
	} {
		j := submit(t, d, core.Submission{Script: skill(t, c.script), By: ana})
		if j.Name != "bake" || j.Kind != "skill" || j.DCC != "python" || j.StopsBy != core.StopsBySignal {
			t.Errorf("%+v", j)
		}
		j = waitOver(t, d, j.ID)
		if j.State != c.state || string(j.Result) != c.result || !strings.Contains(j.Error, c.err) || c.err == "" && j.Error != "" {
			t.Errorf("%s: %s, error %q, result %s", c.script, j.State, j.Error, j.Result)
		}
	}
}

func TestTheCommandOfAScriptIsWhatRunsIt(t *testing.T) {
	d := start(t, Options{})
	s := skill(t, `echo '{"success":true}'`)
	j := submit(t, d, core.Submission{Script: s, By: ana})
	if len(j.Command) < 3 || j.Command[0] != s.Python || j.Command[len(j.Command)-1] != s.Path {
		t.Errorf("command %q", j.Command)
	}
	waitOver(t, d, j.ID)
	again := waitOver(t, d, rerunOK(t, d, j.ID, false)) // still as a script
	if again.State != core.Completed || !slices.Equal(again.Command, j.Command) {
		t.Errorf("run again: %s %q, command %q", again.State, again.Error, again.Command)
	}
}

func TestAScriptWithSomethingWrongStartsNothing(t *testing.T) {
	d := start(t, Options{})
	good := skill(t, "exit 0")
	for _, c := range []struct {
		field string
		s     core.Submission
	}{
		{"script.path", core.Submission{Script: &core.Script{}}},
		{"script.path", core.Submission{Script: &core.Script{Path: good.Path + ".not"}}},
		{"script.params", core.Submission{Script: &core.Script{Path: good.Path, Python: good.Python, Params: json.RawMessage(`[]`)}}},
		{"script.params", core.Submission{Script: &core.Script{Path: good.Path, Python: good.Python, Params: json.RawMessage(`{`)}}},
		{"script.python", core.Submission{Script: &core.Script{Path: good.Path, Python: "no-such-python"}}},
		{"script.blend", core.Submission{Script: &core.Script{Path: good.Path, Blend: "no-such.blend"}}},
		{"command", core.Submission{Script: good, Command: []string{"true"}}},
		{"kill_after_ms", core.Submission{Script: good, KillAfterMS: ptr(int64(-1))}},
	} {
		if _, err := d.Submit(t.Context(), c.s); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: %v", c.field, err)
		}
	}
	if jobs := d.List(); len(jobs) != 0 {
		t.Errorf("%d jobs were made", len(jobs))
	}
}

// ready waits for a file and returns what is in it.
func ready(t *testing.T, path string) string {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); ; <-tick.C {
		if b, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(b), "\n") {
			return strings.TrimSpace(string(b))
		}
		if time.Since(begin) > patience {
			t.Fatalf("%s is not written", path)
		}
	}
}

// A script that was asked by its token, and says so in its result.
func TestWhatAScriptSaysAfterACancelDecidesItsEnd(t *testing.T) {
	for _, c := range []struct {
		name, result string
		state        core.State
		late         bool
	}{
		{"by its check", `{"success":false,"message":"stopped","error":"DccMcpCancelledError"}`, core.Cancelled, false},
		{"by a failure of its own", `{"success":false,"message":"disk full","error":"OSError"}`, core.Failed, true},
		{"by its end", `{"success":true}`, core.Completed, true},
		{"by an error that nobody caught", ``, core.Cancelled, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startChannel(t, Options{})
			s := skill(t, `echo "$DCCTOP_TOKEN" >"$0.token"; [ "$DCCTOP_URL" ] || exit 9; while [ ! -e "$0.go" ]; do sleep 0.01; done; cat "$0.go"; grep -q true "$0.go"`)
			id := submit(t, d, core.Submission{Script: s, By: ana}).ID
			token := ready(t, s.Path+".token")
			attachTo(t, d, token).attached()
			cancelOK(t, d, id)
			if err := d.Checkpoint(token, 0, ptr(time.Duration(0))); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(s.Path+".new", []byte(c.result+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(s.Path+".new", s.Path+".go"); err != nil {
				t.Fatal(err)
			}
			j := waitOver(t, d, id)
			if j.State != c.state || j.Cancellation.Late != c.late || j.Cancellation.Step != core.StepToken || j.Cancellation.SeenAt == 0 || string(j.Result) != c.result {
				t.Errorf("%s, error %q, %+v, result %s", j.State, j.Error, j.Cancellation, j.Result)
			}
		})
	}
}

// Case 26: the state must not run ahead of the processes, and what is left is
// named.
func TestACancelledJobNamesWhatIsLeftOfIt(t *testing.T) {
	d := start(t, Options{Grace: time.Hour})
	pid := filepath.Join(t.TempDir(), "pid")
	j := submit(t, d, core.Submission{Env: []string{"FILE=" + pid},
		Command: []string{"sh", "-c", `sh -c 'trap "" TERM; echo $$ >"$FILE"; while :; do sleep 1000; done' & wait`}})
	ready(t, pid)
	cancelOK(t, d, j.ID)
	left := waitFor(t, d, j.ID, "names what is left", func(j *core.Job) bool { return len(j.Left) > 0 })
	if left.State != core.Cancelling {
		t.Errorf("it is %s", left.State)
	}
	named := false
	for _, p := range left.Left {
		named = named || p.Name == "sh" && p.PID > 0
	}
	if !named {
		t.Errorf("left: %+v", left.Left)
	}
	if _, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{j.ID}, Force: true, By: ana}); err != nil {
		t.Fatal(err)
	}
	if j := waitOver(t, d, j.ID); j.State != core.Cancelled || j.Left != nil {
		t.Errorf("in the end %s, left %+v", j.State, j.Left)
	}
}
