package jobs

import (
	"context"
	"fmt"
	"slices"

	"dcctop/core"
)

// Rerun submits what a job was submitted with again, as a new job with the label
// rerun_of, and returns its record. Of a range of frames OnlyUnfinished takes the
// chunks whose last try, here or alone, did not complete. A chunk can be run again by
// itself: it counts for its range, under whose parent it is as long as that
// lives. Any other job is put back under its parent only if that still lives.
//
// Nothing is started while the job, or an earlier rerun of it, has not ended:
// two copies would write the same files. The error then wraps
// [core.ErrNotEnded]. Otherwise it wraps [core.ErrNotFound], [core.ErrInvalid]
// where there is nothing to run again, or what Submit's does.
func (d *Dispatcher) Rerun(ctx context.Context, r core.RerunRequest) (*core.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	e, err := d.find(r.ID)
	if err == nil {
		err = d.mayRerun(e)
	}
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	// What was looked at above is looked at again when the job is added.
	mark := func(e2 *entry, j *core.Job) error {
		if err := d.mayRerun(e); err != nil {
			return err
		}
		label(j, labelRerun, string(r.ID))
		j.User = cut(r.By.User, maxName)
		if e.chunkOf() == nil {
			e2.again.line = e.again.line
			e2.again.line.newest = e2
		}
		return nil
	}
	if f := e.chunkOf(); f != nil {
		if r.OnlyUnfinished {
			return nil, notARange(r.ID)
		}
		return f.rerun(e.again.nth, e.again.chunk, mark)
	}
	s := *e.again.asked
	s.By = r.By
	if r.OnlyUnfinished {
		f := e.parentOf()
		if f == nil {
			return nil, notARange(r.ID)
		}
		if s.Frames, err = f.unfinished(); err != nil {
			return nil, err
		}
	}
	s.Parent = d.livingParent(s.Parent)
	return d.submitAny(s, mark)
}

func notARange(id core.JobID) error {
	return invalid("only_unfinished", "job %s has no range of frames; leave it out to run the whole job again", id)
}

// mayRerun returns why a job cannot be run again now. The caller holds the
// mutex.
func (d *Dispatcher) mayRerun(e *entry) error {
	j := e.job
	switch {
	case e.work != nil:
		return fmt.Errorf("job %s is %s: %w; cancel it or wait until it has stopped, nothing was started", j.ID, j.State, core.ErrNotEnded)
	case e.again == nil:
		return invalid("id", "job %s is a Go function; only what was submitted as a command or a script can be run again", j.ID)
	}
	f := e.chunkOf()
	if f == nil {
		if n := e.again.line.newest; n.work != nil {
			return runsAgain("job "+string(j.ID), n)
		}
		for _, other := range e.again.line.alone {
			return runsAgain("a chunk of job "+string(j.ID), other)
		}
		return nil
	}
	if f.tries != nil { // its range lives, and may try it again itself
		if p := f.parent.job; p.State == core.Cancelling {
			return fmt.Errorf("job %s, of which this is a chunk, is cancelling: %w; wait until it has stopped, nothing was started", p.ID, core.ErrNotEnded)
		}
		if f.tries[e.again.nth].state <= chunkLives {
			return fmt.Errorf("chunk %s is tried again under job %s: %w; wait until it is over, nothing was started", e.again.chunk, f.id, core.ErrNotEnded)
		}
		return nil
	}
	of := f.parent.again.line
	if of.newest.work != nil {
		return runsAgain("job "+string(f.id)+", of which this is a chunk,", of.newest)
	}
	if other := of.alone[e.again.chunk]; other != nil {
		return runsAgain("chunk "+e.again.chunk.String(), other)
	}
	return nil
}

func runsAgain(what string, as *entry) error {
	return fmt.Errorf("%s runs again as job %s, which is %s: %w; cancel that or wait until it has stopped, nothing was started",
		what, as.job.ID, as.job.State, core.ErrNotEnded)
}

// livingParent returns id if a child can be put under that job, else none.
func (d *Dispatcher) livingParent(id core.JobID) core.JobID {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.reg.byID[id]
	if e == nil || e.work == nil || e.job.State == core.Cancelling {
		return ""
	}
	return id
}

// unfinished is the range of the chunks that did not complete.
func (f *frames) unfinished() (*core.Frames, error) {
	f.d.mu.Lock()
	done := slices.Clone(f.done)
	f.d.mu.Unlock()
	all, _, err := cutFrames(*f.asked.Frames)
	if err != nil {
		return nil, err
	}
	var left []chunk
	for nth, c := range all {
		if !done.has(nth) {
			left = append(left, c)
		}
	}
	if len(left) == 0 {
		return nil, invalid("only_unfinished", "every chunk of job %s has completed; leave it out to run the whole range again", f.id)
	}
	size := f.asked.Frames.Chunk
	return &core.Frames{Range: rangeOf(left, size), Chunk: size}, nil
}

// rerun submits one chunk again, under its parent if that lives.
func (f *frames) rerun(nth int, c chunk, mark onAdd) (*core.Job, error) {
	for {
		parent := f.d.livingParent(f.id)
		j, err := f.submit(nth, c, parent, mark)
		if err != nil && parent != "" && f.d.livingParent(f.id) == "" {
			continue // it ended just now
		}
		return j, err
	}
}
