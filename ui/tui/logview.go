package tui

import (
	"fmt"
	"strings"

	"dcctop/core"
)

// logView is the log over its full height. It follows the end until the
// operator scrolls up; then the line at its top stays there, by its number.
type logView struct {
	held bool // scrolled up
	top  int  // number of the line at the top
	sub  int  // rows of it that are above the top

	width, height int // of the text, at the last drawing

	find    string // what was looked for last
	seeking int    // the search goes on in what is not loaded: -1 up, 1 down
	seekAt  int    // the next line to look at
	match   int    // the line that was found last
}

// rows is how many rows a line takes.
func (v *logView) rows(g *logText, n int, clean cleaner) int {
	return len(wrapLine(g.line(n, clean), v.width))
}

// scroll moves by n rows, up when negative.
func (v *logView) scroll(g *logText, clean cleaner, n int) {
	v.held = true
	for ; n < 0 && (v.sub > 0 || v.top > g.first); n++ {
		if v.sub--; v.sub < 0 {
			v.top--
			v.sub = v.rows(g, v.top, clean) - 1
		}
	}
	for ; n > 0 && v.top < g.last(); n-- {
		if v.sub++; v.sub >= v.rows(g, v.top, clean) {
			v.top, v.sub = v.top+1, 0
		}
	}
	v.settle(g, clean)
}

// settle follows the end again once the view has come there.
func (v *logView) settle(g *logText, clean cleaner) {
	v.top = max(v.top, g.first)
	rows := -v.sub
	for n := v.top; n < g.last() && rows <= v.height; n++ {
		rows += v.rows(g, n, clean)
	}
	if rows <= v.height {
		v.toEnd(g, clean)
		v.held = !g.caught && !g.end
	}
}

// toEnd puts the last row at the bottom.
func (v *logView) toEnd(g *logText, clean cleaner) {
	v.top, v.sub = g.last(), 0
	for room := v.height; room > 0 && v.top > g.first; {
		v.top--
		n := v.rows(g, v.top, clean)
		if n > room {
			v.sub = n - room
		}
		room -= n
	}
}

// draw draws the log of a job into r.
func (v *logView) draw(t *theme, g *logText, clean cleaner, j *core.Job, r rect) []string {
	v.width, v.height = r.w-4, r.h-2
	if v.held {
		v.settle(g, clean)
	} else {
		v.toEnd(g, clean)
	}
	body := make([]string, 0, v.height)
	n := v.top
	for skip := v.sub; n < g.last() && len(body) < v.height; n++ {
		for _, s := range wrapLine(g.line(n, clean), v.width)[skip:] {
			if len(body) < v.height {
				body = append(body, " "+v.paint(t, s))
			}
		}
		skip = 0
	}
	if len(body) == 0 {
		body = append(body, " "+paint(t.muted, cut(g.emptyText(), v.width, t.dots)))
	}
	for len(body) < v.height {
		body = append(body, "")
	}
	title := paint(t.title, "log") + " " + paint(t.strong, clean.line(j.Name)) + " " + paint(t.muted, clean.line(string(j.ID)))
	return t.frame(title, paint(t.muted, v.foot(t, g, clean, g.last()-n)), body, r.w, t.border)
}

// foot says where the view is; below is how many loaded lines are under it.
func (v *logView) foot(t *theme, g *logText, clean cleaner, below int) string {
	look := ""
	if v.find != "" {
		look = fmt.Sprintf(" %s n N: %s", t.sep, cut(clean.line(v.find), 16, t.dots))
	}
	switch {
	case v.seeking != 0:
		return "looking for " + cut(clean.line(v.find), 24, t.dots) + ", Esc stops"
	case g.err != "" && g.last() > g.first:
		return "log: " + cut(g.err, 48, t.dots)
	case v.held && !g.caught && !g.end:
		return fmt.Sprintf("more below %s G goes to the end%s", t.sep, look)
	case v.held:
		return fmt.Sprintf("%s below %s G follows%s", countText(max(below, 1), "line", "lines"), t.sep, look)
	case g.end:
		return "end" + look
	}
	return "following" + look
}

// paint paints a row of the log; what was looked for stands out.
func (v *logView) paint(t *theme, s string) string {
	low, word := strings.ToLower(s), strings.ToLower(v.find)
	if word == "" || len(low) != len(s) || !strings.Contains(low, word) {
		return paint(t.text, s)
	}
	var p painter
	for {
		i := strings.Index(low, word)
		if i < 0 {
			break
		}
		p.put(t.text, s[:i])
		p.put(t.found, s[i:i+len(word)])
		s, low = s[i+len(word):], low[i+len(word):]
	}
	p.put(t.text, s)
	return p.String()
}
