package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/jobs"
)

func identify(users map[string]string) func(*http.Request) (core.Actor, error) {
	return func(r *http.Request) (core.Actor, error) {
		user, ok := users[r.Header.Get("Authorization")]
		if !ok {
			return core.Actor{}, fmt.Errorf("no such token: %w", core.ErrForbidden)
		}
		return core.Actor{User: user, Host: "ws-" + user}, nil
	}
}

// settled is when a dialog listens: it ignores keys for 300 ms, so that a key
// meant for the list is never an answer.
func settled(m *monitor) {
	opened := time.Now()
	m.WaitFor("the dialog to listen", func(string) bool { return time.Since(opened) > 350*time.Millisecond })
}

func TestFilterMarkTwoCancelConfirmSeeBothCancelled(t *testing.T) {
	f := newFarm(t, jobs.Options{Slots: 8})
	bob := f.job("comp_final", "", f.listening)
	one, two := f.job("render_010", "", f.listening), f.job("render_020", "", f.listening)
	m := f.monitor("ann")
	m.WaitText("comp_final")

	m.Type("/")
	m.Type("render")
	m.Key("enter")
	m.WaitGone("comp_final")
	m.Type("g")
	m.Key("space", "space") // mark, and on to the next
	m.WaitText("2 marked")
	m.Type("c")
	m.WaitText("cancel 2 jobs")
	settled(m)
	m.Type("y")
	m.WaitLine("render_010", "cancelled")
	m.WaitLine("render_020", "cancelled")

	for _, id := range []core.JobID{one, two} {
		j := f.state(id, core.Cancelled)
		if c := j.Cancellation; c.By != "ann" || c.From != "ws-ann" || c.SeenAt.IsZero() || c.StoppedAt.IsZero() {
			t.Errorf("%s: %+v", j.Name, c)
		}
	}
	if j := f.state(bob, core.Running); j.Cancellation != nil {
		t.Errorf("%s was cancelled as well: %+v", j.Name, j.Cancellation)
	}
	if said := m.leave(t); !strings.Contains(said, "1 job keeps running") {
		t.Errorf("on the way out: %q", said)
	}
}

// Case 12, and two monitors on one dispatcher.
func TestASecondMonitorShowsWhoAskedAndWhy(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	end := make(chan struct{})
	id := f.job("fx_dust", "", f.deaf(end))
	ann, bob := f.monitor("ann"), f.monitor("bob")
	ann.WaitText("fx_dust")
	bob.WaitText("fx_dust")

	const reason = "Caméra fausse 渲染 🔥"
	ann.Type("C")
	ann.WaitText("why cancel")
	ann.Paste(reason)
	ann.Key("enter")
	ann.WaitText("y cancel")
	settled(ann)
	ann.Type("y")
	ann.WaitLine("fx_dust", "cancelling")
	bob.WaitLine("fx_dust", "cancelling")

	bob.Key("enter")
	bob.WaitText(reason)
	screen := bob.Text()
	for _, want := range []string{"ann", "ws-ann"} {
		if !strings.Contains(screen, want) {
			t.Errorf("bob does not see %q:\n%s", want, screen)
		}
	}
	if j := f.state(id, core.Cancelling); j.Cancellation.Reason != reason {
		t.Errorf("reason %q", j.Cancellation.Reason)
	}
	close(end)
	bob.WaitText("completed")
	bob.WaitText("too late")
	ann.leave(t)
	bob.leave(t)
}

// Case 5.
func TestNeverShownCancelledWhileItRunsOn(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	end := make(chan struct{})
	id := f.job("fx_dust", "", f.deaf(end))
	m := f.monitor("ann")
	m.WaitText("fx_dust")
	m.Type("c")
	m.WaitText("cancel this job?")
	settled(m)
	m.Type("y")
	m.WaitLine("fx_dust", "cancelling")
	before := f.state(id, core.Cancelling).Progress.Current
	m.WaitFor("the progress to move on", func(string) bool {
		return f.state(id, core.Cancelling).Progress.Current > before+10
	})
	if frame, shown := m.FirstShown("cancelled"); shown {
		t.Errorf("a running job was shown as cancelled:\n%s", frame.Text)
	}
	close(end)
	m.WaitLine("fx_dust", "completed", "too late")
	if frame, shown := m.FirstShown("cancelled "); shown {
		t.Errorf("a job that completed was shown as cancelled:\n%s", frame.Text)
	}
	m.leave(t)
}

