package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func (m *model) tooSmall() bool { return m.w < minWidth || m.h < minHeight }

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.WindowTitle = "dcctop"
	v.KeyboardEnhancements.ReportEventTypes = true // so that a held key says so
	lines, cursor := m.screen()
	v.Content = strings.Join(lines, "\n")
	v.Cursor = cursor
	return v
}

// screen draws every line, each exactly as wide as the screen.
func (m *model) screen() ([]string, *tea.Cursor) {
	if m.tooSmall() {
		return m.drawTooSmall(), nil
	}
	p := m.page()
	lines := m.drawHeader(p)
	if p.banner > 0 {
		lines = append(lines, m.drawBanner(p.w))
	}
	lines = append(lines, m.drawBody(p)...)
	lines = append(lines, m.drawFoot(p.w))
	cursor := m.drawOver(lines, p)
	m.breath.weigh(lines)
	return lines, cursor
}

func (m *model) drawTooSmall() []string {
	lines := make([]string, max(m.h, 1))
	lines[0] = cut(fmt.Sprintf("too small: needs %dx%d", minWidth, minHeight), m.w, "")
	return lines
}

// drawBody draws the list and what is open beside, below or over it.
func (m *model) drawBody(p page) []string {
	var list, side []string
	if p.list.h > 0 {
		list = m.drawList(p.list)
	}
	if p.side.h > 0 {
		side = m.drawSide(p.side)
	}
	if list == nil || side == nil || p.side.y > p.list.y {
		return append(list, side...)
	}
	for i := range list {
		list[i] += side[i]
	}
	return list
}

// drawSide draws the details or the log of the job under the cursor.
func (m *model) drawSide(r rect) []string {
	t := &m.theme
	j := m.current()
	switch {
	case j == nil:
		body := make([]string, r.h-2)
		body[0] = " " + paint(t.muted, "no job under the cursor")
		return t.frame("", "", body, r.w, t.border)
	case m.logOn:
		return m.logView.draw(t, &m.log, m.clean, j, r)
	}
	g := &m.log
	if g.id != j.ID {
		g = &logText{}
	}
	return m.detail.draw(t, m.eyes(), m.now().Location(), j, m.asks.byID[j.ID], g, r)
}

// drawOver lays toasts, help and dialogs over the screen, and says where the
// text cursor is.
func (m *model) drawOver(lines []string, p page) *tea.Cursor {
	t := &m.theme
	bottom := p.h - p.footer - 1
	if box := m.toasts.lines(t, min(p.w-4, 64)); len(box) > 0 {
		for i, l := range box {
			n := ansi.StringWidth(l)
			overlay(lines, []string{l}, p.w-n-2, bottom-len(box)+i, p.w)
		}
	}
	switch {
	case m.dialog != nil:
		m.centre(lines, p, m.dialog.draw(t, m.talker(), m.index, m.now(), p.w-2, p.h-2))
	case m.why != nil:
		return m.drawWhy(lines, p)
	case m.prompt() != "":
		n := len(m.prompt())
		_, x := m.input.draw(m.clean, p.w-n-1)
		return tea.NewCursor(n+x, p.h-1)
	case m.helpOn:
		m.centre(lines, p, m.drawHelp(p.w, p.h-1))
	}
	return nil
}

// centre lays a box over the middle of the screen.
func (m *model) centre(lines []string, p page, box []string) (x, y int) {
	if len(box) == 0 {
		return 0, 0
	}
	w := ansi.StringWidth(box[0])
	x, y = max((p.w-w)/2, 0), max((p.h-len(box))/2, 0)
	overlay(lines, box, x, y, p.w)
	return x, y
}

// drawWhy draws the line in which the reason of a cancel is typed.
func (m *model) drawWhy(lines []string, p page) *tea.Cursor {
	t := &m.theme
	w := min(p.w-2, 76)
	text, at := m.input.draw(m.clean, w-7)
	title := "why cancel " + countText(len(m.why.jobs), "job", "jobs") + "?"
	box := t.frame(paint(t.title, title), paint(t.muted, "Enter goes on, Esc goes back"),
		[]string{"", "  " + paint(t.strong, text), ""}, w, t.warn)
	x, y := m.centre(lines, p, box)
	return tea.NewCursor(x+3+at, y+2)
}
