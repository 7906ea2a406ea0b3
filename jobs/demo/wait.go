package demo

import (
	"context"
	"errors"
	"time"

	"dcctop/core"
)

// lookEvery is how often a job that only waits looks at its token, so that it is
// not taken for deaf.
const lookEvery = 500 * time.Millisecond

// wait returns the job once it has ended. The waiting job looks at its own
// token meanwhile; the error is that of a cancel, or over's own once that has
// ended.
func (d *demo) wait(ctx, over context.Context, id core.JobID) (*core.Job, error) {
	for {
		// A wait that ends with over is as prompt as one that ends with the job.
		short, cancel := context.WithTimeout(over, lookEvery)
		stop := context.AfterFunc(ctx, cancel)
		j, err := d.jobs.Wait(short, id)
		stop()
		cancel()
		if err == nil {
			return j, checkpoint(ctx)
		}
		if err := checkpoint(ctx); err != nil {
			return nil, err
		}
		if over.Err() != nil {
			return nil, over.Err()
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			return nil, err // it names the job
		}
	}
}
