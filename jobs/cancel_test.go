package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"dcctop/core"
)

func TestCancelAnswersEachIDInTheOrderAsked(t *testing.T) {
	d := start(t, Options{Slots: 2})
	f := make(deaf)
	finished := submitFunc(t, d, core.Submission{}, func(context.Context) error { return nil })
	waitOver(t, d, finished)
	asked := submitFunc(t, d, core.Submission{}, f.run)
	running := submitFunc(t, d, core.Submission{}, obedient)
	pending := submitFunc(t, d, core.Submission{}, obedient)
	waitState(t, d, running, core.Running)
	cancelOK(t, d, asked)
	at := get(t, d, asked).Cancellation.RequestedAt

	out := cancelAs(t, d, core.Actor{User: "ben"}, pending, "01JUNKNOWN", running, finished, running, asked, "01JUNKNOWN")
	want := []core.CancelOutcome{
		{ID: pending, Answer: core.Accepted, State: core.Cancelled},
		{ID: "01JUNKNOWN", Answer: core.Unknown},
		{ID: running, Answer: core.Accepted, State: core.Cancelling},
		{ID: finished, Answer: core.AlreadyFinished, State: core.Completed},
		{ID: asked, Answer: core.AlreadyRequested, By: "ana", At: at},
	}
	if !slices.Equal(out, want) {
		t.Errorf("got  %+v\nwant %+v", out, want)
	}
	f <- nil
}

func TestRepeatedCommandGetsTheFirstAnswers(t *testing.T) {
	d := start(t, Options{})
	f := make(deaf)
	id := submitFunc(t, d, core.Submission{}, f.run)
	r := core.CancelRequest{CommandID: "c1", IDs: []core.JobID{id}, By: ana}
	first, err := d.Cancel(t.Context(), r)
	if err != nil || first[0].Answer != core.Accepted {
		t.Fatal(first, err)
	}
	f <- nil
	waitOver(t, d, id)
	again, err := d.Cancel(t.Context(), r)
	if err != nil || !slices.Equal(first, again) {
		t.Errorf("repeat: %+v, %v; want %+v", again, err, first)
	}
	again[0].Answer = core.Unknown // the caller's own copy
	if third, _ := d.Cancel(t.Context(), r); !slices.Equal(first, third) {
		t.Errorf("a caller changed what is remembered: %+v", third)
	}
	r.By.User = "ben" // somebody else's c1 is another command
	if other, _ := d.Cancel(t.Context(), r); other[0].Answer != core.AlreadyFinished {
		t.Errorf("another actor's command: %+v", other)
	}
}

func TestRepeatOfACommandUnderwayWaitsForItsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m answers
		key := command{by: ana, id: "c1"}
		a, repeat := m.open(key)
		if repeat {
			t.Fatal("the first is taken for a repeat")
		}
		b, repeat := m.open(key)
		if !repeat || a != b {
			t.Fatal("a repeat is not recognised while the first is underway")
		}
		select {
		case <-b.given:
			t.Fatal("answered before the first was")
		default:
		}
		m.settle(a, []core.CancelOutcome{{ID: "x"}})
		<-b.given
		if len(b.outcomes) != 1 {
			t.Error("a repeat has not the answers of the first")
		}
	})
}

func TestMemoryOfCommandsIsBounded(t *testing.T) {
	var m answers
	for i := range 3 * keepCommands {
		a, _ := m.open(command{id: fmt.Sprint(i)})
		m.settle(a, make([]core.CancelOutcome, 1))
	}
	if len(m.byCommand) != keepCommands || len(m.settled) != keepCommands || m.outcomes != keepCommands {
		t.Errorf("remembers %d commands, %d outcomes; want %d", len(m.byCommand), m.outcomes, keepCommands)
	}
	if _, repeat := m.open(command{id: fmt.Sprint(3*keepCommands - 1)}); !repeat {
		t.Error("the newest was forgotten")
	}
	for i := range 4 {
		a, _ := m.open(command{id: fmt.Sprint("big", i)})
		m.settle(a, make([]core.CancelOutcome, keepOutcomes/2+1))
	}
	if len(m.settled) != 1 || m.outcomes > keepOutcomes {
		t.Errorf("remembers %d outcomes, want at most %d", m.outcomes, keepOutcomes)
	}
}

