package jobs

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// The rules of the feed, numbered as in the design.

func position(d *Dispatcher) core.Position {
	d.mu.Lock()
	defer d.mu.Unlock()
	return core.Position{Source: d.reg.source, Epoch: d.reg.epoch, Seq: d.reg.seq}
}

func firstUpdate(t *testing.T, d *Dispatcher, resume ...core.Position) core.Update {
	t.Helper()
	for u, err := range d.Watch(t.Context(), resume...) {
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	t.Fatal("the feed ended at once")
	return core.Update{}
}

func pull(t *testing.T, d *Dispatcher) (next func() (core.Update, error, bool)) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	next, end := iter.Pull2(d.Watch(ctx))
	t.Cleanup(func() { stop(); end() })
	return next
}

func TestWatchRule1And2PositionIsBySourceAndEpoch(t *testing.T) {
	d, other := start(t, Options{Source: "farm"}), start(t, Options{Source: "farm"})
	submitFunc(t, d, core.Submission{}, obedient)
	here := position(d)
	if position(other).Epoch == here.Epoch {
		t.Fatal("two lives of a dispatcher have one epoch")
	}
	wrongEpoch, wrongSource := here, here
	wrongEpoch.Epoch = position(other).Epoch
	wrongSource.Source = "elsewhere"
	if u := firstUpdate(t, d, wrongEpoch, wrongSource); u.Snapshot == nil {
		t.Errorf("resumed from a position of another feed: %+v", u)
	}
	if u := firstUpdate(t, d, wrongSource, here); u.Change == nil {
		t.Error("the position of this source among several was not used")
	}
	if s := firstUpdate(t, d).Snapshot; s.Source != "farm" || s.Epoch != here.Epoch || s.At != position(d).Seq {
		t.Errorf("snapshot of %s %s at %d", s.Source, s.Epoch, s.At)
	}
}

func TestWatchRule3SeqGoesUpByOnePerChange(t *testing.T) {
	r := newRegistry("farm", 8)
	e := &entry{}
	r.add(e, core.Job{ID: "a"})
	for want := uint64(2); want < 20; want++ {
		r.put(e, *e.job, false)
		if r.seq != want || e.job.Rev != want {
			t.Fatalf("seq %d, rev %d, want %d", r.seq, e.job.Rev, want)
		}
	}
}

func TestWatchRule4NothingFallsBetweenSnapshotAndRegistration(t *testing.T) {
	d := start(t, Options{Slots: 2, Flush: time.Millisecond})
	const n = 300
	var submitter sync.WaitGroup
	submitter.Go(func() {
		for range n {
			if _, err := d.SubmitFunc(core.Submission{Name: "x"}, nothing); err != nil {
				t.Error(err)
			}
		}
	})
	defer submitter.Wait()
	for range 20 { // readers that come at any moment
		ctx, stop := context.WithTimeout(t.Context(), patience)
		var v core.View
		for u, err := range d.Watch(ctx) {
			if err == nil {
				err = v.Apply(u)
			}
			if err != nil {
				t.Fatalf("with %d of %d: %v", terminal(&v), n, err)
			}
			if terminal(&v) == n {
				break
			}
			if len(v.Jobs) > n/2 && v.At.Seq%3 == 0 {
				break // this one leaves early
			}
		}
		stop()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.reg.watchers) != 0 {
		t.Errorf("%d watchers left", len(d.reg.watchers))
	}
}

func TestWatchRule5ChangesFollowOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		next := pull(t, d)
		u, _, _ := next()
		at := u.Snapshot.At
		id := submitFunc(t, d, core.Submission{Slots: ptr(0)}, func(ctx context.Context) error {
			for i := range 500 {
				runner.Report(ctx).Progress(core.Progress{Current: float64(i)})
				<-time.After(7 * time.Millisecond)
			}
			return nil
		})
		for {
			u, err, ok := next()
			if err != nil || !ok {
				t.Fatal(err, ok)
			}
			if u.Change.From != at || u.Change.To <= at {
				t.Fatalf("change from %d to %d after %d", u.Change.From, u.Change.To, at)
			}
			at = u.Change.To
			if get(t, d, id).State.Terminal() && at == position(d).Seq {
				return
			}
		}
	})
}

func TestWatchRule6ResumeOnlyWhereTheRingReaches(t *testing.T) {
	const size = 16
	r := newRegistry("farm", size)
	entries := map[core.JobID]*entry{}
	for _, id := range []core.JobID{"a", "b", "c"} {
		entries[id] = &entry{}
		r.add(entries[id], core.Job{ID: id})
	}
	at := func(seq uint64) core.Position { return core.Position{Source: "farm", Epoch: r.epoch, Seq: seq} }
	for step := range 3 * size {
		floor := uint64(0)
		if r.seq > size {
			floor = r.seq - size
		}
		for seq := uint64(0); seq <= r.seq; seq++ {
			if _, ok := r.since(at(seq)); ok != (seq >= floor) {
				t.Fatalf("step %d: resume from %d at %d, ring of %d: %v", step, seq, r.seq, size, ok)
			}
		}
		if _, ok := r.since(at(r.seq + 1)); ok {
			t.Fatal("resumed from a position that is still to come")
		}
		r.put(entries[[]core.JobID{"a", "b", "c"}[step%3]], core.Job{ID: []core.JobID{"a", "b", "c"}[step%3]}, false)
	}
	if c, _ := r.since(at(r.seq)); c.From != r.seq || c.To != r.seq || c.Jobs != nil || c.Gone != nil {
		t.Errorf("resume from now: %+v, want an empty change", c)
	}
	from := r.seq
	r.drop(entries["b"])
	r.put(entries["a"], *entries["a"].job, false)
	r.put(entries["a"], *entries["a"].job, false)
	c, ok := r.since(at(from))
	if !ok || c.From != from || c.To != r.seq || len(c.Jobs) != 1 || c.Jobs[0] != entries["a"].job || !slices.Equal(c.Gone, []core.JobID{"b"}) {
		t.Errorf("resume over a purge: %+v", c)
	}
}

