package jobs

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"dcctop/core"
)

func nothing(context.Context) error { return nil }

// group submits a parent that takes no slot and whose own work is over at once.
func group(t *testing.T, d *Dispatcher, parent core.JobID, work func(context.Context) error) core.JobID {
	t.Helper()
	return submitFunc(t, d, core.Submission{Name: "group", Slots: ptr(0), Parent: parent}, work)
}

func TestParentIsNotOverBeforeItsLastDescendant(t *testing.T) {
	d := start(t, Options{Slots: 4})
	hold := make(deaf)
	parent := group(t, d, "", hold.run)
	var leaves [2]deaf
	leaves[0], leaves[1] = make(deaf), make(deaf)
	waitOver(t, d, group(t, d, parent, nothing))
	a := submitFunc(t, d, core.Submission{Parent: parent}, leaves[0].run)
	b := submitFunc(t, d, core.Submission{Parent: a}, leaves[1].run)

	hold <- nil // the parent's own work ends first, then the child's, then the grandchild's
	leaves[0] <- nil
	waitFor(t, d, parent, "counts a running child", func(j *core.Job) bool { return j.Children[core.Running] == 1 })
	for _, id := range []core.JobID{parent, a} {
		if s := get(t, d, id).State; s != core.Running {
			t.Errorf("job %s is %s while a descendant runs", id, s)
		}
	}
	leaves[1] <- errors.New("boom")
	if s := waitOver(t, d, b).State; s != core.Failed {
		t.Errorf("grandchild: %s", s)
	}
	for _, id := range []core.JobID{a, parent} {
		if j := waitOver(t, d, id); j.State != core.Completed {
			t.Errorf("job %s: %s; its own end was nil", id, j.State)
		}
	}
	want := map[core.State]int{core.Completed: 2}
	if got := get(t, d, parent).Children; !maps.Equal(got, want) {
		t.Errorf("children = %v, want %v", got, want)
	}
}

func TestChildStartsNoSoonerThanItsParent(t *testing.T) {
	d := start(t, Options{Slots: 1})
	first, second, third := make(deaf), make(deaf), make(deaf)
	submitFunc(t, d, core.Submission{}, first.run)
	parent := submitFunc(t, d, core.Submission{}, second.run)
	child := submitFunc(t, d, core.Submission{Parent: parent, Priority: 10, Slots: ptr(0)}, third.run)
	if s := get(t, d, child).State; s != core.Pending {
		t.Fatalf("child of a pending parent is %s", s)
	}
	first <- nil
	waitState(t, d, child, core.Running)
	if s := get(t, d, parent).State; s != core.Running {
		t.Errorf("parent is %s", s)
	}
	second <- nil
	third <- nil
	waitOver(t, d, parent)
}

func TestPendingTreeIsCancelledAtOnce(t *testing.T) {
	d := start(t, Options{Slots: 1})
	f := make(deaf)
	submitFunc(t, d, core.Submission{}, f.run)
	parent := submitFunc(t, d, core.Submission{}, obedient)
	child := submitFunc(t, d, core.Submission{Parent: parent}, obedient)
	grandchild := submitFunc(t, d, core.Submission{Parent: child}, obedient)
	cancelOK(t, d, parent)
	revs := make([]uint64, 0, 3)
	for _, id := range []core.JobID{grandchild, child, parent} {
		j := get(t, d, id)
		if j.State != core.Cancelled || j.Cancellation.By != "ana" {
			t.Errorf("job %s is %s", id, j.State)
		}
		revs = append(revs, j.Rev)
	}
	if !slices.IsSorted(revs) {
		t.Errorf("a parent was cancelled before its descendants: %v", revs)
	}
	f <- nil
}

// Case 10.
func TestChildrenDoNotGoOnWhenTheirParentIsCancelled(t *testing.T) {
	d := start(t, Options{Slots: 4})
	parent := group(t, d, "", obedient)
	ignores := make(deaf)
	a := submitFunc(t, d, core.Submission{Parent: parent}, obedient)
	b := submitFunc(t, d, core.Submission{Parent: parent}, obedient)
	c := submitFunc(t, d, core.Submission{Parent: parent}, ignores.run)
	waitFor(t, d, parent, "has three running", func(j *core.Job) bool { return j.Children[core.Running] == 3 })

	cancelOK(t, d, parent)
	waitState(t, d, a, core.Cancelled)
	waitState(t, d, b, core.Cancelled)
	j := waitFor(t, d, parent, "counts two cancelled", func(j *core.Job) bool { return j.Children[core.Cancelled] == 2 })
	if want := (map[core.State]int{core.Cancelled: 2, core.Cancelling: 1}); j.State != core.Cancelling || !maps.Equal(j.Children, want) {
		t.Errorf("parent is %s with children %v, want cancelling with %v", j.State, j.Children, want)
	}
	if s := get(t, d, c).State; s != core.Cancelling {
		t.Errorf("the one that ignores its token is %s", s)
	}
	ignores <- nil
	if j := waitOver(t, d, c); j.State != core.Completed || !j.Cancellation.Late {
		t.Errorf("the one that ignored it: %s", j.State)
	}
	if j := waitOver(t, d, parent); j.State != core.Cancelled {
		t.Errorf("parent: %s, its children were stopped", j.State)
	}
}