func TestCancelOfNothingIsRefused(t *testing.T) {
	d := start(t, Options{})
	for field, r := range map[string]core.CancelRequest{
		"ids":        {},
		"grace_ms":   {IDs: []core.JobID{"x"}, GraceMS: ptr(int64(-1))},
		"command_id": {IDs: []core.JobID{"x"}, CommandID: strings.Repeat("x", maxCommandID+1)},
	} {
		_, err := d.Cancel(t.Context(), r)
		if !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("%+v: %v, want invalid, naming %s", r, err, field)
		}
	}
}

func TestReasonIsKeptAsTyped(t *testing.T) {
	d := start(t, Options{})
	const reason = "mauvaise caméra — 鏡頭 \U0001F3AC"
	id := submitFunc(t, d, core.Submission{}, obedient)
	if _, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{id}, Reason: reason, By: ana}); err != nil {
		t.Fatal(err)
	}
	if got := waitOver(t, d, id).Cancellation.Reason; got != reason {
		t.Errorf("reason = %q, want %q", got, reason)
	}

	var seen error
	id = submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
		<-ctx.Done()
		seen = core.CheckCancelled(ctx)
		return seen
	})
	long := strings.Repeat("é", maxReason)
	if _, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{id}, Reason: long, By: ana}); err != nil {
		t.Fatal(err)
	}
	got := waitOver(t, d, id).Cancellation.Reason
	if len(got) != maxReason || !strings.HasPrefix(long, got) {
		t.Errorf("a long reason is kept as %d bytes, want %d", len(got), maxReason)
	}
	var ce *core.CancelledError
	if !errors.As(seen, &ce) || ce.Reason != got || ce.JobID != id {
		t.Errorf("the running code saw %v", seen)
	}
}

func TestTokenIsSetWhenCancelReturns(t *testing.T) {
	d := start(t, Options{})
	token := make(chan core.CancellationProbe, 1)
	f := make(deaf)
	id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
		token <- core.CurrentCancelToken(ctx)
		return f.run(ctx)
	})
	probe := <-token
	if probe.Cancelled() {
		t.Fatal("cancelled too soon")
	}
	cancelOK(t, d, id)
	if !probe.Cancelled() {
		t.Error("Cancel returned before the token was set")
	}
	f <- core.ErrCancelled
	if j := waitOver(t, d, id); j.Cancellation.SeenAt == 0 {
		t.Error("a check saw the cancel, the record does not say so")
	}
}

func TestSeenIsPublishedWhileTheJobStillRuns(t *testing.T) {
	d := start(t, Options{})
	release := make(chan struct{})
	id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
		<-ctx.Done()
		err := core.CheckCancelled(ctx)
		<-release // cleans up
		return err
	})
	cancelOK(t, d, id)
	j := waitFor(t, d, id, "has seen its cancel", func(j *core.Job) bool { return j.Cancellation != nil && j.Cancellation.SeenAt != 0 })
	if j.State != core.Cancelling || j.Cancellation.StoppedAt != 0 {
		t.Errorf("seen: %s, %+v", j.State, j.Cancellation)
	}
	close(release)
	waitOver(t, d, id)
}

func TestContextOfAJobIsTheDispatchersOwn(t *testing.T) {
	d := start(t, Options{})
	found := make(chan error, 1)
	f := make(deaf)
	id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
		switch {
		case core.CurrentJobID(ctx) == "":
			found <- errors.New("no job id in the context")
		case core.CurrentJob(ctx) == nil:
			found <- errors.New("no job in the context")
		default:
			found <- nil
		}
		err := f.run(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	})
	if err := <-found; err != nil {
		t.Error(err)
	}
	f <- nil
	if j := waitOver(t, d, id); j.State != core.Completed {
		t.Errorf("got %s %s", j.State, j.Error)
	}
}

func TestCancelOfManyGivesTheMutexToOthers(t *testing.T) {
	d := start(t, Options{Slots: 1})
	f := make(deaf)
	submitFunc(t, d, core.Submission{}, f.run)
	var ids []core.JobID
	for range 3*atOnce + 7 {
		ids = append(ids, submitFunc(t, d, core.Submission{}, obedient))
	}
	out := cancelAs(t, d, ana, ids...)
	if len(out) != len(ids) {
		t.Fatalf("%d answers to %d ids", len(out), len(ids))
	}
	for i, o := range out {
		if o.ID != ids[i] || o.Answer != core.Accepted || o.State != core.Cancelled {
			t.Fatalf("answer %d: %+v", i, o)
		}
	}
	f <- nil
}
