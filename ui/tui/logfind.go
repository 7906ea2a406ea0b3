package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// look searches for what was typed, from the line that seekAt names on, up or
// down. It stops at the end of what is loaded, and goes on when more comes.
func (v *logView) look(g *logText, clean cleaner, by int) (found bool) {
	v.seeking = by
	word := strings.ToLower(v.find)
	v.seekAt = max(min(v.seekAt, g.last()), g.first-1)
	for ; v.seekAt >= g.first && v.seekAt < g.last(); v.seekAt += by {
		if !strings.Contains(strings.ToLower(g.line(v.seekAt, clean)), word) {
			continue
		}
		v.seeking, v.match = 0, v.seekAt
		v.held, v.top, v.sub = true, v.seekAt, 0
		v.scroll(g, clean, -v.height/3) // with some lines before it
		return true
	}
	return false
}

// spent reports whether there is nothing left to look at in the direction of
// the search.
func (v *logView) spent(g *logText) bool {
	if v.seeking < 0 {
		return g.floor
	}
	return g.caught || g.end
}

// findKey handles the line in which the word to look for is typed.
func (m *model) findKey(msg tea.KeyPressMsg) {
	switch msg.String() {
	case "esc":
		m.finding = false
	case "enter":
		m.finding = false
		v := &m.logView
		if v.find = m.clean.line(m.input.value()); v.find != "" {
			v.seekAt = m.log.last() - 1
			if v.held {
				v.seekAt = v.top + v.height - 1
			}
			v.match = v.seekAt
			m.look(-1)
		}
	default:
		m.input.press(msg)
	}
}

// lookOn goes on to the next place, up or down.
func (m *model) lookOn(by int) {
	v := &m.logView
	if v.find == "" {
		m.toasts.say(wait, m.now(), "/ looks for a word in the log")
		return
	}
	v.seekAt = v.match + by
	m.look(by)
}

// look searches in what is loaded, and says so where there is nothing more.
func (m *model) look(by int) {
	v := &m.logView
	if !v.look(&m.log, m.clean, by) && v.spent(&m.log) {
		v.seeking = 0
		where := "above"
		if by > 0 {
			where = "below"
		}
		m.toasts.say(wait, m.now(), "not found "+where+": "+m.clean.line(v.find))
	}
}
