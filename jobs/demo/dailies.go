package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// ahead is how many shots the dailies keep in the queue: with one alone there
// would be nothing waiting behind the last frames of it.
const ahead = 2

// giveUp is how many shots in a row may fail before the dailies do.
const giveUp = 3

// dailies adds a shot whenever fewer than [ahead] of those it knows are left.
// It ends well when over does, that is with the demo; and with an error when
// shots only fail, say on a full disk.
func (d *demo) dailies(ctx, over context.Context, open []core.JobID) error {
	sink := runner.Report(ctx)
	failed := 0
	for n := 0; ; n++ {
		for len(open) >= ahead {
			j, err := d.wait(ctx, over, open[0])
			if err != nil {
				return closing(ctx, over, err)
			}
			open = open[1:]
			if failed++; j.State != core.Failed {
				failed = 0
			}
			if failed == giveUp {
				return fmt.Errorf("%d shots in a row failed, the last with: %s", failed, j.Error)
			}
		}
		if err := d.rest(ctx, over); err != nil {
			return closing(ctx, over, err)
		}
		s := d.moreShot(n)
		j, err := d.shot(s)
		if err != nil {
			return closing(ctx, over, fmt.Errorf("submit %s: %w", s.name, err))
		}
		open = append(open, j.ID)
		fmt.Fprintf(sink, "added %s\n", s.name)
		sink.Progress(core.Progress{Current: float64(n + 1), Unit: "shot", Message: "added " + s.name})
	}
}

// rest waits a moment, so that shots which end at once, whatever the reason, do
// not become a flood.
func (d *demo) rest(ctx, over context.Context) error {
	timer := time.NewTimer(d.scale.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-over.Done():
		return over.Err()
	}
	return checkpoint(ctx)
}

// closing returns what the dailies end with after err: the cancel when there is one,
// nothing when only the demo is over or the dispatcher closed, else err.
func closing(ctx, over context.Context, err error) error {
	if cancel := checkpoint(ctx); cancel != nil {
		return cancel
	}
	if over.Err() != nil || errors.Is(err, core.ErrClosed) {
		return nil
	}
	return err
}
