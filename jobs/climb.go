package jobs

import (
	"time"

	"dcctop/core"
)

// Between two tries of a step that reached nothing: the process was not there
// yet, or is just going.
const (
	retryFirst = 20 * time.Millisecond
	retryMost  = time.Second
)

// climb follows a cancel of running work until the work has returned: it sets
// the token, takes the steps of the ladder when they are due, and publishes
// that the cancel was seen.
func (d *Dispatcher) climb(e *entry, w *work) {
	defer close(w.climbing)
	w.token.CancelCause(w.why.token(w.token.JobID()))
	var seen <-chan struct{}
	if w.run.StopsBy() == core.StopsByToken {
		seen = w.token.Seen()
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	retry := retryFirst
	var notBefore time.Time
	for {
		d.mu.Lock()
		step, more := w.ladder.next()
		d.mu.Unlock()
		var due <-chan time.Time
		if more {
			timer.Reset(max(time.Until(step.at), time.Until(notBefore)))
			due = timer.C
		}
		select {
		case <-w.over:
			return
		case <-w.kick:
			notBefore = time.Time{}
		case <-seen:
			seen = nil
			d.noteSeen(e, w)
		case <-due:
			if d.takeDue(e, w) {
				retry = retryFirst
			} else {
				notBefore = time.Now().Add(retry)
				retry = min(2*retry, retryMost)
			}
		}
	}
}

// takeDue takes the steps that are due, in order, and reports whether one of them
// reached the work.
func (d *Dispatcher) takeDue(e *entry, w *work) bool {
	reached := false
	for tried := 0; ; {
		d.mu.Lock()
		steps := w.ladder.due(time.Now())
		d.mu.Unlock()
		if tried >= len(steps) {
			return reached
		}
		if w.run.Stop(steps[tried]) {
			// The next step has its own time from now on, also when this one was late.
			d.noteStep(e, w, steps[tried])
			reached, tried = true, 0
		} else {
			tried++
		}
	}
}

// noteStep puts a step that reached the work on the record, with the time of
// the next one.
func (d *Dispatcher) noteStep(e *entry, w *work, step core.Step) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.ladder.took(step, time.Now())
	d.amend(e, w, func(c *core.Cancellation) { c.Step = step })
}

func (d *Dispatcher) noteSeen(e *entry, w *work) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.amend(e, w, func(c *core.Cancellation) { c.SeenAt = w.seenAt() })
}

// amend publishes a change of a cancellation at once. The time of the next step
// follows the ladder. The caller holds the mutex.
func (d *Dispatcher) amend(e *entry, w *work, edit func(*core.Cancellation)) {
	if e.work != w || e.job.Cancellation == nil {
		return
	}
	j := *e.job
	c := *j.Cancellation
	edit(&c)
	c.NextStepAt = 0
	if at, ok := w.nextStep(time.Now()); ok {
		c.NextStepAt = core.At(at)
	}
	j.Cancellation = &c
	d.put(e, j, true)
}

// nextStep returns when the next step comes: that of the ladder, or sooner when
// the work has lost its link and may not be back in time. The caller holds the
// mutex.
func (w *work) nextStep(now time.Time) (time.Time, bool) {
	r, ok := w.ladder.pause(now)
	if ok && w.back != nil && w.ladder.asking() && w.backBy.Before(r.at) {
		return w.backBy, true
	}
	return r.at, ok
}
