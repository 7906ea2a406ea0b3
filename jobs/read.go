package jobs

import (
	"context"
	"fmt"

	"dcctop/core"
)

// Get returns the record of a job, or an error that wraps [core.ErrNotFound].
func (d *Dispatcher) Get(ctx context.Context, id core.JobID) (*core.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	e, err := d.find(id)
	if err != nil {
		return nil, err
	}
	return e.job, nil
}

// List returns the record of every job, in order of submission.
func (d *Dispatcher) List() []*core.Job {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reg.jobs()
}

// Wait returns the record of a job once it is terminal, and earlier only with
// the error of ctx or one that wraps [core.ErrNotFound].
func (d *Dispatcher) Wait(ctx context.Context, id core.JobID) (*core.Job, error) {
	d.mu.Lock()
	e, err := d.find(id)
	if err != nil {
		d.mu.Unlock()
		return nil, err
	}
	over := closedChannel()
	if e.work != nil {
		over = e.work.done
	}
	d.mu.Unlock()
	select {
	case <-over:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for job %s: %w", id, ctx.Err())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return e.job, nil
}

// find returns a job that is known. The caller holds the mutex.
func (d *Dispatcher) find(id core.JobID) (*entry, error) {
	if e := d.reg.byID[id]; e != nil {
		return e, nil
	}
	return nil, fmt.Errorf("job %q: %w", cut(string(id), 64), core.ErrNotFound)
}

func closedChannel() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
