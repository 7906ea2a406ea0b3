package jobs

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// Each row of the table of states, driven through a real dispatcher.

func TestPendingStartsWhenASlotIsFree(t *testing.T) {
	d := start(t, Options{Slots: 1})
	first, second := make(deaf), make(deaf)
	a := submitFunc(t, d, core.Submission{}, first.run)
	b := submitFunc(t, d, core.Submission{}, second.run)
	if s := get(t, d, b).State; s != core.Pending {
		t.Fatalf("second job is %s, want pending", s)
	}
	first <- nil
	waitOver(t, d, a)
	if j := waitState(t, d, b, core.Running); j.StartedAt == 0 {
		t.Error("a running job has no started_at")
	}
	second <- nil
}

func TestPendingCancelledIsNeverStarted(t *testing.T) {
	d := start(t, Options{Slots: 1})
	first := make(deaf)
	a := submitFunc(t, d, core.Submission{}, first.run)
	ran := false
	b := submitFunc(t, d, core.Submission{}, func(context.Context) error { ran = true; return nil })
	cancelOK(t, d, b)
	j := get(t, d, b)
	if j.State != core.Cancelled || j.StartedAt != 0 || j.FinishedAt == 0 {
		t.Errorf("cancelled while pending: %+v", j)
	}
	if c := j.Cancellation; c == nil || c.By != "ana" || c.From != "ws12" || c.RequestedAt == 0 || c.StoppedAt == 0 || c.SeenAt != 0 {
		t.Errorf("cancellation = %+v", c)
	}
	first <- nil
	waitOver(t, d, a)
	c := submitFunc(t, d, core.Submission{}, func(context.Context) error { return nil })
	waitOver(t, d, c) // the slot went to the next one
	if ran || get(t, d, b).State != core.Cancelled {
		t.Error("a cancelled job was started")
	}
}

func TestRunningEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want core.State
		text string
	}{
		{"returned nil", nil, core.Completed, ""},
		{"returned an error", errors.New("boom"), core.Failed, "boom"},
		{"returned ErrCancelled", core.ErrCancelled, core.Cancelled, "cancelled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, Options{})
			id := submitFunc(t, d, core.Submission{}, func(context.Context) error { return c.err })
			if j := waitOver(t, d, id); j.State != c.want || j.Error != c.text || j.Cancellation != nil || j.FinishedAt == 0 {
				t.Errorf("got %+v, want %s", j, c.want)
			}
		})
	}
}

func TestCancellingEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want core.State
		late bool
		text string
	}{
		{"returned nil", nil, core.Completed, true, ""},
		{"returned an error", errors.New("boom"), core.Cancelled, false, "boom"},
		{"returned ErrCancelled", core.ErrCancelled, core.Cancelled, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, Options{})
			f := make(deaf)
			id := submitFunc(t, d, core.Submission{}, f.run)
			cancelOK(t, d, id)
			if s := get(t, d, id).State; s != core.Cancelling {
				t.Fatalf("after the cancel: %s", s)
			}
			f <- c.err
			j := waitOver(t, d, id)
			if j.State != c.want || j.Cancellation.Late != c.late || j.Error != c.text || j.Cancellation.StoppedAt == 0 {
				t.Errorf("got %+v, cancellation %+v; want %s, late %v", j, j.Cancellation, c.want, c.late)
			}
			if out := cancelAs(t, d, ana, id); out[0].Answer != core.AlreadyFinished || out[0].State != c.want {
				t.Errorf("a cancel after the end: %+v", out)
			}
			if again := get(t, d, id); again != j {
				t.Error("a cancel after the end changed the record")
			}
		})
	}
}

func TestCancellingStaysWhenCancelledAgain(t *testing.T) {
	d := start(t, Options{})
	f := make(deaf)
	id := submitFunc(t, d, core.Submission{}, f.run)
	cancelOK(t, d, id)
	first := get(t, d, id)
	out := cancelAs(t, d, core.Actor{User: "ben"}, id)
	if o := out[0]; o.Answer != core.AlreadyRequested || o.By != "ana" || o.At != first.Cancellation.RequestedAt {
		t.Errorf("second cancel: %+v", o)
	}
	if get(t, d, id) != first {
		t.Error("a second cancel changed the record")
	}
	f <- nil
	waitOver(t, d, id)
}

