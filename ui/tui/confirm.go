package tui

import (
	"fmt"
	"time"

	"dcctop/core"
)

// The times of a dialog.
const (
	// guardFor is how long a dialog takes no key after it opened or after a row
	// moved under the cursor.
	guardFor = 300 * time.Millisecond
	// holdFor is how long after a press the same key may still be held: the
	// longest usual wait before a keyboard begins to repeat.
	holdFor = 700 * time.Millisecond
	// repeatGap is the longest usual time between two repeats.
	repeatGap = 150 * time.Millisecond
)

// pinned is a job as it was when the dialog opened.
type pinned struct {
	id   core.JobID
	kin  kin
	over bool // had ended already
}

// confirm asks whether to cancel. It holds ids, pinned when it opened; only a
// fresh press of y is yes.
type confirm struct {
	jobs   []pinned
	hidden int // how many the filter does not show
	reason string
	opened time.Time
	opener string // the key that opened it
	moved  bool   // the list had just moved by itself
	lost   bool   // because the cursor's own job went away

	lastOpener time.Time // the last press of opener
	trial      time.Time // a y that may be a repeat, to be judged
	early      bool      // a y came too soon
}

// verdict is what a key means to a dialog.
type verdict int

const (
	nothing verdict = iota
	yes
	no
	judge // ask again after repeatGap
)

// press says what a key means. lastY is the last y before this one, on any
// screen; repeat is whether the terminal calls it a repeat.
func (c *confirm) press(key string, repeat bool, lastY, now time.Time) verdict {
	if key == c.opener {
		held := repeat || now.Sub(c.lastOpener) < holdFor
		c.lastOpener = now
		if held {
			return nothing
		}
	}
	if now.Sub(c.opened) < guardFor {
		c.early = c.early || key == "y"
		return nothing
	}
	if key != "y" {
		return no
	}
	since := now.Sub(lastY)
	switch {
	case repeat, !lastY.IsZero() && since < repeatGap:
		c.trial, c.early = time.Time{}, true
		return nothing
	case !lastY.IsZero() && since < holdFor+guardFor:
		c.trial = now // maybe the first repeat of a y held since then
		return judge
	}
	return yes
}

// judged says whether a doubtful y was a fresh one after all: nothing followed.
func (c *confirm) judged(now time.Time) bool {
	return !c.trial.IsZero() && now.Sub(c.trial) >= repeatGap
}

// open splits the pinned ids into those that can still be cancelled and those
// that have ended by now.
func (c *confirm) open(x *index) (live, ended []core.JobID) {
	for _, p := range c.jobs {
		if j := x.get(p.id); p.over || j != nil && j.State.Terminal() {
			ended = append(ended, p.id)
		} else {
			live = append(live, p.id)
		}
	}
	return live, ended
}

// draw draws the dialog, at most w by h.
func (c *confirm) draw(t *theme, k talker, x *index, now time.Time, w, h int) []string {
	w = min(w, 76)
	inner := w - 4
	live, ended := c.open(x)
	var head painter
	word := "cancel"
	if c.again(x, live) {
		word = "ask again"
	}
	if len(c.jobs) == 1 {
		head.put(t.title, "cancel this job?")
	} else {
		head.put(t.title, "cancel "+countText(len(c.jobs), "job", "jobs"))
		if c.hidden > 0 {
			head.put(t.warn, fmt.Sprintf(" (%d hidden by filter)", c.hidden))
		}
	}
	var tail []string
	if c.reason != "" {
		tail = append(tail, " "+paint(t.muted, "reason ")+paint(t.text, cut(k.line(c.reason), inner-8, t.dots)))
	}
	if c.lost {
		tail = append(tail, " "+paint(t.warn, cut("the job under the cursor has just gone: read the name", inner, t.dots)))
	} else if c.moved {
		tail = append(tail, " "+paint(t.warn, cut("the list has just moved: read the name", inner, t.dots)))
	}
	if c.early {
		tail = append(tail, " "+paint(t.warn, cut("too soon: let go, then press y", inner, t.dots)))
	}
	if len(live) == 0 {
		tail = append(tail, " "+paint(t.muted, "nothing left to cancel; any key closes"))
	} else {
		var p painter
		if now.Sub(c.opened) < guardFor {
			p.put(t.muted, " "+t.sep+" ") // no y yet: see guardFor
		} else {
			p.put(t.key, " y ")
		}
		p.put(t.text, word)
		if n := len(live); n < len(c.jobs) {
			p.put(t.text, fmt.Sprintf(" the other %d", n))
		}
		p.put(t.muted, "   any other key: no")
		tail = append(tail, cutPainted(p.String(), inner+1))
	}
	room := max(h-2-len(tail)-1, 2)
	body := c.drawJobs(t, k, x, inner, room, len(ended))
	if len(body)+len(tail) < h-2 {
		body = append(body, "")
	}
	return t.frame(head.String(), "", append(body, tail...), w, t.warn)
}

