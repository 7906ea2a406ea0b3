package tui

import (
	"fmt"

	"dcctop/core"
)

// logView is the log over its full height. It follows the end until the
// operator scrolls up.
type logView struct {
	back   int // lines between the bottom of the view and the end, 0: following
	height int
	total  int // wrapped lines at the last drawing

	width   int // what wrapped was made for
	of      core.JobID
	from    int // g.cut at that time
	done    int // lines of the log that are in wrapped
	wrapped []string
}

// wrap brings the wrapped lines up to date; only new lines cost anything.
func (v *logView) wrap(g *logText, clean cleaner, w int) []string {
	if v.width != w || v.of != g.id || v.from != g.cut || v.done > len(g.lines) {
		v.width, v.of, v.from, v.done, v.wrapped = w, g.id, g.cut, 0, nil
	}
	before := len(v.wrapped)
	for ; v.done < len(g.lines); v.done++ {
		v.wrapped = append(v.wrapped, wrapLine(g.lines[v.done], w)...)
	}
	if v.back > 0 && before > 0 {
		v.back += len(v.wrapped) - before // what is on the screen stays there
	}
	if g.part == "" {
		return v.wrapped
	}
	return append(v.wrapped[:len(v.wrapped):len(v.wrapped)], wrapLine(logLine(g.part, clean), w)...)
}

// scroll moves by n lines, up when negative.
func (v *logView) scroll(n int) {
	v.back = max(min(v.back-n, v.total-v.height), 0)
}

func (v *logView) top()    { v.back = max(v.total-v.height, 0) }
func (v *logView) bottom() { v.back = 0 }

// draw draws the log of a job into r.
func (v *logView) draw(t *theme, g *logText, clean cleaner, j *core.Job, r rect) []string {
	inner := r.w - 4
	v.height = r.h - 2
	lines := v.wrap(g, clean, inner)
	v.total = len(lines)
	v.back = max(min(v.back, v.total-v.height), 0)
	last := v.total - v.back
	body := make([]string, 0, v.height)
	for _, l := range lines[max(last-v.height, 0):last] {
		body = append(body, " "+paint(t.text, l))
	}
	if len(body) == 0 {
		body = append(body, " "+paint(t.muted, g.emptyText()))
	}
	for len(body) < v.height {
		body = append(body, "")
	}
	title := paint(t.title, "log") + " " + paint(t.strong, clean.line(j.Name)) + " " + paint(t.muted, string(cleaner{}.line(string(j.ID))))
	foot := "following"
	switch {
	case v.back > 0:
		foot = fmt.Sprintf("%s below %s G follows", countText(v.back, "line", "lines"), t.sep)
	case g.end:
		foot = "end"
	}
	return t.frame(title, paint(t.muted, foot), body, r.w, t.border)
}

// emptyText says why there is nothing to see.
func (g *logText) emptyText() string {
	switch {
	case g.err != "":
		return "log: " + g.err
	case !g.loaded:
		return "reading the log"
	case g.end:
		return "it printed nothing"
	}
	return "nothing printed so far"
}
