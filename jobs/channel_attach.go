package jobs

import (
	"context"
	"fmt"
	"iter"
	"time"

	"dcctop/core"
)

// Attach is how a process listens for the cancel of its own job. While the range
// runs the job is attached: it stops by its token, which is to say that it is
// asked first and given its grace.
//
// The first value comes when that is so; it is zero where no cancel was asked
// for. The cancellation comes once, as soon as there is one. The sequence ends
// with an error: of ctx; one that wraps [core.ErrEnded] when the work has ended,
// [core.ErrClosed] when the dispatcher has; and before the first value, one that
// wraps [core.ErrForbidden] for a wrong token or [core.ErrTooMany].
//
// A job may be listened for by several processes at once. When the last range
// ends before the job, the job stays attached for five seconds more.
func (d *Dispatcher) Attach(ctx context.Context, token string) iter.Seq2[core.Cancellation, error] {
	return func(yield func(core.Cancellation, error) bool) {
		e, w, err := d.attach(token)
		if err != nil {
			yield(core.Cancellation{}, err)
			return
		}
		defer d.detach(e, w)
		cancelled := w.token.Done()
		var first core.Cancellation
		select {
		case <-cancelled:
			first, cancelled = d.cancellation(e), nil
		default:
		}
		for more := yield(first, nil); more; {
			select {
			case <-cancelled:
				cancelled = nil
				more = yield(d.cancellation(e), nil)
				continue
			case <-ctx.Done():
				err = ctx.Err()
			case <-w.over:
				err = fmt.Errorf("job %s: %w", w.token.JobID(), core.ErrEnded)
			case <-d.closed:
				err = core.ErrClosed
			}
			yield(core.Cancellation{}, err)
			return
		}
	}
}

// attach counts one more stream of the job whose token it is.
func (d *Dispatcher) attach(token string) (*entry, *work, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, w, err := d.caller(token)
	if err != nil {
		return nil, nil, err
	}
	if w.streams >= maxStreams {
		return nil, nil, fmt.Errorf("job %s: %w: it has %d streams open", e.job.ID, core.ErrTooMany, w.streams)
	}
	w.streams++
	w.hopes = false
	if w.back != nil {
		close(w.back)
		w.back = nil
	}
	if w.since != 0 {
		return e, w, nil
	}
	w.since = now()
	if w.ladder.attached() {
		raise(w.kick)
	}
	d.republish(e, w)
	return e, w, nil
}

// detach counts one less. After the last the job has some time to come back.
func (d *Dispatcher) detach(e *entry, w *work) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w.streams--; w.streams > 0 || w.returned || e.work != w {
		return
	}
	back := make(chan struct{})
	w.back, w.backBy = back, time.Now().Add(backWithin)
	d.amend(e, w, func(*core.Cancellation) {}) // SIGTERM may now come sooner
	d.task(func() {
		timer := time.NewTimer(backWithin)
		defer timer.Stop()
		select {
		case <-back:
		case <-w.over:
		case <-timer.C:
			d.lost(e, w, back)
		}
	})
}

// lost takes note that work no longer listens. A cancel under way goes on with
// SIGTERM.
func (d *Dispatcher) lost(e *entry, w *work, back chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w.back != back || w.returned || e.work != w {
		return
	}
	w.back = nil
	w.since = 0
	if at := time.Now(); w.ladder.asking() && w.ladder.shorten(at, at) {
		raise(w.kick)
	}
	d.republish(e, w)
}

// republish puts on the record how the work stops now, and what that means for
// a cancel under way. The caller holds the mutex.
func (d *Dispatcher) republish(e *entry, w *work) {
	j := *e.job
	j.StopsBy = w.by()
	if w.since == 0 {
		j.DeafSince = 0
	}
	d.put(e, j, j.Cancellation != nil)
	d.amend(e, w, func(*core.Cancellation) {})
}

// cancellation returns what is on the record of a job whose token is set.
func (d *Dispatcher) cancellation(e *entry) core.Cancellation {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := e.job.Cancellation; c != nil {
		return *c
	}
	return core.Cancellation{By: byDispatcher, From: d.opts.Host, RequestedAt: now(), Step: core.StepToken}
}
