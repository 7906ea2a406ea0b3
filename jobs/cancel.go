package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dcctop/core"
)

// Cancel asks jobs and all their descendants to stop. Each job that is named
// gets exactly one answer, in the order asked; an id that is named twice counts
// once. When Cancel returns, the token of every accepted job is set and a job
// that waited is cancelled; whether running work stops is for the feed to tell.
//
// A job that another cancel has reached already keeps who asked first. Asking
// again may shorten its grace and, with Force, takes the next step of the
// ladder at once; it never gives more time.
//
// A repeat of a command, by its id and actor, gets the answers of the first and
// does nothing; the last 1024 commands are remembered. ctx bounds only the wait
// for that: a cancel once begun is carried through. The error wraps
// [core.ErrInvalid].
func (d *Dispatcher) Cancel(ctx context.Context, r core.CancelRequest) ([]core.CancelOutcome, error) {
	if err := checkCancel(&r); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.CommandID == "" {
		return d.cancel(&r), nil
	}
	key := command{by: r.By, id: r.CommandID}
	d.mu.Lock()
	a, repeat := d.answers.open(key)
	d.mu.Unlock()
	if repeat {
		select {
		case <-a.given:
			return slices.Clone(a.outcomes), nil
		case <-ctx.Done():
			return nil, fmt.Errorf("answers to command %q: %w", r.CommandID, ctx.Err())
		}
	}
	outcomes := d.cancel(&r)
	d.mu.Lock()
	d.answers.settle(a, outcomes)
	d.mu.Unlock()
	return slices.Clone(outcomes), nil
}

// atOnce is how many jobs are cancelled without giving the mutex to others.
const atOnce = 256

func (d *Dispatcher) cancel(r *core.CancelRequest) []core.CancelOutcome {
	order := &order{
		why:     why{cause: core.ErrCancelled, by: r.By, reason: cut(r.Reason, maxReason)},
		force:   r.Force,
		reached: make(map[*entry]struct{}),
	}
	if r.GraceMS != nil {
		grace := time.Duration(*r.GraceMS) * time.Millisecond
		order.grace = &grace
	}
	targets := d.targets(r.IDs)
	outcomes := make([]core.CancelOutcome, 0, len(targets))
	for chunk := range slices.Chunk(targets, atOnce) {
		var l later
		d.mu.Lock()
		for _, t := range chunk {
			outcomes = append(outcomes, d.cancelOne(t, order, &l))
		}
		d.schedule()
		d.mu.Unlock()
		l.run()
	}
	return outcomes
}

// target is a job as it was named, and what was known under that name when the
// command came in; nil for nothing.
type target struct {
	id core.JobID
	e  *entry
}

func (d *Dispatcher) targets(ids []core.JobID) []target {
	named := make(map[core.JobID]struct{}, len(ids))
	targets := make([]target, 0, len(ids))
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range ids {
		if _, ok := named[id]; ok {
			continue
		}
		named[id] = struct{}{}
		targets = append(targets, target{id, d.reg.byID[id]})
	}
	return targets
}

// cancelOne carries out an order for one job and answers. The caller holds the
// mutex.
func (d *Dispatcher) cancelOne(t target, o *order, l *later) core.CancelOutcome {
	out := core.CancelOutcome{ID: t.id}
	e := t.e
	if e == nil {
		out.Answer = core.Unknown
		return out
	}
	if _, ok := o.reached[e]; ok { // with its parent, by this very order
		out.Answer, out.State = core.Accepted, e.job.State
		return out
	}
	switch {
	case e.work == nil:
		out.Answer, out.State = core.AlreadyFinished, e.job.State
	case protected(e.job):
		out.Answer, out.Why = core.NotCancellable, e.job.NotCancellable
	case e.job.State == core.Cancelling:
		c := e.job.Cancellation
		out.Answer, out.By, out.At = core.AlreadyRequested, c.By, c.RequestedAt
		d.press(e, o)
	default:
		d.cancelTree(e, o, l)
		out.Answer, out.State = core.Accepted, e.job.State
	}
	return out
}
