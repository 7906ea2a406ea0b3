package jobs

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

func TestATokenOpensItsOwnJobAndEndsWithIt(t *testing.T) {
	d := startChannel(t, Options{})
	p, q := newSpeaker(core.StepTerm), newSpeaker(core.StepTerm)
	one, token := submitSpeaker(t, d, core.Submission{}, p)
	two, other := submitSpeaker(t, d, core.Submission{}, q)
	if token == other || len(token) < 20 {
		t.Errorf("tokens %q and %q", token, other)
	}
	if id, err := d.Whose(token); id != one || err != nil {
		t.Errorf("the first token is of %s, %v", id, err)
	}
	if err := d.Report(token, core.Progress{Current: 3}); err != nil {
		t.Fatal(err)
	}
	if a, b := get(t, d, one), get(t, d, two); a.Progress == nil || b.Progress != nil {
		t.Errorf("progress %+v and %+v", a.Progress, b.Progress)
	}
	ear := attachTo(t, d, token).attached()
	p.exit <- runner.Result{}
	waitOver(t, d, one)
	if s := ear.next(); !errors.Is(s.err, core.ErrEnded) {
		t.Errorf("the stream ended with %v", s.err)
	}
	for _, bad := range []string{token, "", "guess"} {
		if _, err := d.Whose(bad); !errors.Is(err, core.ErrForbidden) {
			t.Errorf("Whose(%q) = %v", bad, err)
		}
		if err := d.Report(bad, core.Progress{}); !errors.Is(err, core.ErrForbidden) {
			t.Errorf("Report(%q) = %v", bad, err)
		}
		if s := attachTo(t, d, bad).next(); !errors.Is(s.err, core.ErrForbidden) {
			t.Errorf("Attach(%q) = %v", bad, s.err)
		}
		if _, err := d.SubmitChild(t.Context(), bad, core.Submission{Command: []string{"true"}}); !errors.Is(err, core.ErrForbidden) {
			t.Errorf("SubmitChild(%q) = %v", bad, err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.channels) != 1 {
		t.Errorf("%d tokens are kept, one job runs", len(d.channels))
	}
}

func TestAJobThatOnlyWaitsForItsChildrenCannotBeSpokenFor(t *testing.T) {
	d := startChannel(t, Options{})
	p, q := newSpeaker(core.StepTerm), newSpeaker(core.StepTerm)
	parent, token := submitSpeaker(t, d, core.Submission{}, p)
	submitSpeaker(t, d, core.Submission{Parent: parent}, q)
	p.exit <- runner.Result{}
	waitFor(t, d, parent, "has ended its own work", func(*core.Job) bool {
		return errors.Is(d.Report(token, core.Progress{Current: 1}), core.ErrEnded)
	})
	if _, err := d.SubmitChild(t.Context(), token, core.Submission{Command: []string{"true"}}); !errors.Is(err, core.ErrEnded) {
		t.Errorf("SubmitChild = %v", err)
	}
	if s := attachTo(t, d, token).next(); !errors.Is(s.err, core.ErrEnded) {
		t.Errorf("Attach = %v", s.err)
	}
}

func TestAJobWithoutAServerHasNoChannel(t *testing.T) {
	d := start(t, Options{})
	p := newSpeaker(core.StepTerm)
	p.hopes = true
	id := submitRunner(t, d, core.Submission{Name: "script"}, p)
	<-p.begun
	if len(p.env) != 0 {
		t.Errorf("told %q", p.env)
	}
	cancelOK(t, d, id)
	if j := waitEnd(t, d, id); j.Cancellation.Step != core.StepTerm {
		t.Errorf("%+v", j.Cancellation)
	}
	for _, url := range []string{"ws://127.0.0.1/v1/job", "127.0.0.1:7720", "http://"} {
		if _, err := New(Options{ChannelURL: url}); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), "channel url") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestAResultIsTakenOnceAndIsOnTheRecordInTheEnd(t *testing.T) {
	d := startChannel(t, Options{})
	p := newSpeaker(core.StepTerm)
	id, token := submitSpeaker(t, d, core.Submission{}, p)
	for _, bad := range []string{``, `3`, `[1]`, `null`, `{"a":`, `"text"`, `{"a":"` + strings.Repeat("x", maxResult) + `"}`} {
		if err := d.SetResult(token, json.RawMessage(bad)); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), "result") {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	if err := d.SetResult(token, json.RawMessage(` {"frames": 24} `)); err != nil {
		t.Fatal(err)
	}
	if err := d.SetResult(token, json.RawMessage(`{}`)); !errors.Is(err, core.ErrRepeated) {
		t.Errorf("a second: %v", err)
	}
	p.exit <- runner.Result{}
	if j := waitEnd(t, d, id); string(j.Result) != `{"frames": 24}` || j.State != core.Completed {
		t.Errorf("%s with result %s", j.State, j.Result)
	}
}

func TestAJobSubmitsChildrenThroughItsChannel(t *testing.T) {
	d := startChannel(t, Options{Slots: 4})
	p := newSpeaker(core.StepTerm)
	id, token := submitSpeaker(t, d, core.Submission{By: ana}, p)
	child, err := d.SubmitChild(t.Context(), token, core.Submission{Command: []string{"sleep", "1000"}, By: core.Actor{User: "eve"}})
	if err != nil {
		t.Fatal(err)
	}
	if child.Parent != id || child.User != "ana" {
		t.Errorf("child of %q by %q", child.Parent, child.User)
	}
	if _, err := d.SubmitChild(t.Context(), token, core.Submission{Command: []string{"true"}, Parent: id}); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), "parent") {
		t.Errorf("a parent that the caller names: %v", err)
	}
	cancelOK(t, d, id)
	for _, id := range []core.JobID{child.ID, id} {
		if j := waitEnd(t, d, id); j.State != core.Cancelled {
			t.Errorf("%s is %s", id, j.State)
		}
	}
}

