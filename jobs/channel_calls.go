package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"dcctop/core"
)

// Whose returns the id of the job whose token it is. The errors of this and the
// following methods wrap [core.ErrForbidden] for a token that is no job's,
// [core.ErrEnded] where the job's own work has ended, [core.ErrTooMany] when it
// calls too often, and [core.ErrInvalid].
func (d *Dispatcher) Whose(token string) (core.JobID, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.channels[keyOf(token)]
	if token == "" || e == nil || e.work == nil {
		return "", fmt.Errorf("token: %w: it is of no job that runs; it ends with its job", core.ErrForbidden)
	}
	return e.job.ID, nil
}

// Checkpoint notes when the work of a job last looked at its token: age ago. A
// seenAge says how long ago a look first saw the cancel. Ages and not times,
// so that the clock of whoever looks does not matter.
func (d *Dispatcher) Checkpoint(token string, age time.Duration, seenAge *time.Duration) error {
	if age < 0 {
		return invalid("age_ms", "%d is below 0; give how long ago the last check was", age.Milliseconds())
	}
	if seenAge != nil && *seenAge < 0 {
		return invalid("seen_age_ms", "%d is below 0; give how long ago the cancel was first seen", seenAge.Milliseconds())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	e, w, err := d.caller(token)
	if err != nil {
		return err
	}
	at := now()
	w.checked = max(w.checked, e.job.StartedAt, at.Add(-min(age, maxTime)))
	if seenAge == nil || w.seen != 0 {
		return nil
	}
	c := e.job.Cancellation
	if c == nil {
		return invalid("seen_age_ms", "no cancel was asked for; leave it out")
	}
	w.seen = max(c.RequestedAt, at.Add(-min(*seenAge, maxTime)))
	d.amend(e, w, func(c *core.Cancellation) { c.SeenAt = w.seen })
	return nil
}

// Report notes how far the work of a job says it is. What is read from its
// output no longer counts then.
func (d *Dispatcher) Report(token string, p core.Progress) error {
	if _, ok := cleanProgress(p); !ok {
		return invalid("current", "not a number; give finite numbers")
	}
	d.mu.Lock()
	e, w, err := d.caller(token)
	if err == nil {
		w.spoken = true
	}
	d.mu.Unlock()
	if err != nil {
		return err
	}
	(&sink{d: d, e: e, w: w}).tell(p, true)
	return nil
}

// SetResult notes what the work of a job returns, a JSON object. A result that a
// script prints goes before it. A second one is refused with an error that wraps
// [core.ErrRepeated].
func (d *Dispatcher) SetResult(token string, result json.RawMessage) error {
	result = bytes.TrimSpace(result)
	switch {
	case len(result) > maxResult:
		return invalid("result", "%d bytes long; give at most %d, or the name of a file", len(result), maxResult)
	case !json.Valid(result) || result[0] != '{':
		return invalid("result", "not a JSON object; give one")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	e, w, err := d.caller(token)
	if err != nil {
		return err
	}
	if w.result != nil {
		return fmt.Errorf("result of job %s: %w; a job has one", e.job.ID, core.ErrRepeated)
	}
	w.result = slices.Clone(result)
	if o, ok := w.run.(interface{ Offer(json.RawMessage) }); ok {
		o.Offer(w.result)
	}
	return nil
}

// SubmitChild queues a job below the one whose token it is, as its user. Errors
// are also those of [Dispatcher.Submit].
func (d *Dispatcher) SubmitChild(ctx context.Context, token string, s core.Submission) (*core.Job, error) {
	if s.Parent != "" {
		return nil, invalid("parent", "it is the job that submits; leave it out")
	}
	d.mu.Lock()
	e, _, err := d.caller(token)
	if err == nil {
		s.Parent = e.job.ID
		s.By = core.Actor{User: e.job.User, Host: e.job.Host}
	}
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return d.Submit(ctx, s)
}