func TestProcessGoneBeforeTheSignal(t *testing.T) {
	for _, c := range []struct {
		res  runner.Result
		want core.State
	}{
		{runner.Result{Exit: &core.Exit{}}, core.Completed},
		{runner.Result{Err: errors.New("exit status 3"), Exit: &core.Exit{Code: 3}}, core.Failed},
	} {
		d := start(t, Options{})
		p := newProcess()
		p.refuse = 1 << 30 // it has just ended: no signal finds it
		id := submitRunner(t, d, core.Submission{Name: "cmd"}, p)
		cancelOK(t, d, id)
		p.exit <- c.res
		j := waitOver(t, d, id)
		if j.State != c.want || !j.Cancellation.Late || j.Cancellation.Step != core.StepToken || j.Exit == nil {
			t.Errorf("got %s, cancellation %+v; want %s, late", j.State, j.Cancellation, c.want)
		}
	}
}

func TestTimeoutEndsFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		release := make(chan struct{})
		id := submitFunc(t, d, core.Submission{TimeoutMS: (30 * time.Minute).Milliseconds()}, func(ctx context.Context) error {
			<-ctx.Done()
			<-release
			return core.CheckCancelled(ctx)
		})
		<-time.After(30*time.Minute - time.Millisecond)
		synctest.Wait()
		if s := get(t, d, id).State; s != core.Running {
			t.Fatalf("before its timeout: %s", s)
		}
		<-time.After(time.Millisecond)
		synctest.Wait()
		j := get(t, d, id)
		if j.State != core.Cancelling || j.Cancellation.By != "dispatcher" || j.Cancellation.Reason != "timed out after 30m" {
			t.Fatalf("at its timeout: %s, %+v", j.State, j.Cancellation)
		}
		if out := cancelAs(t, d, ana, id); out[0].Answer != core.AlreadyRequested || out[0].By != "dispatcher" {
			t.Errorf("an operator's cancel after the timeout: %+v", out)
		}
		close(release)
		if j := waitOver(t, d, id); j.State != core.Failed || j.Error != "timed out after 30m" || j.Cancellation.Late {
			t.Errorf("got %s %q, want failed, timed out after 30m", j.State, j.Error)
		}
	})
}

func TestTimeoutAfterACancelChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		f := make(deaf)
		id := submitFunc(t, d, core.Submission{TimeoutMS: 1000}, f.run)
		cancelOK(t, d, id)
		<-time.After(2 * time.Second)
		f <- core.ErrCancelled
		if j := waitOver(t, d, id); j.State != core.Cancelled || j.Cancellation.By != "ana" {
			t.Errorf("got %s, %+v", j.State, j.Cancellation)
		}
	})
}

func TestShutdownInterrupts(t *testing.T) {
	noLeak(t)
	d := start(t, Options{Slots: 2})
	running := submitFunc(t, d, core.Submission{}, obedient)
	p := newProcess(core.StepTerm)
	command := submitRunner(t, d, core.Submission{Name: "cmd"}, p)
	pending := submitFunc(t, d, core.Submission{}, obedient)
	waitState(t, d, command, core.Running)
	if err := d.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []core.JobID{running, command, pending} {
		if j := get(t, d, id); j.State != core.Interrupted || j.FinishedAt == 0 {
			t.Errorf("job %s is %s, want interrupted", id, j.State)
		}
	}
	if c := get(t, d, running).Cancellation; c == nil || c.By != "dispatcher" || c.StoppedAt == 0 {
		t.Errorf("cancellation of what ran = %+v", c)
	}
}

func TestShutdownKeepsWhyAJobWasCancelled(t *testing.T) {
	d := start(t, Options{})
	f := make(deaf)
	id := submitFunc(t, d, core.Submission{}, f.run)
	cancelOK(t, d, id)
	over := make(chan error)
	go func() { over <- d.Shutdown(context.Background()) }()
	f <- core.ErrCancelled
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	if j := get(t, d, id); j.State != core.Cancelled || j.Cancellation.By != "ana" {
		t.Errorf("got %s, %+v; want cancelled by ana", j.State, j.Cancellation)
	}
}
