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
	c := &confirm{guard: newGuard(opener, now)}
	kins := m.index.descendants(ids)
	busy := 0
	for _, id := range ids {
		j := m.index.get(id)
		switch {
		case m.asks.busy(id):
			busy++
			continue
		case j != nil && !j.State.Terminal() && m.index.place(id) < 0:
			c.hidden++
		}
		c.jobs = append(c.jobs, pinned{id: id, kin: kins[id], over: j == nil || j.State.Terminal()})
	}
	if len(c.jobs) == 0 {
		m.toasts.say(wait, now, countText(busy, "cancel is", "cancels are")+" on the way: waiting for the answer")
		return nil
	}
	if f := c.fates(m.index); len(f.live) == 0 {
		m.hopeless(f, now)
		return nil
	}
	m.warnOfMoves(&c.guard, len(m.table.marks) == 0)
	if why {
		m.why, m.input = c, input{}
		return nil
	}
	m.dialog = c
	return openDialog()
}

// hopeless says why none of some jobs can be cancelled.
func (m *model) hopeless(f fates, now time.Time) {
	if len(f.refused) == 0 && len(f.ended) > 1 {
		m.toasts.say(wait, now, "all of them are over already")
		return
	}
	m.toasts.tell(m.skipped(f), now)
}

// skipped is why jobs that were meant are not asked, one line per id.
func (m *model) skipped(f fates) []said {
	var out []said
	for _, id := range f.ended {
		s := said{id: id, text: "already over", tone: wait}
		if j := m.index.get(id); j != nil {
			s.name, s.text = m.clean.line(j.Name), "already "+m.clean.line(string(j.State))
		}
		out = append(out, s)
	}
	for _, id := range f.refused {
		j := m.index.get(id)
		out = append(out, said{
			id: id, name: m.clean.line(j.Name), tone: alarm,
			text: join2("cannot be cancelled", m.clean.line(j.NotCancellable)), short: "cannot be cancelled",
		})
	}
	return out
}

// warnOfMoves notes on a dialog that the list has just moved by itself, where
// the dialog is about the cursor's job.
func (m *model) warnOfMoves(g *guard, cursors bool) {
	if cursors && m.now().Sub(m.table.movedAt) < guardFor {
		g.moved, g.lost = true, m.table.lost
	}
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
		c := m.why
		c.reason = m.input.value()
		c.opened, c.opener, c.lastOpener = m.now(), "enter", m.now()
		m.dialog, m.why = c, nil
		return openDialog()
	default:
		m.input.press(msg)
	}
	return nil
}

// dialogKey gives a key to the dialog and does what it means. last is when the
// same key was pressed before.
func (m *model) dialogKey(name string, repeat bool, last time.Time) tea.Cmd {
	offered := m.dialog.offers(name, m.index)
	switch m.dialog.guarded().press(name, offered, repeat, last, m.now()) {
	case yes:
		return m.choose(name)
	case no:
		m.dialog = nil
	case judge:
		return tea.Tick(repeatGap, func(time.Time) tea.Msg { return judgeMsg{} })
	}
	return nil
}

// judgeKey does what a doubtful key means, once it proved to be a fresh one.
func (m *model) judgeKey() tea.Cmd {
	if m.dialog == nil {
		return nil
	}
	g := m.dialog.guarded()
	if !g.judged(m.now()) {
		return nil
	}
	if !m.dialog.offers(g.tried, m.index) {
		g.trial = time.Time{} // what it was for has gone meanwhile
		return nil
	}
	return m.choose(g.tried)
}

// choose closes the dialog and does what was chosen.
func (m *model) choose(key string) tea.Cmd {
	d, now := m.dialog, m.now()
	m.dialog, m.chosen, m.chosenAt = nil, key, now
	if m.stale() {
		m.toasts.say(alarm, now, m.notConnected())
		return nil
	}
	switch d := d.(type) {
	case *confirm:
		return m.send(d, key == keyForce)
	case *again:
		return m.sendAgain(d, key == keyPart)
	}
	return nil
}

// send asks the dispatcher, once for every pinned job that can be asked, or
// with force for every one of which there is something to kill.
func (m *model) send(c *confirm, force bool) tea.Cmd {
	now := m.now()
	f := c.fates(m.index)
	live := f.live
	if force {
		live = c.killable(m.index)
	}
	skipped := m.skipped(f)
	for _, s := range skipped {
		m.asks.note(s.id, s.text, s.brief(), s.tone, now)
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
		reqs = append(reqs, core.CancelRequest{
			CommandID: m.newID(), IDs: live[:n:n], Reason: c.reason, Force: force, By: m.o.Me,
		})
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
	return answer{ids: r.IDs, force: r.Force, outcomes: out, err: silence(ctx, err)}
}

// silence makes an error of a request that came only because its time was over
// one whose outcome is unknown.
func silence(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: no answer within %s", core.ErrOutcomeUnknown, answerWithin)
	}
	return err
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

// whereForce says where a job is forced: not by a key on the list.
func (m *model) whereForce() {
	say := "nothing is forced from here: press c on a job that is cancelling, ! is offered there"
	m.toasts.say(wait, m.now(), say)
}
