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

// logPiece is the most that one call of Log returns.
const logPiece = 64 << 10

// Log returns the output of a job from an offset on, in pieces of at most 64
// KiB. Where the output from there is no longer kept the piece starts later, as
// its From says. A job that has printed nothing gives an empty piece. The error
// wraps [core.ErrNotFound] or [core.ErrInvalid].
func (d *Dispatcher) Log(ctx context.Context, id core.JobID, from int64) (core.LogChunk, error) {
	if err := ctx.Err(); err != nil {
		return core.LogChunk{}, err
	}
	if from < 0 {
		return core.LogChunk{}, invalid("from", "%d is below 0; give the offset to read from, 0 for the start", from)
	}
	d.mu.Lock()
	e, err := d.find(id)
	if err != nil {
		d.mu.Unlock()
		return core.LogChunk{}, err
	}
	log, over := e.log, e.job.State.Terminal()
	d.mu.Unlock()

	chunk := core.LogChunk{ID: id, End: over}
	if log == nil {
		return chunk, nil
	}
	chunk.Data, chunk.Next = log.Read(from)
	chunk.From = chunk.Next - int64(len(chunk.Data))
	if len(chunk.Data) > logPiece {
		chunk.Data = chunk.Data[:logPiece]
		chunk.Next = chunk.From + logPiece
		chunk.End = false
	}
	return chunk, nil
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
