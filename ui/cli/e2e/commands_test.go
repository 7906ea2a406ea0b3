package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"dcctop/core"
	"dcctop/jobs"
)

func TestRunPrintsTheIDAlone(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	code, out, errText := f.run("run", "--name", "hello", "--", "sh", "-c", "echo hello; exit 3")
	if code != 0 || errText != "" || !regexp.MustCompile(`^[0-9A-Z]{26}\n$`).MatchString(out) {
		t.Fatalf("exit %d, out %q, err %q", code, out, errText)
	}
	id := core.JobID(strings.TrimSpace(out))
	if j := f.state(id, core.Failed); j.Exit == nil || j.Exit.Code != 3 || j.User != "ann" {
		t.Errorf("%+v", j)
	}
	if code, out, _ = f.run("logs", string(id)); code != 0 || out != "hello\n" {
		t.Errorf("logs: exit %d, %q", code, out)
	}
}

func TestRunWaitGivesTheCommandsOwnExitCode(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	for command, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -KILL $$": 137} {
		if code, _, errText := f.run("run", "--wait", "--", "sh", "-c", command); code != want {
			t.Errorf("%s: exit %d, want %d (%s)", command, code, want, errText)
		}
	}
}

func TestExitCodes(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	running := f.job("running", "", f.listening)
	done := f.job("done", "", func(context.Context) error { return nil })
	f.state(done, core.Completed)
	f.state(running, core.Running)
	const nowhere = "127.0.0.1:1"
	for _, c := range []struct {
		args string
		want int
		say  string // in the text for a person
	}{
		{"ls", 0, ""},
		{"show " + string(done), 0, ""},
		{"show 01ZZZZ", 4, "no such job"},
		{"logs 01ZZZZ", 4, "no such job"},
		{"cancel 01ZZZZ", 4, "no such job"},
		{"cancel " + string(done), 6, "nothing to cancel"},
		{"cancel", 2, "no id"},
		{"run", 2, "no command"},
		{"run -- no-such-program-anywhere", 1, "no-such-program-anywhere"},
		{"run --dir /no/such/dir -- true", 1, "dir"},
		{"ls --state paused", 2, "paused"},
		{"ls --json --ndjson", 2, "json"},
		{"frobnicate", 2, "frobnicate"},
		{"serve --listen 0.0.0.0:0", 2, "loopback"},
		{"serve --slots -1", 2, "--slots"},
		{"--server " + nowhere + " ls", 3, "dcctop serve"},
		{"--server " + nowhere + " cancel " + string(running), 3, "not reachable"},
	} {
		code, _, errText := f.run(strings.Fields(c.args)...)
		if code != c.want || !strings.Contains(errText, c.say) {
			t.Errorf("dcctop %s: exit %d, want %d; says %q, want %q in it", c.args, code, c.want, errText, c.say)
		}
	}
	if j := f.state(running, core.Running); j.Cancellation != nil {
		t.Errorf("one of these cancelled a job: %+v", j.Cancellation)
	}
}

// Case 28: no argument never means all.
func TestNoArgumentNeverMeansAll(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	id := f.job("render", "", f.listening)
	for _, args := range [][]string{{"cancel"}, {"cancel", ""}, {"cancel", " "}, {"cancel", "--reason", "all"}} {
		code, _, errText := f.run(args...)
		if code != 2 || !strings.Contains(errText, "id") {
			t.Errorf("%q: exit %d, %q", args, code, errText)
		}
	}
	if j := f.state(id, core.Running); j.Cancellation != nil {
		t.Errorf("cancelled: %+v", j.Cancellation)
	}
}

func TestAnIDMayBeAUniquePartOfOne(t *testing.T) {
	f := newFarm(t, jobs.Options{Slots: 8})
	one, two := f.job("one", "", f.listening), f.job("two", "", f.listening)
	tail := strings.ToLower(string(one[len(one)-6:]))
	if code, out, errText := f.run("show", tail); code != 0 || !strings.Contains(out, string(one)) {
		t.Errorf("show %s: exit %d, %q %q", tail, code, out, errText)
	}
	shared := string(one[:6])
	code, _, errText := f.run("cancel", shared)
	if code != 2 || !strings.Contains(errText, string(one)) || !strings.Contains(errText, string(two)) {
		t.Errorf("cancel %s: exit %d, %q", shared, code, errText)
	}
	for _, id := range []core.JobID{one, two} {
		if j := f.state(id, core.Running); j.Cancellation != nil {
			t.Errorf("an ambiguous id cancelled %s", j.Name)
		}
	}
}

func TestCancelWaitsUntilTheWorkHasStopped(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	id := f.job("render", "", f.listening)
	code, out, errText := f.runAs("bob", "cancel", "--wait", "--reason", "wrong camera", string(id))
	if code != 0 || !strings.Contains(out, "accepted") || !strings.Contains(errText, "cancelled") {
		t.Fatalf("exit %d, %q, %q", code, out, errText)
	}
	j := f.state(id, core.Cancelled)
	if c := j.Cancellation; c.By != "bob" || c.Reason != "wrong camera" {
		t.Errorf("%+v", c)
	}
	if code, out, _ = f.run("cancel", string(id)); code != 6 || !strings.Contains(out, "already cancelled") {
		t.Errorf("again: exit %d, %q", code, out)
	}
}

// The documents of the reading commands have the fields of the wire.
func TestJSONOfTheReadingCommands(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	if _, out, _ := f.run("ls", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("an empty list is %q", out)
	}
	id := f.job("one", "", func(context.Context) error { return errors.New("no licence") })
	f.job("two", "", func(context.Context) error { return nil })
	f.state(id, core.Failed)

	var list []core.Job
	code, out, _ := f.run("ls", "--json", "--state", "failed")
	if err := json.Unmarshal([]byte(out), &list); code != 0 || err != nil || len(list) != 1 || list[0].Error != "no licence" {
		t.Errorf("ls --json: exit %d, %v, %q", code, err, out)
	}
	_, out, _ = f.run("ls", "--ndjson")
	for line := range strings.Lines(out) {
		var j core.Job
		if err := json.Unmarshal([]byte(line), &j); err != nil || j.ID == "" {
			t.Errorf("ls --ndjson: %v in %q", err, line)
		}
	}
	var one core.Job
	_, out, _ = f.run("show", "--json", string(id))
	if err := json.Unmarshal([]byte(out), &one); err != nil || one.ID != id {
		t.Errorf("show --json: %v, %q", err, out)
	}
}

// Case 24: an old id never reaches a new job.
func TestAnOldIDNeverReachesANewJob(t *testing.T) {
	f := newFarm(t, jobs.Options{Retain: 1})
	nothing := func(context.Context) error { return nil }
	old := f.job("old", "", nothing)
	f.state(old, core.Completed)
	f.state(f.job("newer", "", nothing), core.Completed) // old is purged
	running := f.job("running", "", f.listening)
	code, _, errText := f.run("cancel", string(old))
	if code != 4 || !strings.Contains(errText, "no such job") {
		t.Errorf("exit %d, %q", code, errText)
	}
	if j := f.state(running, core.Running); j.Cancellation != nil {
		t.Error("another job was cancelled")
	}
}
