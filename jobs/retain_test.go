package jobs

import (
	"context"
	"errors"
	"testing"

	"dcctop/core"
)

func TestOldestFinishedArePurgedWithATombstone(t *testing.T) {
	d := start(t, Options{Retain: 3, Slots: 1})
	f := make(deaf)
	alive := submitFunc(t, d, core.Submission{Slots: ptr(0)}, f.run)
	var v core.View
	next := pull(t, d)
	read := func() {
		t.Helper()
		for v.At.Seq < position(d).Seq {
			u, err, ok := next()
			if err != nil || !ok || v.Apply(u) != nil {
				t.Fatal(err, ok)
			}
		}
	}
	var ids []core.JobID
	for range 3 {
		ids = append(ids, submitFunc(t, d, core.Submission{}, nothing))
		waitOver(t, d, ids[len(ids)-1])
	}
	read()
	if len(v.Jobs) != 4 {
		t.Fatalf("%d jobs before the first is purged", len(v.Jobs))
	}
	before := position(d)
	ids = append(ids, submitFunc(t, d, core.Submission{}, nothing))
	waitOver(t, d, ids[3])
	read()
	if v.Jobs[ids[0]] != nil || v.Jobs[ids[1]] == nil || v.Jobs[ids[3]] == nil || v.Jobs[alive] == nil || len(v.Jobs) != 4 {
		t.Errorf("after the purge: %v", v.Jobs)
	}
	if c := firstUpdate(t, d, before).Change; c == nil || len(c.Gone) != 1 || c.Gone[0] != ids[0] {
		t.Errorf("a resume over the purge: %+v", c)
	}
	if out := cancelAs(t, d, ana, ids[0]); out[0].Answer != core.Unknown {
		t.Errorf("cancel of a purged job: %+v", out)
	}
	f <- nil
}

func TestChildrenOfAKeptParentMayGo(t *testing.T) {
	d := start(t, Options{Retain: 2, Slots: 2})
	f := make(deaf)
	parent := group(t, d, "", f.run)
	for range 5 {
		waitOver(t, d, submitFunc(t, d, core.Submission{Parent: parent}, nothing))
	}
	j := get(t, d, parent)
	if j.State != core.Running || j.Children[core.Completed] != 5 {
		t.Errorf("parent is %s with children %v, want running with 5", j.State, j.Children)
	}
	if n := len(d.List()); n != 3 {
		t.Errorf("%d jobs kept, want the parent and two", n)
	}
	f <- nil
	waitOver(t, d, parent)
}

func TestListKeepsTheOrderOfSubmissionOverPurges(t *testing.T) {
	d := start(t, Options{Retain: 10, Slots: 1})
	for range 500 {
		waitOver(t, d, submitFunc(t, d, core.Submission{}, nothing))
	}
	all := d.List()
	if len(all) != 10 {
		t.Fatalf("%d jobs kept, want 10", len(all))
	}
	for i := 1; i < len(all); i++ {
		if all[i-1].ID >= all[i].ID {
			t.Fatalf("job %s before %s", all[i-1].ID, all[i].ID)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.reg.order); n > 10+2*64+10 {
		t.Errorf("the order holds %d places for 10 jobs", n)
	}
}

// One range of frames does not cost everybody's history.
func TestChunksThatAreDoneGoBeforeOtherJobs(t *testing.T) {
	d := start(t, Options{Retain: 4})
	nothing := func(context.Context) error { return nil }
	old := submitFunc(t, d, core.Submission{Name: "old"}, nothing)
	waitOver(t, d, old)
	gate := make(chan struct{})
	parent := submitFunc(t, d, core.Submission{Name: "shot", Slots: new(int)}, func(context.Context) error { <-gate; return nil })
	failed := submitFunc(t, d, core.Submission{Name: "chunk", Parent: parent}, func(context.Context) error { return errors.New("no licence") })
	waitOver(t, d, failed)
	for range 10 {
		waitOver(t, d, submitFunc(t, d, core.Submission{Name: "chunk", Parent: parent}, nothing))
	}
	close(gate)
	waitOver(t, d, parent)
	for name, id := range map[string]core.JobID{"an older job": old, "the parent": parent, "the chunk that failed": failed} {
		if _, err := d.Get(t.Context(), id); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(d.List()); n != 4 {
		t.Errorf("%d jobs are kept", n)
	}
}
