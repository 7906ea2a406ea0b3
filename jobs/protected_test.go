package jobs

import (
	"context"
	"testing"

	"dcctop/core"
)

// Case 9: where a cancel cannot work it says why, and nothing is sent.
func TestAJobThatMustNotBeInterruptedSaysWhyAndRunsOn(t *testing.T) {
	d := start(t, Options{Slots: 1})
	finish := make(chan struct{})
	parent := submitFunc(t, d, core.Submission{Name: "publish", Slots: new(int)}, func(ctx context.Context) error {
		<-ctx.Done()
		return core.CheckDCCCancelled(ctx)
	})
	child := submitFunc(t, d, core.Submission{Name: "commit", Parent: parent, NotCancellable: "writes to the asset database"},
		func(ctx context.Context) error {
			<-finish
			return core.CheckDCCCancelled(ctx) // a cancel that reached it would end it as cancelled
		})
	waitState(t, d, child, core.Running)
	later := submitFunc(t, d, core.Submission{Name: "next", Parent: parent, NotCancellable: "writes too"}, func(context.Context) error { return nil })

	got, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{child}})
	if err != nil || got[0].Answer != core.NotCancellable || got[0].Why != "writes to the asset database" {
		t.Fatalf("%+v, %v", got, err)
	}
	got, err = d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{parent}})
	if err != nil || got[0].Answer != core.Accepted {
		t.Fatalf("its parent: %+v, %v", got, err)
	}
	if j := get(t, d, later); j.State != core.Cancelled {
		t.Errorf("one that has not started is %s", j.State)
	}
	if j := get(t, d, child); j.State != core.Running || j.Cancellation != nil {
		t.Errorf("it is %s, %+v", j.State, j.Cancellation)
	}
	if j := get(t, d, parent); j.State != core.Cancelling {
		t.Errorf("its parent is %s", j.State)
	}
	close(finish)
	waitState(t, d, child, core.Completed)
	waitState(t, d, parent, core.Cancelled)
}
