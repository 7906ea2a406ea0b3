package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
)

// answerWithin is how long a request may stay without an answer before its
// outcome counts as unknown.
const answerWithin = 20 * time.Second

// ask opens the dialog for the marked jobs or the cursor's, whose ids it pins.
// Where nothing can be asked it says why instead.
func (m *model) ask(opener string, repeat, why bool) tea.Cmd {
	now := m.now()
	ids := m.table.target(m.index)
	switch {
	case repeat, len(ids) == 0:
		return nil
	case m.stale() || !m.seen:
		m.toasts.say(alarm, now, m.notConnected())
		return nil
	}
	c := &confirm{opened: now, opener: opener, lastOpener: now}
	kins := m.index.descendants(ids)
	var last *core.Job
	busy, over := 0, 0
	for _, id := range ids {
		j := m.index.get(id)
		switch {
		case m.asks.busy(id):
			busy++
			continue
		case j == nil || j.State.Terminal():
			over++
		case m.index.place(id) < 0:
			c.hidden++
		}
		last = j
		c.jobs = append(c.jobs, pinned{id: id, kin: kins[id], over: j == nil || j.State.Terminal()})
	}
	switch {
	case len(c.jobs) == 0:
		m.toasts.say(wait, now, countText(busy, "cancel is", "cancels are")+" on the way: waiting for the answer")
		return nil
	case over == len(c.jobs) && over == 1 && last != nil:
		s := said{id: last.ID, name: m.clean.line(last.Name)}
		m.toasts.say(wait, now, s.subject()+": already "+m.clean.line(string(last.State)))
		return nil
	case over == len(c.jobs):
		m.toasts.say(wait, now, "all of them are over already")
		return nil
	}
	if now.Sub(m.table.movedAt) < guardFor && len(m.table.marks) == 0 {
		c.moved, c.lost = true, m.table.lost
	}
	if why {
		m.why, m.input = c, input{}
		return nil
	}
	m.dialog = c
	return openDialog()
}

// openDialog is when the dialog that has just opened begins to take keys.
func openDialog() tea.Cmd {
	return tea.Tick(guardFor, func(time.Time) tea.Msg { return guardMsg{} })
}

// whyKey handles the line in which a reason is typed.
func (m *model) whyKey(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		m.why = nil
	case "enter":
		m.dialog, m.why = m.why, nil
		m.dialog.reason = m.input.value()
		m.dialog.opened, m.dialog.opener = m.now(), "enter"
		m.dialog.lastOpener = m.now()
		return openDialog()
	default:
		m.input.press(msg)
	}
	return nil
}

// dialogKey gives a key to the dialog and does what it means.
func (m *model) dialogKey(name string, repeat bool, lastY time.Time) tea.Cmd {
	switch m.dialog.press(name, repeat, lastY, m.now()) {
	case yes:
		return m.send()
	case no:
		m.dialog = nil
	case judge:
		return tea.Tick(repeatGap, func(time.Time) tea.Msg { return judgeMsg{} })
	}
	return nil
}

// send closes the dialog and asks the dispatcher, once for every pinned job
// that has not ended meanwhile.
func (m *model) send() tea.Cmd {
	c, now := m.dialog, m.now()
	m.dialog, m.lastYes = nil, now
	if m.stale() {
		m.toasts.say(alarm, now, m.notConnected())
		return nil
	}
	live, ended := c.open(m.index)
	var skipped []said
	for _, id := range ended {
		s := said{id: id, text: "already over", tone: wait}
		if j := m.index.get(id); j != nil {
			s.name, s.text = m.clean.line(j.Name), "already "+m.clean.line(string(j.State))
		}
		skipped = append(skipped, s)
		m.asks.note(id, s.text, s.text, wait, now)
	}
	if len(skipped) > 0 {
		m.toasts.tell(skipped, now)
	}
	for _, p := range c.jobs {
		delete(m.table.marks, p.id)
	}
	m.table.endRange()
	if len(live) == 0 {
		return nil
	}
	m.asks.send(live, m.store.proofs())
	var reqs []core.CancelRequest
	for len(live) > 0 {
		n := min(len(live), maxIDs)
		reqs = append(reqs, core.CancelRequest{CommandID: m.newID(), IDs: live[:n:n], Reason: c.reason, By: m.o.Me})
		live = live[n:]
	}
	return m.request(reqs)
}

// request sends requests one after another and waits for their answers. It is
// one command, not a sequence, so that it is on its way before any later key;
// and leaving the program does not call it back.
func (m *model) request(reqs []core.CancelRequest) tea.Cmd {
	to, ctx, flight := m.o.Canceller, context.WithoutCancel(m.ctx), m.inFlight
	flight.Add(1)
	return func() tea.Msg {
		defer flight.Done()
		var out answers
		for _, r := range reqs {
			out = append(out, askOnce(ctx, to, r))
		}
		return out
	}
}

func askOnce(ctx context.Context, to Canceller, r core.CancelRequest) answer {
	ctx, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	out, err := to.Cancel(ctx, r)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: no answer within %s", core.ErrOutcomeUnknown, answerWithin)
	}
	return answer{ids: r.IDs, outcomes: out, err: err}
}

// answered takes in the answers and tells them.
func (m *model) answered(all answers) {
	var told []said
	for _, r := range all {
		told = append(told, m.asks.answered(r, m.index, m.store.proofs(), m.talker(), m.now())...)
	}
	m.toasts.tell(told, m.now())
	m.settleAsks()
}

// readLog asks for more of the log that is on the screen, when it is time.
func (m *model) readLog() tea.Cmd {
	j := m.current()
	if j == nil || !m.detailOn && !m.logOn || m.stale() {
		return nil
	}
	if m.log.id != j.ID {
		m.log, m.logBusy = logText{id: j.ID}, false
	}
	if m.logBusy || m.log.end {
		return nil
	}
	m.logBusy = true
	from, ctx, id, next := m.o.Feed, m.ctx, j.ID, m.log.next
	return func() tea.Msg {
		ctx, stop := context.WithTimeout(ctx, answerWithin)
		defer stop()
		c, err := from.Log(ctx, id, next)
		return logMsg{id: id, chunk: c, err: err}
	}
}

// logCame takes in a piece of a log and says when the next is due.
func (m *model) logCame(msg logMsg) tea.Cmd {
	if msg.id != m.log.id {
		return nil // the cursor has moved on
	}
	pace := logPace
	switch {
	case msg.err != nil:
		m.log.err, m.log.loaded = m.clean.line(msg.err.Error()), true
		pace = logIdle
	default:
		m.log.add(msg.chunk, m.clean)
		if len(msg.chunk.Data) == 0 {
			pace = logIdle
		}
	}
	return tea.Tick(pace, func(time.Time) tea.Msg { return logDueMsg{msg.id} })
}
