package runner

import (
	"time"

	"dcctop/core"
)

// Stop is one step of the ladder: [core.StepTerm] asks every process of the job
// to end, [core.StepKill] ends it. It returns whether the step reached work that
// was alive. [core.StepToken] reaches no process.
//
// Before the start it returns true: the command is then never started, and Run
// returns a Result with Signalled true and no Exit.
//
// When the command has already ended by itself, reaped or not, it returns false
// and the Result stays that of a command nobody stopped: the cancel came too
// late. What such a command left behind is on its way out; StepKill hurries it.
//
// Once a step has reached the command, the time between the steps is the
// caller's: what is left of the group when the leader obeyed, and has a way of
// its own to end, is left to it until StepKill.
func (c *Command) Stop(step core.Step) bool {
	if step != core.StepTerm && step != core.StepKill {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	if c.proc == nil {
		c.signalled = true
		return true
	}
	late := !c.signalled && (c.gone || c.proc.exited())
	if step == core.StepKill {
		c.killing = true
	} else if late {
		return false
	}
	if late {
		c.proc.signal(step)
		return false
	}
	c.proc.tree = true
	if !c.proc.signal(step) {
		return false
	}
	c.signalled = true
	return true
}

// How often a group that outlives its leader is looked at.
const (
	pollFirst = time.Millisecond
	pollMost  = 20 * time.Millisecond
)

// waitGroup returns when nothing of the group is left. What a leader that ended
// by itself leaves behind is ended here; after a Stop, that is the caller's.
func (c *Command) waitGroup() {
	var killAt time.Time
	if !c.look(&killAt) { // as a rule
		return
	}
	poll := pollFirst
	timer := time.NewTimer(poll)
	defer timer.Stop()
	for {
		<-timer.C
		if !c.look(&killAt) {
			return
		}
		c.tellLeft()
		poll = min(2*poll, pollMost)
		timer.Reset(poll)
	}
}

// look reports whether something of the group is still alive, and does what is
// due about it. killAt is zero until what is left was asked to end.
func (c *Command) look(killAt *time.Time) (alive bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.proc.alive() {
		c.over = true
		c.proc.close()
		return false
	}
	switch {
	case c.killing:
		c.proc.signal(core.StepKill) // again, for what was started meanwhile
	case c.signalled:
		c.proc.remind()
	case killAt.IsZero():
		*killAt = time.Now().Add(c.o.KillAfter)
		c.proc.signal(core.StepTerm)
	case !time.Now().Before(*killAt):
		c.killing = true
		c.proc.signal(core.StepKill)
	}
	return true
}
