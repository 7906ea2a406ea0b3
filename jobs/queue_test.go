package jobs

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"dcctop/core"
)

func TestHigherPriorityStartsFirstThenOrderOfSubmission(t *testing.T) {
	d := start(t, Options{Slots: 1})
	f := make(deaf)
	submitFunc(t, d, core.Submission{}, f.run)
	var mu sync.Mutex
	var order []string
	for _, s := range []core.Submission{
		{Name: "a"}, {Name: "b"}, {Name: "low", Priority: -1}, {Name: "high", Priority: 5}, {Name: "c"}, {Name: "high too", Priority: 5},
	} {
		submitFunc(t, d, s, func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, s.Name)
			return nil
		})
	}
	f <- nil
	for _, j := range d.List() {
		waitOver(t, d, j.ID)
	}
	if want := []string{"high", "high too", "a", "b", "c", "low"}; !slices.Equal(order, want) {
		t.Errorf("started in the order %q, want %q", order, want)
	}
}

func TestJobThatNeedsManySlotsIsNotStarved(t *testing.T) {
	d := start(t, Options{Slots: 2})
	a, b, wide, small := make(deaf), make(deaf), make(deaf), make(deaf)
	submitFunc(t, d, core.Submission{}, a.run)
	ib := submitFunc(t, d, core.Submission{}, b.run)
	iw := submitFunc(t, d, core.Submission{Slots: ptr(2)}, wide.run)
	is := submitFunc(t, d, core.Submission{}, small.run)
	b <- nil
	waitOver(t, d, ib)
	for _, id := range []core.JobID{iw, is} {
		if s := get(t, d, id).State; s != core.Pending {
			t.Errorf("with one of two slots free %s is %s", id, s)
		}
	}
	a <- nil
	waitState(t, d, iw, core.Running)
	if s := get(t, d, is).State; s != core.Pending {
		t.Errorf("beside the wide one: %s", s)
	}
	wide <- nil
	waitState(t, d, is, core.Running)
	small <- nil
}

func TestJobBehindACancelledHeadStarts(t *testing.T) {
	d := start(t, Options{Slots: 2})
	f := make(deaf)
	submitFunc(t, d, core.Submission{}, f.run)
	wide := submitFunc(t, d, core.Submission{Slots: ptr(2)}, nothing)
	small := submitFunc(t, d, core.Submission{}, nothing)
	cancelOK(t, d, wide)
	waitOver(t, d, small)
	f <- nil
}

func TestJobOfNoSlotsStartsAtOnce(t *testing.T) {
	d := start(t, Options{Slots: 1})
	f, g := make(deaf), make(deaf)
	submitFunc(t, d, core.Submission{}, f.run)
	id := submitFunc(t, d, core.Submission{Slots: ptr(0)}, g.run)
	if s := get(t, d, id).State; s != core.Running {
		t.Errorf("it is %s", s)
	}
	f <- nil
	g <- nil
}

func TestQueueIsSortedWhateverIsTakenOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var model []*entry
		for i, priority := range rapid.SliceOfN(rapid.IntRange(-2, 2), 0, 40).Draw(t, "priorities") {
			e := &entry{job: &core.Job{Priority: priority}, born: uint64(i), work: &work{place: -1}}
			q.push(e)
			model = append(model, e)
		}
		for range rapid.IntRange(0, len(model)).Draw(t, "removed") {
			i := rapid.IntRange(0, len(model)-1).Draw(t, "which")
			q.remove(model[i])
			q.remove(model[i]) // twice is once
			model = slices.Delete(model, i, i+1)
		}
		slices.SortStableFunc(model, func(a, b *entry) int { return cmp.Compare(b.job.Priority, a.job.Priority) })
		for _, want := range model {
			got := q.head()
			if got != want {
				t.Fatalf("head is job %d of priority %d, want %d of %d", got.born, got.job.Priority, want.born, want.job.Priority)
			}
			q.remove(got)
		}
		if q.head() != nil {
			t.Fatal("something is left")
		}
	})
}
