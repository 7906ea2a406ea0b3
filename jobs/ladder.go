package jobs

import (
	"time"

	"dcctop/core"
)

// ladder is what is left to do about a cancel: which step, and when. It is pure
// but for the dispatcher's mutex, which guards it.
//
// A plain process gets SIGTERM at once and SIGKILL when the grace is over. Work
// that looks at its token gets the grace for that first, then SIGTERM, then
// SIGKILL. For a Go function there is nothing to climb: nothing can kill it.
type ladder struct {
	rungs []rung // in order
	kills bool   // there is something to kill

	ends time.Time     // when the grace does
	kill time.Duration // from SIGTERM to SIGKILL after it
}

type rung struct {
	step core.Step
	at   time.Time
}

func newLadder(by core.StopsBy, kills bool, start time.Time, grace, killAfter time.Duration) ladder {
	if !kills {
		return ladder{}
	}
	l := ladder{kills: true, ends: start.Add(grace), kill: killAfter}
	l.rungs = []rung{{core.StepTerm, start}, {core.StepKill, l.ends}}
	if by == core.StopsByToken {
		l.afterGrace()
	}
	return l
}

func (l *ladder) afterGrace() {
	l.rungs = []rung{{core.StepTerm, l.ends}, {core.StepKill, l.ends.Add(l.kill)}}
}

// await puts off a SIGTERM that would go to a plain process at once, until a
// time by which it is known to be one, but not beyond its grace.
func (l *ladder) await(until time.Time) {
	if l.ends.Before(until) {
		until = l.ends
	}
	by := until.Sub(l.rungs[0].at)
	for i := range l.rungs {
		l.rungs[i].at = l.rungs[i].at.Add(by)
	}
}

// attached gives work that has come to listen the rest of its grace, where it
// was not sent SIGTERM yet. It reports whether anything moved.
func (l *ladder) attached() bool {
	if !l.asking() {
		return false
	}
	l.afterGrace()
	return true
}

// asking reports whether SIGTERM is still to come.
func (l *ladder) asking() bool { return len(l.rungs) > 0 && l.rungs[0].step == core.StepTerm }

// next returns the lowest step that is left.
func (l *ladder) next() (rung, bool) {
	if len(l.rungs) == 0 {
		return rung{}, false
	}
	return l.rungs[0], true
}

// pause returns the first step that is still to come at a time: what a person
// waits for.
func (l *ladder) pause(now time.Time) (rung, bool) {
	for _, r := range l.rungs {
		if r.at.After(now) {
			return r, true
		}
	}
	return rung{}, false
}

// due returns the steps whose time has come.
func (l *ladder) due(now time.Time) []core.Step {
	var steps []core.Step
	for _, r := range l.rungs {
		if !r.at.After(now) {
			steps = append(steps, r.step)
		}
	}
	return steps
}

// took notes that a step was taken at a time. Lower ones are then of no use, and
// higher ones come as long after it as they were to: a dispatcher that was held
// up takes nothing from the time that a process has to end.
func (l *ladder) took(step core.Step, now time.Time) {
	for i, r := range l.rungs {
		if r.step != step {
			continue
		}
		l.rungs = l.rungs[i+1:]
		if late := now.Sub(r.at); late > 0 {
			for k := range l.rungs {
				if l.rungs[k].at.After(r.at) { // a forced one is due at once
					l.rungs[k].at = l.rungs[k].at.Add(late)
				}
			}
		}
		return
	}
}

// shorten brings the steps to come forward so that the first of them is due at
// a time. It never puts one off. It reports whether anything moved.
func (l *ladder) shorten(now, at time.Time) bool {
	if at.Before(l.ends) {
		l.ends = at
	}
	first, ok := l.pause(now)
	if !ok || !at.Before(first.at) {
		return false
	}
	by := first.at.Sub(at)
	for i := range l.rungs {
		if l.rungs[i].at.After(now) {
			l.rungs[i].at = l.rungs[i].at.Add(-by)
		}
	}
	return true
}

// force makes the next step that is to come due now. At the top it repeats the
// last. It reports whether there is anything to do it to.
func (l *ladder) force(now time.Time) bool {
	if !l.kills {
		return false
	}
	if !l.shorten(now, now) && len(l.rungs) == 0 {
		l.rungs = []rung{{core.StepKill, now}}
	}
	return true
}
