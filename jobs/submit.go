package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// Submit queues a command and returns its record. ctx only bounds the call: the
// job runs in a context of the dispatcher's own. The error wraps
// [core.ErrInvalid], and names the field and the fix, or [core.ErrClosed].
func (d *Dispatcher) Submit(ctx context.Context, s core.Submission) (*core.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(s.Command) == 0 || s.Command[0] == "" {
		return nil, invalid("command", "empty; give the program and its arguments")
	}
	if s.Name == "" {
		s.Name = runner.NameOf(s.Command)
	}
	if s.Kind == "" {
		s.Kind = runner.KindOf(s.Command)
	}
	return d.submit(s, func(id core.JobID) (Runner, error) {
		c, err := runner.NewCommand(runner.CommandOptions{
			Argv:      slices.Clone(s.Command),
			Dir:       s.Dir,
			Env:       slices.Clone(s.Env),
			JobID:     id,
			Progress:  s.Progress,
			Guard:     d.guard,
			KillAfter: d.opts.KillAfter,
		})
		if err != nil && !errors.Is(err, core.ErrInvalid) {
			err = fmt.Errorf("%w: %w", core.ErrInvalid, err)
		}
		return c, err
	})
}

// SubmitFunc queues a Go function and returns the record of its job. It needs a
// name and takes no command. The function's context carries the job's token; a
// panic in it fails the job. Errors are those of [Dispatcher.Submit].
func (d *Dispatcher) SubmitFunc(s core.Submission, f runner.Func) (*core.Job, error) {
	switch {
	case f == nil:
		return nil, invalid("function", "nil; give one to run")
	case s.Name == "":
		return nil, invalid("name", "empty; a Go function needs one")
	case len(s.Command) > 0:
		return nil, invalid("command", "given with a Go function; use Submit for a command")
	}
	if s.Kind == "" {
		s.Kind = "go"
	}
	return d.submit(s, func(core.JobID) (Runner, error) { return runner.NewFunc(f), nil })
}

func (d *Dispatcher) submit(s core.Submission, runnerOf func(core.JobID) (Runner, error)) (*core.Job, error) {
	if err := checkSubmission(&s, d.opts.Slots); err != nil {
		return nil, err
	}
	d.mu.Lock()
	if d.closing {
		d.mu.Unlock()
		return nil, core.ErrClosed
	}
	id, err := d.ids.next(time.Now())
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	run, err := runnerOf(id) // looks for files, starts the guard: not under the mutex
	if err != nil {
		return nil, err
	}
	w := newWork(&s, run, d.opts.Grace)
	job := record(&s, id, d.opts.Host, w.slots, run.StopsBy())

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closing {
		return nil, core.ErrClosed
	}
	if err := d.adopt(w, id, s.Parent); err != nil {
		return nil, err
	}
	e := &entry{work: w}
	d.reg.add(e, job)
	if w.parent != nil {
		w.nth = len(w.parent.work.kids)
		w.parent.work.kids = append(w.parent.work.kids, e)
		d.countChild(w.parent, "", core.Pending, false)
	}
	d.enqueue(e)
	d.schedule()
	return e.job, nil
}

// adopt gives w its token and, where there is one, its parent. The caller holds
// the mutex, so that a cancel of the parent comes either before, and is seen
// here, or after, and reaches the child.
func (d *Dispatcher) adopt(w *work, id, parent core.JobID) error {
	if parent == "" {
		w.token = core.NewCancelToken(id)
		return nil
	}
	p := d.reg.byID[parent]
	switch {
	case p == nil:
		return invalid("parent", "no job %q; leave it out or give the id of a job that is not over", cut(string(parent), maxWord))
	case p.work == nil || p.job.State == core.Cancelling:
		return invalid("parent", "job %s is %s; give a job that is pending or running", parent, p.job.State)
	}
	w.parent = p
	w.token = p.work.token.NewChild(id)
	return nil
}

// record is the first record of a job.
func record(s *core.Submission, id core.JobID, host string, slots int, by core.StopsBy) core.Job {
	return core.Job{
		ID:        id,
		Name:      cut(s.Name, maxName),
		Kind:      cut(s.Kind, maxWord),
		State:     core.Pending,
		User:      cut(s.By.User, maxName),
		Host:      host,
		DCC:       cut(s.DCC, maxWord),
		Parent:    s.Parent,
		Priority:  s.Priority,
		Labels:    maps.Clone(s.Labels),
		Slots:     slots,
		Command:   slices.Clone(s.Command),
		Dir:       s.Dir,
		CreatedAt: now(),
		StopsBy:   by,
	}
}
