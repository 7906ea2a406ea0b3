package tui

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// key routes a press to whatever is on top.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	name, now := msg.String(), m.now()
	last := m.pressed[name]
	switch name {
	case keyYes, keyPart, keyForce:
		m.pressed[name] = now
	}
	switch {
	case name == "ctrl+c":
		return tea.Quit // leaving never cancels anything
	case key.Matches(msg, m.keys.Suspend):
		return tea.Suspend
	case m.tooSmall():
		if name == "q" {
			return tea.Quit
		}
		return nil
	case m.dialog != nil:
		return m.dialogKey(name, msg.IsRepeat, last)
	case m.why != nil:
		return m.whyKey(msg)
	case m.filtering:
		m.filterKey(msg)
		return nil
	case m.finding:
		m.findKey(msg)
		return nil
	case m.helpOn:
		m.helpKey(msg)
		return nil
	}
	if name == keyYes && msg.IsRepeat {
		return nil
	}
	if name == m.chosen && (msg.IsRepeat || now.Sub(m.chosenAt) < holdFor) {
		m.chosenAt = now // the key that gave the answer is still held
		return nil
	}
	return m.listKey(msg)
}

// listKey handles the list, the details and the log.
func (m *model) listKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.keys
	switch {
	case key.Matches(msg, k.Quit):
		return tea.Quit
	case key.Matches(msg, k.Help):
		m.helpOn, m.helpTop = true, 0
	case key.Matches(msg, k.Back):
		m.back()
	case key.Matches(msg, k.Cancel):
		return m.ask(msg.String(), msg.IsRepeat, false)
	case key.Matches(msg, k.CancelWhy):
		return m.ask(msg.String(), msg.IsRepeat, true)
	case key.Matches(msg, k.Force):
		m.whereForce()
	case key.Matches(msg, k.Rerun):
		return m.askAgain(msg.String(), msg.IsRepeat)
	case key.Matches(msg, k.Copy):
		return m.copyID()
	case key.Matches(msg, k.Log):
		m.logOn = !m.logOn
		m.logEnd()
	case m.logOn && m.logKey(msg):
	case key.Matches(msg, k.Details):
		m.detailOn = !m.detailOn
		m.detail.top = 0
	case m.detailOn && m.page().list.h == 0 && m.detailKey(msg):
	case m.moveKey(msg):
		m.detail.top = 0
	case m.markKey(msg):
	default:
		m.viewKey(msg)
	}
	return nil
}

// back takes away the topmost layer, and only that. It never quits.
func (m *model) back() {
	switch {
	case m.logOn && m.logView.seeking != 0:
		m.logView.seeking = 0
	case m.logOn:
		m.logOn = false
		m.logEnd()
	case m.detailOn:
		m.detailOn = false
	case m.table.ranging:
		m.table.endRange()
	case m.index.filter.text != "":
		m.index.refilter(filter{}, m.index.hide)
	default:
		m.table.unmark()
	}
}

func (m *model) logKey(msg tea.KeyPressMsg) bool {
	k, v := &m.keys, &m.logView
	scroll := func(n int) { v.scroll(&m.log, m.clean, n) }
	switch {
	case key.Matches(msg, k.Up):
		scroll(-1)
	case key.Matches(msg, k.Down):
		scroll(1)
	case key.Matches(msg, k.PageUp):
		scroll(-max(v.height-1, 1))
	case key.Matches(msg, k.PageDown):
		scroll(max(v.height-1, 1))
	case key.Matches(msg, k.Top):
		m.logTop()
	case key.Matches(msg, k.Bottom):
		m.logEnd()
	case key.Matches(msg, k.Find):
		switch msg.String() {
		case "n":
			m.lookOn(-1)
		case "N":
			m.lookOn(1)
		default:
			m.finding, m.input = true, input{}
		}
	case key.Matches(msg, k.Details), key.Matches(msg, k.Mark):
		// of the list, which is not on the screen
	default:
		return false
	}
	return true
}

// detailKey scrolls the details where they take the whole screen.
func (m *model) detailKey(msg tea.KeyPressMsg) bool {
	switch {
	case key.Matches(msg, m.keys.PageUp):
		m.detail.top -= max(m.h/2, 1)
	case key.Matches(msg, m.keys.PageDown):
		m.detail.top += max(m.h/2, 1)
	default:
		return false
	}
	return true
}

func (m *model) moveKey(msg tea.KeyPressMsg) bool {
	k, t, x := &m.keys, &m.table, m.index
	switch {
	case key.Matches(msg, k.Up):
		t.moveTo(x, t.pos-1)
	case key.Matches(msg, k.Down):
		t.moveTo(x, t.pos+1)
	case key.Matches(msg, k.PageUp):
		t.moveTo(x, t.pos-t.height)
	case key.Matches(msg, k.PageDown):
		t.moveTo(x, t.pos+t.height)
	case key.Matches(msg, k.Top):
		t.moveTo(x, 0)
	case key.Matches(msg, k.Bottom):
		t.moveTo(x, len(x.shown)-1)
	default:
		return false
	}
	return true
}

