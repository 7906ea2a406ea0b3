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
	box, y := m.placeToasts(p)
	for i, l := range box {
		overlay(lines, []string{l}, p.w-ansi.StringWidth(l)-2, y+i, p.w)
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

// placeToasts returns the lines of the toasts and where they begin: at the
// bottom, or at the top where the cursor's row is down there. That row stays
// readable; where there is room on neither side the oldest give way.
func (m *model) placeToasts(p page) (box []string, y int) {
	box = m.toasts.lines(&m.theme, min(p.w-4, 52))
	bottom := p.h - p.footer - 1
	if p.list.h == 0 || m.index.place(m.table.cursor) < 0 {
		return box, bottom - len(box)
	}
	top := p.list.y + 2 // under the frame and the heads
	cursor := top + m.table.pos - m.table.top
	above, below := cursor-top, bottom-cursor-1
	if len(box) <= below || below >= above {
		box = box[max(len(box)-max(below, 0), 0):]
		return box, bottom - len(box)
	}
	box = box[max(len(box)-above, 0):]
	return box, top
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

// whyKeys is what the line of a reason takes besides text.
const whyKeys = "Enter goes on, Esc goes back"

// drawWhy draws the line in which the reason of a cancel is typed.
func (m *model) drawWhy(lines []string, p page) *tea.Cursor {
	t := &m.theme
	w := min(p.w-2, 76)
	text, at := m.input.draw(m.clean, w-7)
	if m.why.none != "" {
		body := []string{""}
		for _, l := range wrapWords(m.why.none, w-6) {
			body = append(body, "  "+paint(t.warn, l))
		}
		m.centre(lines, p, t.frame(paint(t.title, "nothing to cancel"), paint(t.muted, "Enter or Esc closes"), append(body, ""), w, t.warn))
		return nil
	}
	title := "why cancel " + countText(len(m.why.jobs), "job", "jobs") + "?"
	box := t.frame(paint(t.title, title), paint(t.muted, whyKeys),
		[]string{"", "  " + paint(t.strong, text), ""}, w, t.warn)
	x, y := m.centre(lines, p, box)
	return tea.NewCursor(x+3+at, y+2)
}
