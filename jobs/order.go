package jobs

import (
	"slices"
	"time"

	"dcctop/core"
)

// order is one command to stop jobs.
type order struct {
	why
	grace   *time.Duration // in place of the job's own
	force   bool
	reached map[*entry]struct{} // what it stopped; nil when nobody asks
}

// record is the cancellation that an order leaves on a job.
func (o *order) record() *core.Cancellation {
	return &core.Cancellation{
		By:          cut(o.by.User, maxName),
		From:        cut(o.by.Host, maxName),
		Reason:      o.reason,
		RequestedAt: now(),
		Step:        core.StepToken,
	}
}

// cancelTree asks e and its descendants to stop. The caller holds the mutex.
func (d *Dispatcher) cancelTree(e *entry, o *order, l *later) {
	w := e.work
	if w == nil || o.cause == core.ErrCancelled && protected(e.job) {
		return
	}
	if o.reached != nil {
		o.reached[e] = struct{}{}
	}
	switch e.job.State {
	case core.Pending: // and so is all below it
		d.cancelKids(w, o, l)
		d.cancelPending(e, o, l)
	case core.Running:
		d.cancelRunning(e, o, l)
		d.cancelKids(w, o, l)
	}
}

// protected reports whether j is at work that nobody may cancel. Its own
// timeout and a shutdown still end it.
func protected(j *core.Job) bool { return j.NotCancellable != "" && j.State == core.Running }

func (d *Dispatcher) cancelKids(w *work, o *order, l *later) {
	below := *o
	if o.cause == ErrTimedOut { // the child's own time is not over
		below.cause = core.ErrCancelled
		below.reason = "its parent " + o.reason
	}
	for _, kid := range slices.Clone(w.kids) {
		d.cancelTree(kid, &below, l)
	}
}

// cancelPending ends a job that was never started.
func (d *Dispatcher) cancelPending(e *entry, o *order, l *later) {
	token, cause := e.work.token, o.token(e.job.ID)
	l.add(func() { token.CancelCause(cause) })
	if o.cause == core.ErrClosed {
		d.finish(e, core.EventShutdown, *e.job, l)
		return
	}
	j := *e.job
	j.Cancellation = o.record()
	d.finish(e, core.EventCancel, j, l)
}

// cancelRunning asks running work to stop, or a job that only waits for its
// descendants.
func (d *Dispatcher) cancelRunning(e *entry, o *order, l *later) {
	next, ok := e.job.State.Next(core.EventCancel)
	if !ok {
		return
	}
	w := e.work
	y := o.why
	w.why = &y
	token, cause := w.token, y.token(e.job.ID)
	l.add(func() { token.CancelCause(cause) })

	j := *e.job
	j.State = next
	j.Cancellation = o.record()
	if !w.returned {
		grace := w.grace
		if o.grace != nil {
			grace = *o.grace
		}
		start := time.Now()
		w.ladder = newLadder(w.by(), hasProcess(w.run), start, grace, w.kill)
		if w.hopes {
			w.ladder.await(start.Add(attachWithin))
		}
		if o.force {
			w.ladder.force(start)
		}
		if at, ok := w.nextStep(start); ok {
			j.Cancellation.GraceMS = grace.Milliseconds()
			j.Cancellation.NextStepAt = core.At(at)
		}
		w.climbing = make(chan struct{})
		d.task(func() { d.climb(e, w) })
	}
	d.put(e, j, true)
}

// press is a further cancel of a job that is asked to stop already, and of what
// is below it.
func (d *Dispatcher) press(e *entry, o *order) {
	w := e.work
	if w == nil {
		return
	}
	start := time.Now()
	moved := false
	if o.grace != nil {
		moved = w.ladder.shorten(start, start.Add(*o.grace))
	}
	if o.force {
		moved = w.ladder.force(start) || moved
	}
	if moved {
		raise(w.kick)
		d.amend(e, w, func(c *core.Cancellation) {
			if o.grace != nil {
				c.GraceMS = min(c.GraceMS, start.Add(*o.grace).Sub(c.RequestedAt.Std()).Milliseconds())
			}
		})
	}
	for _, kid := range w.kids {
		d.press(kid, o)
	}
}

// hasProcess reports whether a runner has something to kill. One that stops by
// its token and has says so itself.
func hasProcess(run Runner) bool {
	if run.StopsBy() == core.StopsBySignal {
		return true
	}
	p, ok := run.(interface{ HasProcess() bool })
	return ok && p.HasProcess()
}
