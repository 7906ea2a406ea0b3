package demo

import (
	"context"
	"time"

	"dcctop/core"
)

// budget is the part of the machine that the demo may burn: whoever computes
// holds one of its cores meanwhile, a slice of work at a time. Slots alone
// would not do. Where the budget is one core, a job that never ends would hold
// the only slot for minutes and no frame would be rendered; without a slot it
// would burn a second core that was to stay free. So the small jobs take no
// slot, and all jobs, small and big, take turns here. Waiters are served in the
// order in which they came.
type budget struct {
	cores chan struct{}
	rest  float64 // a small job rests this many times as long as it worked
}

// maxRest bounds the rest after one slice, so that a slice held up by a busy
// machine is not paid for with a long sleep.
const maxRest = 250 * time.Millisecond

// newBudget returns a budget of so many cores, in which a small job burns a
// tenth of one.
func newBudget(cores int) *budget {
	return &budget{cores: make(chan struct{}, cores), rest: 9}
}

// burn is a checkpoint and then a slice of work on one core. It returns the
// error of the checkpoint, having done nothing, when the job is cancelled
// before its turn has come.
func (b *budget) burn(ctx context.Context, work func()) error {
	if err := checkpoint(ctx); err != nil {
		return err
	}
	select {
	case b.cores <- struct{}{}:
	case <-ctx.Done():
		return checkpoint(ctx)
	}
	defer func() { <-b.cores }()
	work()
	return nil
}

// checkpoint returns the error of a cancel, or else of a context that has
// ended on its own.
func checkpoint(ctx context.Context) error {
	if err := core.CheckDCCCancelled(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// sip is a slice of a small job's work on one core, and a rest. It is no
// checkpoint. The rest is cut short when done closes; nil cuts nothing.
func (b *budget) sip(done <-chan struct{}, work func()) {
	rest := min(time.Duration(float64(b.hold(work))*b.rest), maxRest)
	if rest <= 0 {
		return
	}
	timer := time.NewTimer(rest)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-done:
	}
}

// hold does the work on one core and returns how long it took.
func (b *budget) hold(work func()) time.Duration {
	b.cores <- struct{}{}
	defer func() { <-b.cores }()
	start := time.Now()
	work()
	return time.Since(start)
}
