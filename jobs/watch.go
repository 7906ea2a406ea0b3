package jobs

import (
	"context"
	"iter"
	"time"

	"dcctop/core"
)

// Watch returns the live feed of this dispatcher. Ranging over it registers a
// watcher and takes its first update in one step: a snapshot, or the change
// since a position of this dispatcher among resume where that can still be
// told whole. Then come changes, each starting where the last update ended.
//
// Changes are merged per job for as long as the Flush option says, and no
// longer than the reader takes; those that a cancel caused are not held back.
// A reader that is slow gets fewer, larger changes, and delays nobody.
//
// The sequence ends with the error of ctx when that ends, with one that wraps
// [core.ErrClosed] after the last change of a dispatcher that was shut down, or
// when the reader breaks.
func (d *Dispatcher) Watch(ctx context.Context, resume ...core.Position) iter.Seq2[core.Update, error] {
	return func(yield func(core.Update, error) bool) {
		d.mu.Lock()
		w, first := d.reg.attach(resume)
		d.mu.Unlock()
		defer func() {
			d.mu.Lock()
			d.reg.detach(w)
			d.mu.Unlock()
		}()
		if !yield(first, nil) {
			return
		}
		for {
			end := d.pause(ctx, w, time.Now())
			if end != nil && end != core.ErrClosed {
				yield(core.Update{}, end)
				return
			}
			d.mu.Lock()
			c := d.reg.take(w)
			d.mu.Unlock()
			if c != nil {
				inOrder(c)
				if !yield(core.Update{Change: c}, nil) {
					return
				}
			}
			if end != nil {
				yield(core.Update{}, end)
				return
			}
		}
	}
}

// pause returns nil when there is something to tell: at once if it is urgent,
// else when the time to merge, counted from the last update, is over.
func (d *Dispatcher) pause(ctx context.Context, w *watcher, last time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-d.closed:
		return core.ErrClosed
	case <-w.wake:
	}
	merge := time.NewTimer(d.opts.Flush - time.Since(last))
	defer merge.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-d.closed:
		return core.ErrClosed
	case <-w.hurry:
	case <-merge.C:
	}
	return nil
}