func (m *model) markKey(msg tea.KeyPressMsg) bool {
	k, t, x := &m.keys, &m.table, m.index
	switch {
	case key.Matches(msg, k.Mark):
		t.toggle(x)
	case key.Matches(msg, k.Range):
		t.startRange(x)
	case key.Matches(msg, k.MarkShown):
		t.markShown(x)
	case key.Matches(msg, k.Unmark):
		t.unmark()
	default:
		return false
	}
	return true
}

// viewKey handles what changes the list itself. The cursor stays on its job,
// and the move is the operator's own.
func (m *model) viewKey(msg tea.KeyPressMsg) {
	k, x := &m.keys, m.index
	switch {
	case key.Matches(msg, k.Filter):
		m.logOn, m.filtering, m.before = false, true, x.filter
		if m.page().list.h == 0 {
			m.detailOn = false
		}
		m.input = newInput(x.filter.text)
	case key.Matches(msg, k.Sort):
		x.resort(x.order.next(lay(m.listWidth()).shows))
	case key.Matches(msg, k.Reverse):
		x.resort(order{by: x.order.by, reverse: !x.order.reverse})
	case key.Matches(msg, k.Tree):
		x.tree = !x.tree
		x.show()
	case key.Matches(msg, k.HideEnded):
		x.refilter(x.filter, !x.hide)
	case key.Matches(msg, k.Freeze):
		if x.frozen = !x.frozen; !x.frozen {
			x.resort(x.order)
		}
	}
}

func (m *model) filterKey(msg tea.KeyPressMsg) {
	switch msg.String() {
	case "enter":
		m.filtering = false
	case "esc":
		m.filtering = false
		m.index.refilter(m.before, m.index.hide)
	case "up", "down":
		m.moveKey(msg)
	default:
		m.input.press(msg)
		m.typed()
	}
}

// typed filters by what stands in the input line.
func (m *model) typed() {
	if f := parseFilter(m.input.value()); m.filtering && f.text != m.index.filter.text {
		m.index.refilter(f, m.index.hide)
	}
}

// paste is text for an input line, and on the list nothing at all.
func (m *model) paste(msg tea.PasteMsg) {
	if m.dialog != nil || !m.filtering && !m.finding && m.why == nil {
		return
	}
	m.input.insert(msg.Content)
	m.typed()
	m.fit(true)
}

func (m *model) helpKey(msg tea.KeyPressMsg) {
	k := &m.keys
	switch {
	case key.Matches(msg, k.Down):
		m.helpTop++
	case key.Matches(msg, k.Up):
		m.helpTop--
	case key.Matches(msg, k.PageDown), key.Matches(msg, k.Mark):
		m.helpTop += max(m.h/2, 1)
	case key.Matches(msg, k.PageUp):
		m.helpTop -= max(m.h/2, 1)
	case key.Matches(msg, k.Help), key.Matches(msg, k.Back), key.Matches(msg, k.Quit), key.Matches(msg, k.Details):
		m.helpOn = false
	}
}

// copyID puts the id under the cursor on the clipboard.
func (m *model) copyID() tea.Cmd {
	j := m.current()
	if j == nil {
		return nil
	}
	id := m.clean.line(string(j.ID))
	m.toasts.say(calm, m.now(), fmt.Sprintf("copied %s", id))
	return tea.SetClipboard(id)
}

// hints is what the foot of the screen offers now.
func (m *model) hints() []key.Binding {
	k := &m.keys
	switch {
	case m.logOn:
		return []key.Binding{k.Back, k.PageUp, k.Bottom, k.Find, k.Cancel, k.Help, k.Quit}
	case m.detailOn:
		return m.withRerun(k.Back, k.Cancel, k.Log, k.Copy, k.Help, k.Quit)
	case len(m.table.marks) > 0:
		return []key.Binding{k.Cancel, k.Unmark, k.Mark, k.Range, k.Help, k.Quit}
	}
	return m.withRerun(k.Cancel, k.Details, k.Log, k.Filter, k.Mark, k.Sort, k.Help, k.Quit)
}

// withRerun puts the key that runs a job again in place of the one that cancels
// it, where it is over.
func (m *model) withRerun(all ...key.Binding) []key.Binding {
	if j := m.current(); j == nil || !j.State.Terminal() || m.o.Rerunner == nil {
		return all
	}
	for i := range all {
		if all[i].Help() == m.keys.Cancel.Help() {
			all[i] = m.keys.Rerun
		}
	}
	return all
}
