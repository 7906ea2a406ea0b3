package tui

import (
	"time"

	"dcctop/core"
)

// The keys that a dialog may offer. Nothing else is ever a yes.
const (
	keyYes   = "y"
	keyPart  = "u" // only what did not complete
	keyForce = "!"
)

// dialog is a question that holds the ids it is about, pinned when it opened.
type dialog interface {
	// guarded is what judges its keys.
	guarded() *guard
	// offers reports whether the dialog has a use for a key now. Every other
	// key declines.
	offers(key string, x *index) bool
	// choices is those keys, and what every other one does.
	choices(k talker, x *index) (all []choice, rest string)
	// draw draws it, at most w by h.
	draw(t *theme, k talker, x *index, now time.Time, w, h int) []string
}

// pinned is a job as it was when the dialog opened.
type pinned struct {
	id   core.JobID
	kin  kin
	over bool // had ended already
	hid  bool // the filter did not show it
}

// confirm asks whether to cancel. It holds ids, pinned when it opened; only a
// fresh press of y is yes. For jobs that were asked already it offers what can
// still be done.
type confirm struct {
	guard
	jobs   []pinned
	reason string
	none   string // why nothing can be asked: it only takes what is typed
}

func (c *confirm) guarded() *guard { return &c.guard }

func (c *confirm) offers(key string, x *index) bool {
	return key == keyYes || key == keyForce && len(c.killable(x)) > 0
}

// fates splits pinned ids by what a cancel would do to them now.
type fates struct {
	live    []core.JobID // can be asked
	ended   []core.JobID
	refused []core.JobID // nobody may cancel them
}

func (c *confirm) fates(x *index) fates {
	var f fates
	for _, p := range c.jobs {
		j := x.get(p.id)
		switch {
		case p.over || j != nil && j.State.Terminal():
			f.ended = append(f.ended, p.id)
		case j != nil && refusal(j) != "":
			f.refused = append(f.refused, p.id)
		default:
			f.live = append(f.live, p.id)
		}
	}
	return f
}

// hidden counts the jobs that can be asked and were not on the list.
func (c *confirm) hidden(live []core.JobID) int {
	n, i := 0, 0
	for _, p := range c.jobs { // live is in the same order
		if i < len(live) && live[i] == p.id {
			i++
			if p.hid {
				n++
			}
		}
	}
	return n
}

// again reports whether every job that is left was asked already.
func (c *confirm) again(x *index, live []core.JobID) bool {
	for _, id := range live {
		if j := x.get(id); j == nil || j.State != core.Cancelling {
			return false
		}
	}
	return len(live) > 0
}

// killable is the jobs of which there is something to kill, where all were
// asked already: before that nothing is forced.
func (c *confirm) killable(x *index) []core.JobID {
	if !c.again(x, c.fates(x).live) {
		return nil
	}
	var out []core.JobID
	for _, p := range c.jobs {
		if j := x.get(p.id); j != nil && j.State == core.Cancelling && (p.kin.kills || killable(j)) {
			out = append(out, p.id)
		}
	}
	return out
}