func TestWatchRule7ChangesAreMergedPerJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		begin := make(chan struct{})
		id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
			<-begin
			for i := range 1000 { // 1 s
				runner.Report(ctx).Progress(core.Progress{Current: float64(i)})
				<-time.After(time.Millisecond)
			}
			return nil
		})
		next := pull(t, d)
		next()
		close(begin)
		changes, last := 0, time.Now()
		for {
			u, err, ok := next()
			if err != nil || !ok {
				t.Fatal(err, ok)
			}
			if gap := time.Since(last); gap < 50*time.Millisecond {
				t.Fatalf("changes %s apart", gap)
			}
			last = time.Now()
			changes++
			if len(u.Change.Jobs) != 1 {
				t.Fatalf("one job, %d records", len(u.Change.Jobs))
			}
			if u.Change.Jobs[0].State.Terminal() {
				break
			}
		}
		if changes > 22 {
			t.Errorf("%d changes in a second, want about 20", changes)
		}
		waitOver(t, d, id)
	})
}

func TestWatchRule7WhatACancelTouchedGoesOutAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{Flush: time.Hour, Slots: 1})
		release := make(chan struct{})
		id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
			<-ctx.Done()
			err := core.CheckCancelled(ctx)
			<-release
			return err
		})
		pending := submitFunc(t, d, core.Submission{}, nothing)
		var v core.View
		next := pull(t, d)
		step := func(what string, ok func(j *core.Job) bool) {
			t.Helper()
			for v.Jobs[id] == nil || !ok(v.Jobs[id]) { // two steps may come in one change
				u, err, more := next()
				if err != nil || !more || v.Apply(u) != nil {
					t.Fatal(what, err, more)
				}
			}
		}
		step("snapshot", func(*core.Job) bool { return true })
		begin := time.Now()
		cancelAs(t, d, ana, pending, id)
		step("requested", func(j *core.Job) bool { return j.State == core.Cancelling })
		if v.Jobs[pending].State != core.Cancelled {
			t.Error("the other job of the same command is not in the same change")
		}
		step("seen", func(j *core.Job) bool { return j.Cancellation.SeenAt != 0 })
		close(release)
		step("stopped", func(j *core.Job) bool { return j.State == core.Cancelled })
		if wait := time.Since(begin); wait > 0 {
			t.Errorf("a cancel and what follows took %s to go out", wait)
		}
		d.mu.Lock()
		d.reg.put(d.reg.byID[id], *d.reg.byID[id].job, false)
		d.mu.Unlock()
		if next(); time.Since(begin) != time.Hour {
			t.Errorf("what no command touched went out after %s", time.Since(begin))
		}
	})
}

func TestWatchRule8SlowReaderDelaysNobodyAndIsBounded(t *testing.T) {
	d := start(t, Options{Retain: 50, Slots: 2, Flush: time.Millisecond})
	for range 50 {
		waitOver(t, d, submitFunc(t, d, core.Submission{}, nothing))
	}
	var slow core.View
	stalled := pull(t, d)
	u, _, _ := stalled()
	if err := slow.Apply(u); err != nil {
		t.Fatal(err)
	}
	// The reader does not come back, while others follow 2,000 jobs that come,
	// end and are purged.
	for range 2000 {
		submitFunc(t, d, core.Submission{Slots: ptr(0)}, nothing)
	}
	idle(d, 0)
	d.mu.Lock()
	for _, w := range d.reg.watchers {
		if held := len(w.dirty) + len(w.left); held > 2*50+16 {
			t.Errorf("a stalled reader holds %d entries for 50 jobs", held)
		}
	}
	d.mu.Unlock()
	for slow.At.Seq < position(d).Seq { // it comes back
		u, err, ok := stalled()
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		if err := slow.Apply(u); err != nil {
			t.Fatal(err)
		}
	}
	all := d.List()
	if len(slow.Jobs) != len(all) {
		t.Errorf("it has %d jobs, the dispatcher %d", len(slow.Jobs), len(all))
	}
	for _, j := range all {
		if slow.Jobs[j.ID] != j {
			t.Errorf("job %s differs", j.ID)
		}
	}
}

func TestWatchEndsWithWhy(t *testing.T) {
	d := start(t, Options{})
	id := submitFunc(t, d, core.Submission{}, obedient)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var end error
	for _, err := range d.Watch(ctx) {
		end = err
		stop()
	}
	if !errors.Is(end, context.Canceled) {
		t.Errorf("after its context ended: %v", end)
	}
	var v core.View
	registered := make(chan struct{})
	over := make(chan error)
	go func() {
		first := true
		var last error
		for u, err := range d.Watch(context.Background()) {
			if first {
				close(registered)
				first = false
			}
			if last = err; err == nil {
				if e := v.Apply(u); e != nil {
					last = e
					break
				}
			}
		}
		over <- last
	}()
	<-registered
	if err := d.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-over; !errors.Is(err, core.ErrClosed) {
		t.Errorf("after the shutdown: %v", err)
	}
	if s := v.Jobs[id].State; s != core.Interrupted {
		t.Errorf("the last that was told of the job is %s", s)
	}
}
