package tui

import (
	"fmt"

	"dcctop/core"
)

// drawList draws the table in its frame. Only the rows on the screen are drawn.
func (m *model) drawList(r rect) []string {
	t := &m.theme
	inner := r.w - 2
	room := r.h - 2
	var body []string
	if len(m.index.shown) == 0 {
		body = m.drawEmpty(inner, room)
	} else {
		body = m.drawRows(inner, room)
	}
	for len(body) < room {
		body = append(body, "")
	}
	return t.frame(m.listTitle(), m.listFoot(), body, r.w, t.border)
}

func (m *model) drawRows(w, room int) []string {
	l := lay(w)
	k := m.eyes()
	out := make([]string, 0, room)
	out = append(out, drawHead(&m.theme, l, m.index.order))
	stale := m.stale()
	for i := m.table.top; i < len(m.index.shown) && len(out) < room; i++ {
		r := m.index.shown[i]
		_, marked := m.table.marks[r.job.ID]
		out = append(out, drawRow(&m.theme, k, l, r.job, rowState{
			cursor: r.job.ID == m.table.cursor, marked: marked, stale: stale,
			depth: r.depth, last: r.last, ask: m.asks.byID[r.job.ID],
		}))
	}
	return out
}

// listTitle says how many jobs the list shows and in what order.
func (m *model) listTitle() string {
	t, x := &m.theme, m.index
	var p painter
	sep := " " + t.h + " "
	p.put(t.title, "jobs")
	n, all := len(x.shown), len(x.rows)
	if n == all {
		p.put(t.text, fmt.Sprintf(" %d", all))
	} else {
		p.put(t.text, fmt.Sprintf(" %d of %d", n, all))
	}
	if n := len(m.table.marks); n > 0 {
		p.put(t.mark, fmt.Sprintf("%s%d marked", sep, n))
	}
	if m.table.ranging {
		p.put(t.mark, sep+"range")
	}
	if x.filter.text != "" {
		p.put(t.warn, sep+"filter "+cut(m.clean.line(x.filter.text), 24, t.dots))
	}
	p.put(t.muted, sep+"by "+x.order.name()+" "+x.order.arrow(t))
	if x.frozen {
		p.put(t.warn, sep+"frozen")
	}
	if x.hide {
		p.put(t.warn, sep+"finished hidden")
	}
	return p.String()
}

// listFoot is the note of the caller.
func (m *model) listFoot() string {
	note := m.clean.line(m.o.Note)
	room := m.w - 8
	if note == "" || room < 8 {
		return ""
	}
	return paint(m.theme.muted, cut(note, room, m.theme.dots))
}

// drawEmpty says why there is no row, and what to do about it.
func (m *model) drawEmpty(w, room int) []string {
	t := &m.theme
	var text []string
	st := t.muted
	say := func(s style, line string) {
		for _, l := range wrapWords(line, w-4) {
			text = append(text, paint(s, l))
		}
	}
	switch {
	case !m.seen && m.link.State == core.LinkLive:
		say(st, "connected, waiting for the list of jobs")
	case !m.seen && m.link.Why == "" && m.link.Retry.IsZero():
		say(st, "looking for a dispatcher"+m.at())
	case !m.seen:
		say(t.strong, "no dispatcher found"+m.at())
		if m.link.Why != "" {
			say(st, m.clean.line(m.link.Why))
		}
		if m.o.Hint != "" {
			say(st, "")
			say(t.text, m.clean.line(m.o.Hint))
		}
		say(st, "")
		next := m.retryText()
		if next == "" {
			next = "trying on"
		}
		say(t.warn, "it keeps trying: "+next)
	case len(m.index.rows) == 0:
		say(t.strong, "no jobs")
		say(st, "those that are submitted appear here by themselves")
	default:
		say(t.strong, fmt.Sprintf("none of %s is shown", countText(len(m.index.rows), "job", "jobs")))
		if s := m.filterTrouble(); s != "" {
			say(t.bad, s)
		}
		if m.index.filter.text != "" {
			say(st, "Esc clears the filter")
		}
		if m.index.hide {
			say(st, "h shows what has finished")
		}
	}
	out := make([]string, max((room-len(text))/2, 0), room)
	for _, l := range text {
		if len(out) < room {
			out = append(out, centreLine(l, w))
		}
	}
	return out
}

// filterTrouble says what of the filter cannot be meant.
func (m *model) filterTrouble() string { return m.clean.line(m.index.filter.trouble()) }

// at is " at WHERE" where a place is known.
func (m *model) at() string {
	if m.o.Where == "" {
		return ""
	}
	return " at " + m.clean.line(m.o.Where)
}
