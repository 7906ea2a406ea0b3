package tui

import (
	"cmp"
	"fmt"
	"strings"

	"dcctop/core"
)

// rowState is what a row shows besides its job.
type rowState struct {
	cursor, marked, stale bool
	depth                 int
	last                  bool
	ask                   *ask
}

// drawRow draws a job in exactly l.width cells.
func drawRow(t *theme, k talker, l layout, j *core.Job, s rowState) string {
	var p painter
	if s.cursor {
		p.base = t.selected
		p.flat, p.only = t.reverse, "1" // colours would each become a background
	}
	if s.stale {
		p.flat, p.only = true, t.stale
	}
	drawLead(&p, t, s)
	for _, c := range l.slots {
		p.to(c.x)
		switch c.col {
		case colState:
			drawState(&p, t, k, l, j, c.w)
		case colProgress:
			drawProgress(&p, t, l, j, c.w)
		case colID:
			p.cell(t.muted, shortID(j.ID, c.w), c.w, t.dots)
		case colName:
			drawName(&p, t, k, l, j, s, c.w)
		case colKind:
			p.cell(t.muted, k.line(j.Kind), c.w, t.dots)
		case colHost:
			p.cell(t.muted, k.line(j.Host), c.w, t.dots)
		case colUser:
			p.cell(t.muted, k.line(j.User), c.w, t.dots)
		case colAge:
			p.right(t.text, k.age(j), c.w, "")
		case colCancel:
			say := k.cancel(j, s.ask)
			p.cell(t.tone(say.tone, j), cmp.Or(say.fit(c.w), say.free), c.w, t.dots)
		}
	}
	p.to(l.width)
	return p.String()
}

func drawLead(p *painter, t *theme, s rowState) {
	cursor, mark := " ", " "
	if s.cursor {
		cursor = t.cursor
	}
	if s.marked {
		mark = t.glyphs.mark
	}
	p.put(t.mark, cursor+mark+" ")
}

// drawState draws the glyph and the word of a state, and at the right the age
// where it has no column.
func drawState(p *painter, t *theme, k talker, l layout, j *core.Job, w int) {
	word := stateText(t, k, j.State)
	st := t.state[j.State]
	age := ""
	if l.aged {
		age = k.age(j)
	}
	if age == "" || width(word)+1+len(age) > w {
		p.cell(st, word, w, t.dots)
		return
	}
	p.put(st, word)
	p.space(w - width(word) - len(age))
	p.put(t.text, age)
}

// stateText is the glyph and the word of a state, also of one this version
// does not know.
func stateText(t *theme, k talker, s core.State) string {
	g := t.glyphs.state[s]
	if g == "" {
		g = "?"
	}
	return g + " " + k.line(string(s))
}

// drawName draws the name, under its parent in a tree, and where the layout
// shares the room the cancel text at the right, as long as it can be without
// cutting the name.
func drawName(p *painter, t *theme, k talker, l layout, j *core.Job, s rowState, w int) {
	name := k.line(j.Name)
	if name == "" {
		name = "(no name)"
	}
	if s := tryText(k, j); s != "" {
		name += " (" + s + ")"
	}
	indent := ""
	if s.depth > 0 {
		indent = strings.Repeat("  ", min(s.depth-1, 6)) + t.branch
		if s.last {
			indent = strings.Repeat("  ", min(s.depth-1, 6)) + t.lastBranch
		}
		indent = cut(indent, w/2, "")
	}
	st := t.text
	if j.State == core.Running || j.State == core.Cancelling {
		st = t.strong
	} else if j.State.Terminal() {
		st = t.muted
	}
	say, words := phrase{}, ""
	if l.shared {
		say = k.cancel(j, s.ask)
		need := max(min(width(indent)+width(name), w/2), min(12, w))
		words = say.fit(w - need - 1)
		if words == "" && say.tone == alarm {
			words = say.fit(w - 8)
		}
	}
	p.put(t.border, indent)
	room := w - width(indent) - width(words)
	if words != "" {
		room--
	}
	p.cell(st, name, max(room, 0), t.dots)
	if words != "" {
		p.space(1)
		p.put(t.tone(say.tone, j), words)
	}
}

// tryText is "try 2" for the second try of a chunk that failed, or "".
func tryText(k talker, j *core.Job) string {
	if n := j.Labels["try"]; n != "" && n != "1" {
		return "try " + k.line(n)
	}
	return ""
}

// drawProgress draws a bar and a percentage, or a count where no total is
// known.
func drawProgress(p *painter, t *theme, l layout, j *core.Job, w int) {
	f, ok := fraction(j)
	if !ok {
		p.cell(t.text, countProgress(j), w, t.dots)
		return
	}
	if l.bar > 0 {
		drawBar(p, t, t.state[j.State], f, l.bar)
		p.space(1)
	}
	p.right(t.text, percent(f), w-(l.bar+min(l.bar, 1)), "")
}

// percent rounds down: only what is done is 100%. (A hair is added because 0.29
// times 100 is less than 29.)
func percent(f float64) string { return fmt.Sprintf("%d%%", int(f*100+1e-9)) }

// drawBar draws a bar of n cells in halves.
func drawBar(p *painter, t *theme, st style, f float64, n int) {
	halves := int(f*float64(2*n) + 1e-9)
	full := halves / 2
	p.put(st, strings.Repeat(t.fill, full))
	if halves%2 == 1 {
		p.put(st, t.half)
		full++
	}
	p.put(t.track, strings.Repeat(t.glyphs.track, n-full))
}

// countProgress is "frame 12" for a job that does not know where it ends.
func countProgress(j *core.Job) string {
	if j.Progress == nil || j.Progress.Current == 0 {
		return ""
	}
	return (cleaner{}).line(join2Space(j.Progress.Unit, number(j.Progress.Current)))
}

func join2Space(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// number writes a count without needless decimals.
func number(f float64) string {
	if f == float64(int64(f)) {
		return fmt.Sprintf("%d", int64(f))
	}
	return fmt.Sprintf("%.1f", f)
}

// tone is the style of a phrase.
func (t *theme) tone(n tone, j *core.Job) style {
	switch n {
	case wait:
		return t.warn
	case alarm:
		return t.bad
	}
	if j != nil && j.State == core.Cancelled {
		return t.state[core.Cancelled]
	}
	return t.muted
}

// drawHead draws the heads of the columns; the one sorted by is marked.
func drawHead(t *theme, l layout, o order) string {
	var p painter
	p.to(lead)
	label := func(c column) (string, style) {
		if c != o.by {
			return c.title(), t.muted
		}
		return c.title() + o.arrow(t), t.title
	}
	for _, c := range l.slots {
		p.to(c.x)
		s, st := label(c.col)
		switch {
		case c.col == colState && l.aged:
			a, ast := label(colAge)
			p.cell(st, s, c.w-width(a), "")
			p.put(ast, a)
		case c.col == colName && l.shared && c.w >= 24:
			a, ast := label(colCancel)
			p.cell(st, s, c.w-width(a), "")
			p.put(ast, a)
		case c.col == colAge:
			p.right(st, s, c.w, "")
		case c.col == colProgress && c.w < 8:
			if c.col == o.by {
				p.right(t.title, "%"+strings.TrimPrefix(s, c.col.title()), c.w, "")
			} else {
				p.right(st, "%", c.w, "")
			}
		default:
			p.cell(st, s, c.w, "")
		}
	}
	p.to(l.width)
	return p.String()
}