// Case 10.
func TestChildrenGoWithTheirParentAndTheDeafOneIsCounted(t *testing.T) {
	f := newFarm(t, jobs.Options{Slots: 8})
	end := make(chan struct{})
	shot := f.job("shot_010", "", f.listening)
	one, two := f.job("frame_1", shot, f.listening), f.job("frame_2", shot, f.listening)
	deaf := f.job("frame_3", shot, f.deaf(end))
	m := f.monitor("ann")
	m.WaitText("frame_3")
	m.Type("g")
	m.Type("c")
	m.WaitText("3 children")
	settled(m)
	m.Type("y")
	m.WaitLine("frame_1", "cancelled")
	m.WaitLine("frame_2", "cancelled")
	m.WaitLine("frame_3", "cancelling")
	m.WaitLine("shot_010", "cancelling")
	f.state(one, core.Cancelled)
	f.state(two, core.Cancelled)
	f.state(deaf, core.Cancelling)
	if got := f.state(shot, core.Cancelling).Children; got[core.Cancelled] != 2 || got[core.Cancelling] != 1 {
		t.Errorf("children %v", got)
	}
	close(end)
	m.WaitLine("shot_010", "cancelled")
	m.leave(t)
}

// Case 29: names and output as escape codes, on every way to a terminal.
func TestHostileNamesAndOutputStayText(t *testing.T) {
	const hostile = "evil\x1b]52;c;aGFja2Vk\x07\x1b[2J\r\nname\x00\u202egnp.exe"
	f := newFarm(t, jobs.Options{})
	id := f.job(hostile, "", f.listening)
	m := f.monitor("ann")
	m.SetClipboard("mine")
	m.WaitLine("evil", "name")
	m.Type("c")
	m.WaitText("cancel this job?")
	settled(m)
	m.Type("n")
	m.Key("enter")
	m.WaitText("details")
	if got := m.Clipboard(); got != "mine" {
		t.Errorf("the clipboard holds %q", got)
	}
	for _, frame := range m.History() {
		if strings.ContainsAny(frame.Text, "\x1b\x00\x07") || strings.Contains(frame.Text, "\u202e") {
			t.Fatalf("escapes on the screen:\n%q", frame.Text)
		}
	}
	_, out, _ := f.run("ls")
	if lines := strings.Count(out, "\n"); lines != 2 || strings.ContainsAny(out, "\x1b\x00\r") {
		t.Errorf("ls prints %d lines: %q", lines, out)
	}
	if _, out, _ = f.run("show", string(id)); strings.ContainsAny(out, "\x1b\x00\r") {
		t.Errorf("show prints %q", out)
	}
	m.leave(t)
}

// Case 4, on the real thing: leaving is never a cancel.
func TestLeavingSaysHowManyJobsKeepRunning(t *testing.T) {
	f := newFarm(t, jobs.Options{Slots: 4})
	for i := range 3 {
		f.job(fmt.Sprintf("render_%d", i), "", f.listening)
	}
	m := f.monitor("ann")
	m.WaitText("render_2")
	m.Type("c")
	m.WaitText("cancel this job?")
	m.Key("ctrl+c")
	select {
	case <-m.exit:
	case <-time.After(10 * time.Second):
		t.Fatalf("Ctrl+C does not quit:\n%s", m.Text())
	}
	if said := m.err.String(); !strings.Contains(said, "3 jobs keep running") {
		t.Errorf("on the way out: %q", said)
	}
	for _, j := range f.d.List() {
		if j.Cancellation != nil {
			t.Errorf("%s was cancelled: %+v", j.Name, j.Cancellation)
		}
	}
}
