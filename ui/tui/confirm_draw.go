package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	case again:
		head.put(t.title, "already asked: "+c.howMany(f))
	default:
		head.put(t.title, "cancel "+c.howMany(f))
	}
	if n := c.hidden(f.live); n > 0 && len(c.jobs) > 1 {
		head.put(t.warn, fmt.Sprintf(" (%d hidden by filter)", n))
	}
	var tail []string
	if c.reason != "" {
		tail = append(tail, " "+paint(t.muted, "reason ")+paint(t.text, cut(k.line(c.reason), inner-8, t.dots)))
	}
	for _, s := range c.warnings() {
		tail = append(tail, " "+paint(t.warn, cut(s, inner, t.dots)))
	}
	room := h - 2 - len(tail) - 4 // what the jobs need at least
	if len(f.live) == 0 {
		tail = append(tail, " "+paint(t.muted, "nothing left to cancel; any key closes"))
	} else {
		all, rest := c.choices(k, x)
		choices := c.drawChoices(t, all, rest, now, inner, room)
		if say := c.helpless(x, f.live); again && len(all) == 1 && say != "" && room > 2 {
			for _, s := range wrapWords(say, inner-1) {
				tail = append(tail, " "+paint(t.warn, s))
			}
		}
		tail = append(tail, choices...)
	}
	body := c.drawJobs(t, k, x, inner, max(h-2-len(tail)-1, 2), f)
	if len(body)+len(tail) < h-2 {
		body = append(body, "")
	}
	return t.frame(head.String(), "", append(body, tail...), w, t.warn)
}

// howMany is "12 of 29 jobs" where not all can be asked, else "29 jobs".
func (c *confirm) howMany(f fates) string {
	all := countText(len(c.jobs), "job", "jobs")
	if n := len(f.live); n < len(c.jobs) {
		return fmt.Sprintf("%d of %s", n, all)
	}
	return all
}

// choices is what can be done: a cancel, or for jobs that were asked already
// what can still be done about them, and what each of it does.
func (c *confirm) choices(k talker, x *index) ([]choice, string) {
	f := c.fates(x)
	switch {
	case len(f.live) == 0:
		return nil, "close"
	case !c.again(x, f.live) && len(c.jobs) == 1:
		return []choice{{key: keyYes, does: "cancel"}}, "no"
	case !c.again(x, f.live):
		return []choice{{key: keyYes, does: "cancel " + c.howMany(f)}}, "no"
	}
	ask := choice{keyYes, "ask again", "the same request; it hurries nothing"}
	forced := c.killable(x)
	if len(forced) == 0 {
		return []choice{ask}, "wait"
	}
	force := choice{keyForce, "force", "the next step of the ladder, now"}
	rest := "wait"
	if j := x.get(forced[0]); len(f.live) == 1 && j != nil && killable(j) {
		c := j.Cancellation
		force.how = nextSignal(c) + " now, to all of its processes"
		if c != nil && !c.NextStepAt.IsZero() {
			rest += ": " + k.nextStep(c) + " by itself"
		}
	} else if len(forced) < len(f.live) {
		force.does += fmt.Sprintf(" %d of them", len(forced))
	}
	return []choice{ask, force}, rest
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

// drawJobs draws the pinned jobs: in full while they fit, else a line each for
// as many as can be asked. How many cannot be is always said.
func (c *confirm) drawJobs(t *theme, k talker, x *index, w, room int, f fates) []string {
	skipped := c.drawSkipped(t, k, w, f)
	room = max(room-len(skipped), 1)
	jobs := c.inOrder(x)
	var out []string
	for _, p := range jobs {
		out = append(out, p.draw(t, k, x.get(p.id), w)...)
		if len(out) > room {
			break
		}
	}
	if len(out) <= room {
		return append(out, skipped...)
	}
	out = out[:0]
	if n := len(f.live); n > 0 {
		jobs = jobs[:n]
	}
	for i, p := range jobs {
		if left := len(jobs) - i; len(out) == room-1 && left > 1 {
			say := fmt.Sprintf("and %d more of these %d", left, len(jobs))
			if i == 0 {
				say = countText(left, "job", "jobs")
			}
			out = append(out, " "+paint(t.muted, say))
			break
		}
		out = append(out, p.drawShort(t, k, x.get(p.id), w))
	}
	return append(out, skipped...)
}

// drawSkipped says how many of several jobs are not asked.
func (c *confirm) drawSkipped(t *theme, k talker, w int, f fates) []string {
	if len(c.jobs) == 1 {
		return nil
	}
	var parts []string
	if n := len(f.ended); n > 0 {
		parts = append(parts, countText(n, "is over already", "are over already"))
	}
	if n := len(f.refused); n > 0 {
		parts = append(parts, fmt.Sprintf("%d cannot be cancelled", n))
	}
	if len(parts) == 0 {
		return nil
	}
	var out []string
	for _, s := range wrapWords(strings.Join(parts, k.sep), w-1) {
		out = append(out, " "+paint(t.warn, s))
	}
	return out
}

// inOrder is the pinned jobs as they are read: those that can be asked, of them
// first what may need more than the asking and what takes others along, and last
// those that cannot.
func (c *confirm) inOrder(x *index) []pinned {
	place := func(p pinned) int {
		j := x.get(p.id)
		switch {
		case p.over || j != nil && j.State.Terminal():
			return 4
		case j != nil && refusal(j) != "":
			return 3
		case j != nil && !j.DeafSince.IsZero():
			return 0
		case p.kin.n > 0:
			return 1
		}
		return 2
	}
	out := slices.Clone(c.jobs)
	slices.SortStableFunc(out, func(a, b pinned) int { return cmp.Compare(place(a), place(b)) })
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
		if !j.State.Terminal() && !j.DeafSince.IsZero() {
			b.put(t.bad, " deaf")
		}
		if s := p.kin.String(); s != "" {
			b.put(t.warn, " "+s)
		}
		if why := refusal(j); why != "" {
			b.put(t.muted, " skipped: "+k.line(why))
		}
	}
	return cutPainted(b.String(), w+1)
}
