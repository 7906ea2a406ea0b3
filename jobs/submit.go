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

// Submit queues a command and returns its record; with Frames, a parent and one
// child for each chunk of the range, and the record is the parent's. ctx only
// bounds the call: the job runs in a context of the dispatcher's own. The error
// wraps [core.ErrInvalid], and names the field and the fix, or [core.ErrClosed].
func (d *Dispatcher) Submit(ctx context.Context, s core.Submission) (*core.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.submitAny(s)
}

// submitAny queues what can be submitted from outside.
func (d *Dispatcher) submitAny(s core.Submission, also ...onAdd) (*core.Job, error) {
	if s.Frames != nil {
		return d.submitFrames(s, also...)
	}
	if s.Retries != 0 {
		return nil, invalid("retries", "%d without frames; only the chunks of a range are tried again, leave it out", s.Retries)
	}
	asked := s
	runnerOf, err := d.prepare(&s)
	if err != nil {
		return nil, err
	}
	return d.submit(s, runnerOf, append([]onAdd{keepAgain(asked)}, also...)...)
}

// prepare fills in what a submission leaves to its command, and returns what
// makes the runner of a job of it.
func (d *Dispatcher) prepare(s *core.Submission) (func(core.JobID) (Runner, error), error) {
	if s.Script != nil {
		return d.prepareScript(s)
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
	return func(id core.JobID) (Runner, error) {
		o := d.commandOptions(s, id)
		o.Argv = slices.Clone(s.Command)
		c, err := runner.NewCommand(o)
		if err != nil && !errors.Is(err, core.ErrInvalid) {
			err = fmt.Errorf("%w: %w", core.ErrInvalid, err)
		}
		return c, err
	}, nil
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
	case s.Frames != nil:
		return nil, invalid("frames", "given with a Go function; use Submit for a command")
	}
	if s.Kind == "" {
		s.Kind = "go"
	}
	return d.submit(s, func(core.JobID) (Runner, error) { return runner.NewFunc(f), nil })
}

// submit queues one job. What else is to be done to it, or stands against it, is
// for also: it is called under the mutex, before the job is known.
func (d *Dispatcher) submit(s core.Submission, runnerOf func(core.JobID) (Runner, error), also ...onAdd) (*core.Job, error) {
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
	w := newWork(&s, run, &d.opts)
	job := record(&s, id, d.opts.Host, w.slots, run)

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closing {
		return nil, core.ErrClosed
	}
	if err := d.adopt(w, id, &s); err != nil {
		return nil, err
	}
	e := &entry{work: w}
	for _, f := range also {
		if err := f(e, &job); err != nil {
			w.token.Detach()
			return nil, err
		}
	}
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
func (d *Dispatcher) adopt(w *work, id core.JobID, s *core.Submission) error {
	w.token = core.NewCancelToken(id)
	parent := s.Parent
	if parent == "" {
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
	if s.NotCancellable == "" { // else its parent's cancel must not reach it
		w.token = p.work.token.NewChild(id)
	}
	return nil
}

// record is the first record of a job.
func record(s *core.Submission, id core.JobID, host string, slots int, run Runner) core.Job {
	return core.Job{
		ID:             id,
		Name:           cut(s.Name, maxName),
		Kind:           cut(s.Kind, maxWord),
		State:          core.Pending,
		User:           cut(s.By.User, maxName),
		Host:           host,
		DCC:            cut(s.DCC, maxWord),
		Parent:         s.Parent,
		Priority:       s.Priority,
		Labels:         maps.Clone(s.Labels),
		Slots:          slots,
		Command:        commandOf(s, run),
		Dir:            s.Dir,
		CreatedAt:      now(),
		StopsBy:        run.StopsBy(),
		NotCancellable: cut(s.NotCancellable, maxReason),
	}
}