func TestCancelOfAChildLeavesItsSiblings(t *testing.T) {
	d := start(t, Options{Slots: 4})
	parent := group(t, d, "", obedient)
	a := submitFunc(t, d, core.Submission{Parent: parent}, obedient)
	b := submitFunc(t, d, core.Submission{Parent: parent}, obedient)
	cancelOK(t, d, a)
	waitOver(t, d, a)
	for _, id := range []core.JobID{parent, b} {
		if j := get(t, d, id); j.State != core.Running || j.Cancellation != nil {
			t.Errorf("job %s is %s", id, j.State)
		}
	}
}

func TestParentWhoseOwnWorkWasOverCountsAsCancelledWithItsChildren(t *testing.T) {
	for _, c := range []struct {
		name string
		own  error
		kid  error
		want core.State
		late bool
	}{
		{"its child was stopped", nil, core.ErrCancelled, core.Cancelled, false},
		{"its child ended of its own", nil, nil, core.Completed, true},
		{"it had failed", errors.New("boom"), core.ErrCancelled, core.Failed, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, Options{Slots: 4})
			own, kid := make(deaf), make(deaf)
			parent := group(t, d, "", own.run)
			child := submitFunc(t, d, core.Submission{Parent: parent}, kid.run)
			own <- c.own
			idle(d, 1)
			cancelOK(t, d, parent)
			kid <- c.kid
			waitOver(t, d, child)
			if j := waitOver(t, d, parent); j.State != c.want || j.Cancellation.Late != c.late {
				t.Errorf("got %s, late %v; want %s, %v", j.State, j.Cancellation.Late, c.want, c.late)
			}
		})
	}
}

// idle waits until the code of no more than n jobs runs.
func idle(d *Dispatcher, n int) {
	for {
		d.mu.Lock()
		running := len(d.active)
		d.mu.Unlock()
		if running <= n {
			return
		}
		// A job leaves active in the step that its function's return leads to.
		runtime.Gosched()
	}
}

func TestParentAndChildMarkedTogetherAreBothAccepted(t *testing.T) {
	d := start(t, Options{Slots: 1})
	parent := group(t, d, "", obedient)
	running := submitFunc(t, d, core.Submission{Parent: parent}, obedient)
	pending := submitFunc(t, d, core.Submission{Parent: parent}, obedient)
	for _, o := range cancelAs(t, d, ana, parent, running, pending) {
		if o.Answer != core.Accepted {
			t.Errorf("%+v", o)
		}
	}
}

func TestChildOfACancelledParentIsRefused(t *testing.T) {
	d := start(t, Options{})
	f := make(deaf)
	parent := submitFunc(t, d, core.Submission{}, f.run)
	cancelOK(t, d, parent)
	refused := func() {
		t.Helper()
		_, err := d.SubmitFunc(core.Submission{Name: "late", Parent: parent}, nothing)
		if !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), "parent") {
			t.Errorf("submit: %v", err)
		}
	}
	refused()
	f <- nil
	waitOver(t, d, parent)
	refused()
	if n := len(d.List()); n != 1 {
		t.Errorf("%d jobs, want the parent alone", n)
	}
}

func TestTimeoutOfAParentCancelsItsChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{Slots: 4})
		parent := submitFunc(t, d, core.Submission{TimeoutMS: 20}, obedient)
		child := submitFunc(t, d, core.Submission{Parent: parent}, obedient)
		if j := waitOver(t, d, child); j.State != core.Cancelled || j.Cancellation.Reason != "its parent timed out after 20ms" {
			t.Errorf("child: %s, %+v", j.State, j.Cancellation)
		}
		if j := waitOver(t, d, parent); j.State != core.Failed || j.Error != "timed out after 20ms" {
			t.Errorf("parent: %s %q", j.State, j.Error)
		}
	})
}