// again reports whether every job was asked already.
func (c *confirm) again(x *index, live []core.JobID) bool {
	for _, id := range live {
		if j := x.get(id); j == nil || j.State != core.Cancelling {
			return false
		}
	}
	return len(live) > 0
}

// drawJobs draws the pinned jobs: in full while they fit, else a line each.
func (c *confirm) drawJobs(t *theme, k talker, x *index, w, room, ended int) []string {
	var out []string
	for _, p := range c.jobs {
		out = append(out, c.drawJob(t, k, x.get(p.id), p, w)...)
		if len(out) > room {
			break
		}
	}
	if len(out) > room {
		out = out[:0]
		for i, p := range c.jobs {
			if left := len(c.jobs) - i; len(out) == room-1 && left > 1 {
				out = append(out, " "+paint(t.muted, fmt.Sprintf("and %d more", left)))
				break
			}
			out = append(out, c.drawShort(t, k, x.get(p.id), p, w))
		}
	}
	if ended > 0 && ended < len(c.jobs) && len(out) < room {
		out = append(out, " "+paint(t.muted, fmt.Sprintf("%d skipped: already over", ended)))
	}
	return out
}

// drawJob draws one pinned job in full: name and id, state, outlook.
func (c *confirm) drawJob(t *theme, k talker, j *core.Job, p pinned, w int) []string {
	id := k.line(string(p.id))
	if j == nil {
		return []string{" " + paint(t.muted, cut(id+"  no longer in the list", w, t.dots))}
	}
	name := k.line(j.Name)
	var out []string
	if width(name)+2+width(id) <= w {
		out = append(out, " "+paint(t.strong, name)+"  "+paint(t.muted, id))
	} else {
		out = append(out, " "+paint(t.strong, cut(name, w, t.dots)), " "+paint(t.muted, cut(id, w, t.dots)))
	}
	var b painter
	b.put(t.state[j.State], " "+stateText(t, k, j.State)+" "+k.age(j))
	if s := p.kin.String(); s != "" {
		b.put(t.warn, k.sep+s)
	}
	if j.User != "" {
		b.put(t.muted, k.sep+k.line(j.User))
	}
	say := k.outlook(j)
	if j.State.Terminal() {
		say = "skipped: already " + k.line(string(j.State))
	}
	if b.used+width(k.sep)+width(say) <= w {
		b.put(t.muted, k.sep+say)
		return append(out, b.String())
	}
	return append(out, cutPainted(b.String(), w+1), " "+paint(t.muted, cut(say, w, t.dots)))
}

// drawShort draws one pinned job in a line; of a long id it shows the end.
func (c *confirm) drawShort(t *theme, k talker, j *core.Job, p pinned, w int) string {
	var b painter
	id := k.line(string(p.id))
	if room := max(w-12, 8); width(id) > room {
		id = t.dots + shortID(p.id, room-1)
	}
	b.put(t.muted, " "+id+" ")
	if j != nil {
		b.put(t.text, k.line(j.Name)+" ")
		b.put(t.state[j.State], stateText(t, k, j.State))
		if s := p.kin.String(); s != "" {
			b.put(t.warn, " "+s)
		}
	}
	return cutPainted(b.String(), w+1)
}
