package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dcctop/core"
)

// Shutdown ends the dispatcher: nothing is submitted or started any more, what
// waits is interrupted, and running jobs are asked to stop, with their grace.
// When ctx ends first, processes are killed, and a Go function that does not
// stop is left behind: the error, which wraps that of ctx, names the jobs. All
// jobs are terminal when Shutdown returns.
//
// It may be called more than once and from several goroutines: each call waits
// for the end, or returns the error of its own ctx. Get, List, Log, Wait and
// Cancel go on answering afterwards.
func (d *Dispatcher) Shutdown(ctx context.Context) error {
	d.mu.Lock()
	if d.closing {
		d.mu.Unlock()
		select {
		case <-d.closed:
			return d.ending
		case <-ctx.Done():
			return fmt.Errorf("shut down: %w", ctx.Err())
		}
	}
	d.closing = true
	var l later
	d.cancelAll(&l)
	d.noteIdle()
	d.mu.Unlock()
	l.run()

	var left []string
	select {
	case <-d.idle:
	case <-ctx.Done():
		d.killAll()
		left = d.giveUp()
	}
	close(d.stop)
	<-d.stopped
	if err := d.guard.Close(); err != nil {
		d.ending = fmt.Errorf("shut down: close the guard of processes: %w", err)
	}
	if len(left) > 0 {
		d.ending = fmt.Errorf("shut down: did not stop: %s: %w", strings.Join(left, ", "), ctx.Err())
	}
	close(d.closed)
	return d.ending
}

// cancelAll asks every job to stop, from the roots down. The caller holds the
// mutex.
func (d *Dispatcher) cancelAll(l *later) {
	o := &order{why: why{
		cause:  core.ErrClosed,
		by:     core.Actor{User: byDispatcher, Host: d.opts.Host},
		reason: core.ErrClosed.Error(),
	}}
	for _, e := range slices.Clone(d.reg.order) {
		if e != nil && e.work != nil {
			d.cancelTree(e, o, l)
		}
	}
}

// killAll kills what can be killed, and waits until it is gone, at most for the
// time that a kill is given.
func (d *Dispatcher) killAll() {
	d.mu.Lock()
	running := make(map[*work]*entry, len(d.active))
	for w, e := range d.active {
		if hasProcess(w.run) {
			running[w] = e
		}
	}
	d.mu.Unlock()
	bound := time.NewTimer(d.opts.KillAfter)
	defer bound.Stop()
	for w, e := range running {
		if w.run.Stop(core.StepKill) {
			d.noteStep(e, w, core.StepKill)
		}
	}
	for w := range running {
		select {
		case <-w.gone:
		case <-bound.C:
			return
		}
	}
}

// giveUp ends the record of every job that is still there, children first, and
// returns their ids.
func (d *Dispatcher) giveUp() []string {
	var left []string
	var l later
	d.mu.Lock()
	for w, e := range d.active {
		if e.work == w {
			left = append(left, string(e.job.ID))
		}
	}
	// A child is submitted after its parent.
	for _, e := range slices.Backward(slices.Clone(d.reg.order)) {
		if e != nil && e.work != nil {
			d.finish(e, core.EventShutdown, *e.job, &l)
		}
	}
	d.mu.Unlock()
	l.run()
	slices.Sort(left)
	return left
}
