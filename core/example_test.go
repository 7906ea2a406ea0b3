package core_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dcctop/core"
)

// Running code checks where it can stop, and returns what the check returned.
func ExampleCheckCancelled() {
	token := core.NewCancelToken("job-42")
	ctx, reset := core.WithCancelToken(context.Background(), token)
	defer reset()

	render := func(ctx context.Context) error {
		for frame := 1; ; frame++ {
			if err := core.CheckCancelled(ctx); err != nil {
				return fmt.Errorf("before frame %d: %w", frame, err)
			}
			if frame == 3 {
				token.Cancel() // an operator, meanwhile
			}
		}
	}
	err := render(ctx)
	fmt.Println(err)
	fmt.Println(errors.Is(err, core.ErrCancelled), errors.Is(err, context.Canceled))
	// Output:
	// before frame 4: job job-42 cancelled
	// true true
}

// queued is the handle of a DCC's own queue.
type queued struct{ stop bool }

func (q *queued) Cancelled() bool { return q.stop }

// A DCC's own dispatcher publishes a handle; the check honours both layers.
func ExampleCheckDCCCancelled() {
	job := &queued{}
	ctx, reset := core.WithCurrentJob(context.Background(), job)
	defer reset()
	fmt.Println(core.CheckDCCCancelled(ctx))
	job.stop = true
	fmt.Println(core.CheckDCCCancelled(ctx))
	// Output:
	// <nil>
	// cancelled: by its host
}

// Look without an error to write partial results before returning.
func ExampleCurrentCancelToken() {
	ctx, reset := core.WithCancelToken(context.Background(), core.NewCancelToken("job-42"))
	defer reset()
	if probe := core.CurrentCancelToken(ctx); probe != nil && !probe.Cancelled() {
		fmt.Println("going on with", core.CurrentJobID(ctx))
	}
	// Output: going on with job-42
}

// A parent's cancel reaches its children, a child's stays its own.
func ExampleCancelToken_NewChild() {
	shot := core.NewCancelToken("shot")
	frame1, frame2 := shot.NewChild("frame 1"), shot.NewChild("frame 2")
	frame1.Cancel()
	fmt.Println(shot.Cancelled(), frame1.Cancelled(), frame2.Cancelled())
	shot.CancelCause(errors.New("shot was cut"))
	fmt.Println(frame2.Cancelled(), frame2.Cause())
	// Output:
	// false true false
	// true shot was cut
}

// An explicit nil shields a piece of work from the token around it.
func ExampleWithCancelToken() {
	token := core.NewCancelToken("job-42")
	token.Cancel()
	ctx, reset := core.WithCancelToken(context.Background(), token)
	defer reset()
	shielded, resetShield := core.WithCancelToken(ctx, nil)
	defer resetShield()
	fmt.Println(core.CheckCancelled(ctx))
	fmt.Println(core.CheckCancelled(shielded))
	// Output:
	// job job-42 cancelled
	// <nil>
}

func ExampleState_Next() {
	next, ok := core.Running.Next(core.EventCancel)
	fmt.Println(next, ok)
	next, ok = core.Completed.Next(core.EventCancel) // stays: a terminal state is a sink
	fmt.Println(next, ok)
	// Output:
	// cancelling true
	// completed true
}

func ExampleView() {
	var view core.View
	apply := func(u core.Update) { fmt.Println(view.Apply(u)) }
	apply(core.Update{Snapshot: &core.Snapshot{Source: "ws1", Epoch: "x", At: 7, Jobs: []*core.Job{{ID: "a"}}}})
	apply(core.Update{Change: &core.Change{Source: "ws1", Epoch: "x", From: 8, To: 9}})
	// Output:
	// <nil>
	// change does not follow: at seq 7, change starts at 8
}

func ExampleTime() {
	at := core.At(time.Date(2026, 11, 30, 8, 0, 0, 123_456_789, time.FixedZone("CET", 3600)))
	fmt.Println(at)
	// Output: 2026-11-30T07:00:00.123Z
}