func TestWhatAJobSaysOfItsProgressGoesBeforeWhatItsOutputShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker(core.StepTerm)
		id, token := submitSpeaker(t, d, core.Submission{}, p)
		d.mu.Lock()
		e := d.reg.byID[id]
		printed := &sink{d: d, e: e, w: e.work}
		d.mu.Unlock()
		printed.Progress(core.Progress{Current: 1})
		if err := d.Report(token, core.Progress{Current: 7, Total: 24, Unit: "frame", Message: "hair"}); err != nil {
			t.Fatal(err)
		}
		<-time.After(sayEvery)
		printed.Progress(core.Progress{Current: 2})
		<-time.After(time.Second)
		synctest.Wait()
		if got := get(t, d, id).Progress; got == nil || got.Current != 7 || got.Total != 24 || got.Unit != "frame" || got.Message != "hair" {
			t.Errorf("progress %+v", got)
		}
	})
}

func TestAJobThatCallsTooOftenIsToldToWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		_, token := submitSpeaker(t, d, core.Submission{}, newSpeaker(core.StepTerm))
		calls := func() (n int) {
			for d.Checkpoint(token, 0, nil) == nil {
				n++
			}
			return n
		}
		if n := calls(); n != callBurst {
			t.Errorf("%d at once, want %d", n, callBurst)
		}
		if err := d.Checkpoint(token, 0, nil); !errors.Is(err, core.ErrTooMany) {
			t.Errorf("then %v", err)
		}
		<-time.After(time.Second)
		if n := calls(); n < callRate-1 || n > callRate {
			t.Errorf("%d after a second, want %d", n, callRate)
		}
	})
}

func TestTheEndOfTheDispatcherIsAskedAndEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker(core.StepKill)
		id, token := submitSpeaker(t, d, core.Submission{}, p)
		ear := attachTo(t, d, token).attached()
		go d.Shutdown(t.Context())
		if s := ear.next(); s.c.By != byDispatcher {
			t.Errorf("told %+v, %v", s.c, s.err)
		}
		if s := ear.next(); !errors.Is(s.err, core.ErrEnded) && !errors.Is(s.err, core.ErrClosed) {
			t.Errorf("ended with %v", s.err)
		}
		if j := waitEnd(t, d, id); j.State != core.Interrupted {
			t.Errorf("%s", j.State)
		}
	})
}

func TestATimeoutIsToldToAProcessThatListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker()
		id, token := submitSpeaker(t, d, core.Submission{TimeoutMS: 60_000}, p)
		ear := attachTo(t, d, token).attached()
		if s := ear.next(); s.c.By != byDispatcher || s.c.Reason != "timed out after 1m" {
			t.Errorf("told %+v, %v", s.c, s.err)
		}
		if err := d.Checkpoint(token, 0, ptr(time.Duration(0))); err != nil {
			t.Fatal(err)
		}
		p.exit <- runner.Result{Err: errors.New("exit status 1"), Exit: &core.Exit{Code: 1}}
		if j := waitEnd(t, d, id); j.State != core.Failed || j.Error != "timed out after 1m" {
			t.Errorf("%s: %s", j.State, j.Error)
		}
	})
}
