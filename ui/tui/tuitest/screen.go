package tuitest

import (
	"bytes"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Cell is one place of the screen. The second half of a wide character is a
// cell of width 0 without text.
type Cell struct {
	Text  string // one grapheme cluster; " " when empty
	Width int

	Fg, Bg         color.Color // nil: the terminal's own
	UnderlineColor color.Color // nil: as Fg

	Bold, Faint, Italic, Underline, Blink, Reverse, Strike bool

	Link string // where it leads (OSC 8)
}

// Screen is what a terminal shows at one moment.
type Screen struct {
	Width, Height int
	Cells         [][]Cell // rows of cells

	CursorX, CursorY int
	CursorShown      bool
	CursorBar        bool // a bar rather than a block

	Fg, Bg color.Color // where the program set its own; else nil
}

// Screen returns what is shown now.
func (x *Term) Screen() Screen {
	x.mu.Lock()
	defer x.mu.Unlock()
	w, h := x.em.Width(), x.em.Height()
	s := Screen{Width: w, Height: h, Cells: make([][]Cell, h)}
	for y := range s.Cells {
		row := make([]Cell, w)
		for c := range row {
			row[c] = cellOf(x.em.CellAt(c, y))
		}
		s.Cells[y] = row
	}
	at := x.em.CursorPosition()
	s.CursorX, s.CursorY, s.CursorShown = at.X, at.Y, !x.em.CursorHidden()
	style, _ := x.em.CursorStyle()
	s.CursorBar = style == vt.CursorBar
	th := x.Theme()
	if c := x.em.ForegroundColor(); c != th.Fg {
		s.Fg = c
	}
	if c := x.em.BackgroundColor(); c != th.Bg {
		s.Bg = c
	}
	return s
}

// Cells returns the rows of cells shown now.
func (x *Term) Cells() [][]Cell { return x.Screen().Cells }

func cellOf(c *uv.Cell) Cell {
	if c == nil {
		return Cell{Text: " ", Width: 1}
	}
	text := c.Content
	if text == "" && c.Width == 1 {
		text = " "
	}
	s := c.Style
	return Cell{
		Text: text, Width: c.Width,
		Fg: s.Fg, Bg: s.Bg, UnderlineColor: s.UnderlineColor,
		Bold: s.Attrs&uv.AttrBold != 0, Faint: s.Attrs&uv.AttrFaint != 0,
		Italic: s.Attrs&uv.AttrItalic != 0, Blink: s.Attrs&(uv.AttrBlink|uv.AttrRapidBlink) != 0,
		Reverse: s.Attrs&uv.AttrReverse != 0, Strike: s.Attrs&uv.AttrStrikethrough != 0,
		Underline: s.Underline != ansi.UnderlineNone,
		Link:      c.Link.URL,
	}
}

// Text returns the rows as text, without the blanks at the right of each and
// the empty rows at the end.
func (x *Term) Text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.log.text(x.em)
}

// Line returns row n, counted from 0, without the blanks at its right. A row
// that does not exist is empty.
func (x *Term) Line(n int) string {
	lines := strings.Split(x.Text(), "\n")
	if n < 0 || n >= len(lines) {
		return ""
	}
	return lines[n]
}

// Find returns where text begins on the screen, in cells, and false when it is
// not there.
func (x *Term) Find(text string) (col, row int, ok bool) {
	for y, line := range strings.Split(x.Text(), "\n") {
		if i := strings.Index(line, text); i >= 0 {
			return ansi.StringWidth(line[:i]), y, true
		}
	}
	return 0, 0, false
}

// screenText renders the rows of em as plain text.
func screenText(em *vt.Emulator) string {
	w, h := em.Width(), em.Height()
	out := make([]byte, 0, w*h+h)
	for y := range h {
		start := len(out)
		for c := range w {
			switch cell := em.CellAt(c, y); {
			case cell == nil, cell.Content == "" && cell.Width == 1:
				out = append(out, ' ')
			default:
				// The second half of a wide character has no content.
				out = append(out, cell.Content...)
			}
		}
		out = append(out[:start], bytes.TrimRight(out[start:], " ")...)
		out = append(out, '\n')
	}
	return string(bytes.TrimRight(out, "\n"))
}
