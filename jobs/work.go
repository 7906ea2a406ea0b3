package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// work is what a dispatcher needs of a job that is not over. The dispatcher's
// mutex guards what is not set once when it is made.
type work struct {
	token   *core.CancelToken
	run     Runner
	slots   int // goes to 0 when they are given back
	grace   time.Duration
	kill    time.Duration // from SIGTERM to SIGKILL, for work that had its grace before
	timeout time.Duration // 0: none
	done    chan struct{} // closed when the job is terminal

	// Made when the work starts.
	over chan struct{} // closed when Run has returned
	gone chan struct{} // closed when the goroutine that ran it is about to end
	kick chan struct{} // holds one when the ladder has changed

	parent  *entry
	nth     int      // index among the parent's kids
	kids    []*entry // children that are not over
	waiting []*entry // children that wait for this job to start
	place   int      // index in the queue; -1 when not in it

	returned bool          // Run has returned
	end      *ending       // how; nil until what follows from it is on the record
	why      *why          // why it was asked to stop; nil while it was not
	ladder   ladder        // what is left to do about it
	climbing chan struct{} // closed when the goroutine of the ladder has ended; nil when there is none
	reached  bool          // the cancel stopped a descendant

	channel

	said   time.Time      // when a progress was last published
	unsaid *core.Progress // the newest that is not; nil for none
}

func newWork(s *core.Submission, run Runner, o *Options) *work {
	w := &work{
		run:     run,
		slots:   1,
		grace:   o.Grace,
		kill:    o.KillAfter,
		timeout: time.Duration(s.TimeoutMS) * time.Millisecond,
		done:    make(chan struct{}),
		place:   -1,
	}
	if s.Slots != nil {
		w.slots = *s.Slots
	}
	if s.GraceMS != nil {
		w.grace = time.Duration(*s.GraceMS) * time.Millisecond
	}
	if s.KillAfterMS != nil {
		w.kill = time.Duration(*s.KillAfterMS) * time.Millisecond
	}
	return w
}

// enqueue lines e up, behind its parent where that has not started. The caller
// holds the mutex.
func (d *Dispatcher) enqueue(e *entry) {
	w := e.work
	switch {
	case w.parent != nil && w.parent.job.State == core.Pending:
		w.parent.work.waiting = append(w.parent.work.waiting, e)
	case w.slots == 0:
		d.start(e)
	default:
		d.queue.push(e)
	}
}

// schedule starts what fits. Nothing overtakes the head of the queue. The
// caller holds the mutex.
func (d *Dispatcher) schedule() {
	for !d.closing {
		e := d.queue.head()
		if e == nil || e.work.slots > d.free {
			return
		}
		d.queue.remove(e)
		d.start(e)
	}
}

// start runs e in a goroutine of its own. The caller holds the mutex.
func (d *Dispatcher) start(e *entry) {
	next, ok := e.job.State.Next(core.EventStart)
	if !ok {
		return
	}
	w := e.work
	w.over, w.gone, w.kick = make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
	d.free -= w.slots
	d.active[w] = e
	d.openChannel(e)
	e.log = d.newLog(e.job.ID)
	j := *e.job
	j.State = next
	j.StartedAt = now()
	d.put(e, j, false)
	d.task(func() { d.perform(e, w) })
	if w.timeout > 0 {
		d.task(func() { d.expire(e, w) })
	}
	waiting := w.waiting
	w.waiting = nil
	for _, kid := range waiting {
		if kid.work != nil {
			d.enqueue(kid)
		}
	}
}

var errLeft = errors.New("the work left its goroutine without returning")

// perform runs the work. Whatever it does, a panic or a runtime.Goexit
// included, the job gets its end.
func (d *Dispatcher) perform(e *entry, w *work) {
	defer close(w.gone)
	ctx, resetToken := core.WithCancelToken(context.Background(), w.token)
	ctx, resetJob := core.WithCurrentJob(ctx, w.token)
	w.token.Ask() // the first check is the first checkpoint
	res := runner.Result{Err: errLeft}
	defer func() {
		if v := recover(); v != nil {
			res = runner.Result{Err: fmt.Errorf("panic: %v", v)}
		}
		early := w.token.Cause() == nil
		resetJob()
		resetToken()
		d.finishRun(e, w, ending{Result: res, early: early})
	}()
	if c, ok := w.run.(channelled); ok {
		c.AddEnv(w.env...)
	}
	res = w.run.Run(ctx, &sink{d: d, e: e, w: w})
}

// finishRun takes note that the work of e has returned, and ends the job unless
// a descendant still lives.
func (d *Dispatcher) finishRun(e *entry, w *work, end ending) {
	d.mu.Lock()
	w.returned = true // no ladder is started from here on
	climbing := w.climbing
	d.mu.Unlock()
	close(w.over)
	if climbing != nil {
		<-climbing // its last step is then on the record
	}

	var l later
	d.mu.Lock()
	delete(d.active, w)
	d.free += w.slots
	w.slots = 0
	if e.work == w { // a shutdown may have given it up
		w.end = &end
		w.ladder = ladder{}
		if j := atRest(e); len(w.kids) == 0 {
			d.conclude(e, j, &l)
		} else {
			d.put(e, j, false)
		}
	}
	d.schedule()
	d.mu.Unlock()
	l.run()
}

// atRest is the record of a job whose work has ended, whether or not the job
// has: with what it said last, and nothing more to be done to it. The caller
// holds the mutex.
func atRest(e *entry) core.Job {
	w := e.work
	j := *e.job
	if w.unsaid != nil {
		j.Progress, w.unsaid = w.unsaid, nil
	}
	j.DeafSince = 0
	j.Left = nil
	j.Exit = w.end.Exit
	if j.Cancellation != nil && j.Cancellation.NextStepAt != 0 {
		c := *j.Cancellation
		c.NextStepAt = 0
		j.Cancellation = &c
	}
	return j
}
