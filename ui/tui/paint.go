package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// painter builds one line of the screen. Its text is clean: see cleaner.
type painter struct {
	b    strings.Builder
	used int   // cells so far
	base style // under every style of this line, e.g. the cursor's background
	only style // instead of every style of this line, e.g. for stale rows
	flat bool  // only holds
}

// put adds s in a style. It is as wide as s is.
func (p *painter) put(st style, s string) {
	if s == "" {
		return
	}
	if p.flat {
		st = p.only
	}
	p.used += width(s)
	if st == "" && p.base == "" {
		p.b.WriteString(s)
		return
	}
	p.b.WriteString("\x1b[")
	p.b.WriteString(string(p.base))
	if p.base != "" && st != "" {
		p.b.WriteByte(';')
	}
	p.b.WriteString(string(st))
	p.b.WriteByte('m')
	p.b.WriteString(s)
	p.b.WriteString("\x1b[m")
}

// cell adds s in exactly w cells, cut or padded on the right.
func (p *painter) cell(st style, s string, w int, dots string) {
	s = cut(s, w, dots)
	p.put(st, s)
	p.space(w - width(s))
}

// right adds s in exactly w cells, padded on the left.
func (p *painter) right(st style, s string, w int, dots string) {
	s = cut(s, w, dots)
	p.space(w - width(s))
	p.put(st, s)
}

func (p *painter) space(n int) {
	if n > 0 {
		p.put("", strings.Repeat(" ", n))
	}
}

// to pads up to column n.
func (p *painter) to(n int) { p.space(n - p.used) }

func (p *painter) String() string { return p.b.String() }

// paint is one piece of text in a style.
func paint(st style, s string) string {
	var p painter
	p.put(st, s)
	return p.String()
}

// fitLine makes a painted line exactly w cells wide.
func fitLine(s string, w int) string {
	n := ansi.StringWidth(s)
	switch {
	case n > w:
		s = ansi.Truncate(s, w, "")
		n = ansi.StringWidth(s)
	}
	if n < w {
		s += strings.Repeat(" ", w-n)
	}
	return s
}

// overlay lays the lines of box over a screen of lines w cells wide, its upper
// left corner at x, y.
func overlay(screen, box []string, x, y, w int) {
	for i, line := range box {
		if y+i < 0 || y+i >= len(screen) {
			continue
		}
		n := ansi.StringWidth(line)
		under := screen[y+i]
		left := fitLine(ansi.Truncate(under, x, ""), x)
		right := ansi.TruncateLeft(under, x+n, "")
		if gap := w - x - n - ansi.StringWidth(right); gap > 0 {
			right = strings.Repeat(" ", gap) + right // a wide character was cut in two
		}
		screen[y+i] = left + line + right
	}
}

// frame draws a box of w cells around body, whose lines are made to fit.
func (t *theme) frame(title, foot string, body []string, w int, st style) []string {
	out := make([]string, 0, len(body)+2)
	out = append(out, t.rule(t.topLeft, t.topRight, title, w, st))
	side := paint(st, t.v)
	for _, l := range body {
		out = append(out, side+fitLine(l, w-2)+side)
	}
	return append(out, t.rule(t.bottomLeft, t.bottomRight, foot, w, st))
}

// rule is a horizontal side of a box with painted text let into it.
func (t *theme) rule(left, right, text string, w int, st style) string {
	if text == "" {
		return paint(st, left+strings.Repeat(t.h, max(w-2, 0))+right)
	}
	text = " " + ansi.Truncate(text, max(w-6, 0), t.dots) + " "
	rest := max(w-3-ansi.StringWidth(text), 0)
	return paint(st, left+t.h) + text + paint(st, strings.Repeat(t.h, rest)+right)
}

// cutPainted cuts a painted line to w cells.
func cutPainted(s string, w int) string { return ansi.Truncate(s, w, "") }

// centreLine puts a painted line in the middle of w cells.
func centreLine(s string, w int) string {
	return fitLine(strings.Repeat(" ", max((w-ansi.StringWidth(s))/2, 0))+s, w)
}

// wrapWords cuts clean text into lines of at most w cells, between words where
// it can.
func wrapWords(s string, w int) []string { return strings.Split(ansi.Wrap(s, max(w, 1), ""), "\n") }
