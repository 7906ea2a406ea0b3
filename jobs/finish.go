package jobs

import (
	"encoding/json"
	"maps"

	"dcctop/core"
)

// put replaces the record of e, and keeps the counts of its parent right when
// its state moves. The caller holds the mutex.
func (d *Dispatcher) put(e *entry, j core.Job, urgent bool) {
	old := e.job.State
	d.reg.put(e, j, urgent)
	if f := e.chunkOf(); f != nil {
		f.note(e.again.nth, e)
	}
	if w := e.work; w != nil && w.parent != nil && old != j.State {
		d.countChild(w.parent, old, j.State, urgent)
	}
}

// countChild moves one child of parent from a state to another; no state counts
// as none. The caller holds the mutex.
func (d *Dispatcher) countChild(parent *entry, from, to core.State, urgent bool) {
	j := *parent.job
	j.Children = maps.Clone(j.Children)
	if j.Children == nil {
		j.Children = make(map[core.State]int, 2)
	}
	if from != "" {
		if j.Children[from]--; j.Children[from] == 0 {
			delete(j.Children, from)
		}
	}
	j.Children[to]++
	if f := parent.parentOf(); f != nil && f.tries != nil {
		p := f.progress()
		j.Progress = &p
	}
	d.reg.put(parent, j, urgent)
}

// conclude ends a job whose work has returned and whose descendants are over; j
// is its record so far. The caller holds the mutex.
func (d *Dispatcher) conclude(e *entry, j core.Job, l *later) {
	w := e.work
	if f := e.parentOf(); f != nil && f.tries != nil {
		w.end.Err = f.outcome(w.end.Err)
	}
	w.end.seen = w.seenAt() != 0
	v := judge(e.job.State, w.by(), w.why, *w.end, w.reached)
	j.Error = cut(v.text, maxError)
	if value := w.value(); len(value) <= maxResult && json.Valid(value) {
		j.Result = value
	}
	if j.Cancellation != nil {
		c := *j.Cancellation
		c.Late = v.late
		j.Cancellation = &c
	}
	d.finish(e, v.event, j, l)
}

// finish moves e to the terminal state that event leads to; j is its record but
// for what that implies. It does nothing when the event cannot happen. The
// caller holds the mutex.
func (d *Dispatcher) finish(e *entry, event core.Event, j core.Job, l *later) {
	next, ok := e.job.State.Next(event)
	if !ok || !next.Terminal() || e.work == nil {
		return
	}
	w := e.work
	j.State = next
	j.FinishedAt = now()
	j.DeafSince = 0
	j.Left = nil
	if at := w.lastCheck(); at != 0 {
		j.LastCheckpointAt = at
	}
	if j.Cancellation != nil {
		c := *j.Cancellation
		c.StoppedAt = j.FinishedAt
		c.NextStepAt = 0
		c.SeenAt = w.seenAt()
		j.Cancellation = &c
	}
	d.put(e, j, j.Cancellation != nil)

	d.queue.remove(e)
	l.add(w.token.Detach)
	l.add(e.closeLog)
	close(w.done)
	delete(d.channels, w.key)
	e.work = nil
	if f := e.parentOf(); f != nil {
		f.close()
	}
	if j.Parent != "" && (next == core.Completed || next == core.Cancelled) {
		d.chunks = append(d.chunks, e)
	} else {
		d.finished = append(d.finished, e)
	}
	d.purge(l)
	if w.parent != nil {
		stopped := next == core.Cancelled || next == core.Interrupted || j.Cancellation != nil && !j.Cancellation.Late
		d.leave(w, stopped, l)
	}
}

// leave takes a job that is over from its parent, which may be over with it.
// Stopped says that it did not end of its own. The caller holds the mutex.
func (d *Dispatcher) leave(w *work, stopped bool, l *later) {
	p := w.parent.work
	last := len(p.kids) - 1
	if w.nth != last {
		p.kids[w.nth] = p.kids[last]
		p.kids[w.nth].work.nth = w.nth
	}
	p.kids[last] = nil
	p.kids = p.kids[:last]
	if stopped && w.parent.job.State == core.Cancelling {
		p.reached = true
	}
	if p.end != nil && len(p.kids) == 0 {
		d.conclude(w.parent, *w.parent.job, l)
	}
}

// purge forgets the oldest finished jobs beyond those that are kept. Children
// that completed or were cancelled go first: one large range must not cost
// everybody's history, nor its own failures. A finished job has no live
// descendant, since it would not have finished. The caller holds the mutex.
func (d *Dispatcher) purge(l *later) {
	extra := len(d.finished) + len(d.chunks) - d.opts.Retain
	for _, queue := range []*[]*entry{&d.chunks, &d.finished} {
		for extra > 0 && len(*queue) > 0 {
			e := (*queue)[0]
			(*queue)[0] = nil
			*queue = (*queue)[1:]
			d.reg.drop(e)
			l.add(e.dropLog)
			extra--
		}
	}
}
