package tui

import (
	"fmt"
	"time"

	"dcctop/core"
)

// draw draws the dialog, at most w by h.
func (c *confirm) draw(t *theme, k talker, x *index, now time.Time, w, h int) []string {
	w = min(w, 76)
	inner := w - 4
	f := c.fates(x)
	again := c.again(x, f.live)
	var head painter
	switch {
	case len(c.jobs) == 1 && again:
		head.put(t.title, "already asked to stop")
	case len(c.jobs) == 1:
		head.put(t.title, "cancel this job?")
	default:
		head.put(t.title, "cancel "+countText(len(c.jobs), "job", "jobs"))
	}
	if c.hidden > 0 && len(c.jobs) > 1 {
		head.put(t.warn, fmt.Sprintf(" (%d hidden by filter)", c.hidden))
	}
	var tail []string
	if c.reason != "" {
		tail = append(tail, " "+paint(t.muted, "reason ")+paint(t.text, cut(k.line(c.reason), inner-8, t.dots)))
	}
	for _, s := range c.warnings() {
		tail = append(tail, " "+paint(t.warn, cut(s, inner, t.dots)))
	}
	room := h - 2 - len(tail) - 4 // what the jobs need at least
	switch {
	case len(f.live) == 0:
		tail = append(tail, " "+paint(t.muted, "nothing left to cancel; any key closes"))
	case again:
		tail = append(tail, c.drawAgain(t, k, x, f.live, now, inner, room)...)
	default:
		does := "cancel"
		if n := len(f.live); n < len(c.jobs) {
			does += fmt.Sprintf(" the other %d", n)
		}
		tail = append(tail, c.drawChoices(t, []choice{{key: keyYes, does: does}}, "no", now, inner, room)...)
	}
	body := c.drawJobs(t, k, x, inner, max(h-2-len(tail)-1, 2), f)
	if len(body)+len(tail) < h-2 {
		body = append(body, "")
	}
	return t.frame(head.String(), "", append(body, tail...), w, t.warn)
}

// drawAgain draws what can still be done about jobs that were asked already,
// and what each of it does.
func (c *confirm) drawAgain(t *theme, k talker, x *index, live []core.JobID, now time.Time, w, room int) []string {
	ask := choice{keyYes, "ask again", "the same request; it hurries nothing"}
	forced := c.killable(x)
	if len(forced) == 0 {
		out := c.drawChoices(t, []choice{ask}, "wait", now, w, room)
		if say := c.helpless(x, live); say != "" && room > 2 {
			var lines []string
			for _, s := range wrapWords(say, w-1) {
				lines = append(lines, " "+paint(t.warn, s))
			}
			out = append(lines, out...)
		}
		return out
	}
	force := choice{keyForce, "force", "the next step of the ladder, now"}
	rest := "wait"
	if j := x.get(forced[0]); len(live) == 1 && j != nil && killable(j) {
		c := j.Cancellation
		force.how = nextSignal(c) + " now, to all of its processes"
		if c != nil && !c.NextStepAt.IsZero() {
			rest += ": " + k.nextStep(c) + " by itself"
		}
	} else if len(forced) < len(live) {
		force.does += fmt.Sprintf(" %d of them", len(forced))
	}
	return c.drawChoices(t, []choice{ask, force}, rest, now, w, room)
}

// helpless says why nothing can be forced.
func (c *confirm) helpless(x *index, live []core.JobID) string {
	for _, id := range live {
		j := x.get(id)
		if j == nil || j.Cancellation == nil || !j.Cancellation.SeenAt.IsZero() {
			continue
		}
		if _, all := childrenEnded(j); all == 0 {
			return nothingKills
		}
	}
	return ""
}

// drawJobs draws the pinned jobs: in full while they fit, else a line each.
func (c *confirm) drawJobs(t *theme, k talker, x *index, w, room int, f fates) []string {
	var out []string
	for _, p := range c.jobs {
		out = append(out, p.draw(t, k, x.get(p.id), w)...)
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
			out = append(out, p.drawShort(t, k, x.get(p.id), w))
		}
	}
	for _, s := range []struct {
		n   int
		why string
	}{{len(f.ended), "already over"}, {len(f.refused), "cannot be cancelled"}} {
		if s.n > 0 && s.n < len(c.jobs) && len(out) < room {
			out = append(out, " "+paint(t.muted, fmt.Sprintf("%d skipped: %s", s.n, s.why)))
		}
	}
	return out
}

// draw draws a pinned job in full: name and id, state, outlook.
func (p pinned) draw(t *theme, k talker, j *core.Job, w int) []string {
	id := k.line(string(p.id))
	if j == nil {
		return []string{" " + paint(t.muted, cut(id+"  no longer in the list", w, t.dots))}
	}
	out := drawSubject(t, k, j, w)
	var b painter
	b.put(t.state[j.State], " "+stateText(t, k, j.State)+" "+k.age(j))
	if s := p.kin.String(); s != "" {
		b.put(t.warn, k.sep+s)
	}
	if j.User != "" {
		b.put(t.muted, k.sep+k.line(j.User))
	}
	say := k.outlook(j)
	switch why := refusal(j); {
	case j.State.Terminal():
		say = "skipped: already " + k.line(string(j.State))
	case why != "":
		say = "skipped: cannot be cancelled: " + k.line(why)
	}
	if b.used+width(k.sep)+width(say) <= w {
		b.put(t.muted, k.sep+say)
		return append(out, b.String())
	}
	return append(out, cutPainted(b.String(), w+1), " "+paint(t.muted, cut(say, w, t.dots)))
}

// drawSubject draws the name and the id of a job, in one line where they fit.
func drawSubject(t *theme, k talker, j *core.Job, w int) []string {
	name, id := k.line(j.Name), k.line(string(j.ID))
	if width(name)+2+width(id) <= w {
		return []string{" " + paint(t.strong, name) + "  " + paint(t.muted, id)}
	}
	return []string{" " + paint(t.strong, cut(name, w, t.dots)), " " + paint(t.muted, cut(id, w, t.dots))}
}

// drawShort draws a pinned job in a line; of a long id it shows the end.
func (p pinned) drawShort(t *theme, k talker, j *core.Job, w int) string {
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
		if why := refusal(j); why != "" {
			b.put(t.muted, " skipped: "+k.line(why))
		}
	}
	return cutPainted(b.String(), w+1)
}
