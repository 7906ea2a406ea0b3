package jobs

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// The cases of other tools' bug reports that a dispatcher alone can show.

// Case 5.
func TestNotShownCancelledWhileItRunsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
			for i := range 30 { // ignores its token for as long
				runner.Report(ctx).Progress(core.Progress{Current: float64(i), Total: 30})
				<-time.After(time.Second)
			}
			return core.CheckCancelled(ctx)
		})
		var states []core.State
		var moved int
		over := make(chan struct{})
		go func() {
			defer close(over)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var v core.View
			for u, err := range d.Watch(ctx) {
				if err != nil || v.Apply(u) != nil {
					return
				}
				j := v.Jobs[id]
				if j == nil {
					continue
				}
				states = append(states, j.State)
				if j.State == core.Cancelling {
					moved = max(moved, int(j.Progress.Current))
				}
				if j.State.Terminal() {
					return
				}
			}
		}()
		<-time.After(10*time.Second + time.Millisecond)
		cancelOK(t, d, id)
		<-time.After(19 * time.Second)
		synctest.Wait()
		if j := get(t, d, id); j.State != core.Cancelling || time.Since(j.Cancellation.RequestedAt.Std()) < 19*time.Second {
			t.Fatalf("while it runs on: %s, %+v", j.State, j.Cancellation)
		}
		<-over
		for _, s := range states[:len(states)-1] {
			if s.Terminal() {
				t.Fatalf("shown as %s before it stopped", s)
			}
		}
		if moved < 28 {
			t.Errorf("progress shown while cancelling went to %d", moved)
		}
		if j := get(t, d, id); j.State != core.Cancelled || j.Cancellation.StoppedAt.Sub(j.Cancellation.RequestedAt) < 19*time.Second {
			t.Errorf("in the end: %s, %+v", j.State, j.Cancellation)
		}
	})
}

// Case 7.
func TestCancelCrossesCompletion(t *testing.T) {
	const runs = 1000
	d := start(t, Options{Slots: 4})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var v core.View
	seen := make(chan struct{})
	go func() { // a screen
		defer close(seen)
		for u, err := range d.Watch(ctx) {
			if err != nil {
				return
			}
			before := v.Jobs
			for _, j := range changed(u) {
				if old := before[j.ID]; old != nil && old.State.Terminal() && old.State != j.State {
					t.Errorf("job %s moved from %s to %s", j.ID, old.State, j.State)
				}
			}
			if err := v.Apply(u); err != nil {
				t.Error(err)
				return
			}
			if terminal(&v) == runs {
				return
			}
		}
	}()
	ends := map[core.State]int{}
	for range runs {
		work := time.Duration(rand.IntN(200)) * time.Microsecond
		wait := time.Duration(rand.IntN(200)) * time.Microsecond
		ran := make(chan struct{})
		id := submitFunc(t, d, core.Submission{}, func(context.Context) error {
			close(ran)
			spin(work)
			return nil
		})
		<-ran
		spin(wait)
		out := cancelAs(t, d, ana, id)
		j := waitOver(t, d, id)
		ends[j.State]++
		switch {
		case j.State != core.Completed:
			t.Fatalf("work that returned nil is %s", j.State)
		case out[0].Answer == core.Accepted && (j.Cancellation == nil || !j.Cancellation.Late):
			t.Fatalf("accepted, completed, but not late: %+v", j.Cancellation)
		case out[0].Answer == core.AlreadyFinished && j.Cancellation != nil:
			t.Fatalf("answered already finished, but the record has %+v", j.Cancellation)
		}
		if late := cancelAs(t, d, ana, id); late[0].Answer != core.AlreadyFinished || get(t, d, id) != j {
			t.Fatalf("a stray late cancel: %+v", late)
		}
	}
	select {
	case <-seen:
	case <-time.After(patience):
		t.Fatal("the screen did not get every end")
	}
	for _, j := range d.List() {
		if v.Jobs[j.ID] != j {
			t.Errorf("the screen has job %s as %s, the dispatcher as %s", j.ID, v.Jobs[j.ID].State, j.State)
		}
	}
	t.Logf("ends: %v", ends)
}

func changed(u core.Update) []*core.Job {
	if u.Change == nil {
		return nil
	}
	return u.Change.Jobs
}

func terminal(v *core.View) int {
	n := 0
	for _, j := range v.Jobs {
		if j.State.Terminal() {
			n++
		}
	}
	return n
}

// spin takes a time shorter than a timer can.
func spin(t time.Duration) {
	for begin := time.Now(); time.Since(begin) < t; {
	}
}

// Case 13.
func TestCancelledIsNotAFailure(t *testing.T) {
	d := start(t, Options{Slots: 4})
	parent := group(t, d, "", obedient)
	a := submitFunc(t, d, core.Submission{Parent: parent}, obedient)
	b := submitRunner(t, d, core.Submission{Name: "ffmpeg", Parent: parent}, newProcess(core.StepTerm))
	waitState(t, d, b, core.Running)
	cancelOK(t, d, parent)
	for _, id := range []core.JobID{a, b, parent} {
		if j := waitOver(t, d, id); j.State != core.Cancelled || j.Error != "" {
			t.Errorf("job %s is %s %q", id, j.State, j.Error)
		}
	}
	if n := get(t, d, parent).Children[core.Failed]; n != 0 {
		t.Errorf("%d counted as failed", n)
	}
}

// Case 24.
func TestAnIDIsNeverUsedTwice(t *testing.T) {
	const jobs = 2000
	seen := map[core.JobID]bool{}
	for range 3 { // three lives of a dispatcher
		d := start(t, Options{Retain: 1})
		var first core.JobID
		for i := range jobs {
			id := submitFunc(t, d, core.Submission{Slots: ptr(0)}, nothing)
			if seen[id] {
				t.Fatalf("id %s came back", id)
			}
			seen[id] = true
			if i == 0 {
				first = id
			}
			waitOver(t, d, id)
		}
		out := cancelAs(t, d, ana, first)
		if out[0].Answer != core.Unknown {
			t.Errorf("cancel by an old id: %+v", out)
		}
	}
}

func TestIDsSortByTimeEvenWhenTheClockIsSetBack(t *testing.T) {
	g := newIDs()
	at := time.UnixMilli(1_700_000_000_000)
	last := core.JobID("")
	for i := range 10_000 {
		if i == 5000 {
			at = at.Add(-time.Hour)
		}
		id, err := g.next(at)
		if err != nil {
			t.Fatal(err)
		}
		if id <= last {
			t.Fatalf("id %s after %s", id, last)
		}
		last = id
	}
}
