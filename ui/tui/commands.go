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
	if repeat {
		return nil
	}
	c, not := m.pin(opener)
	switch {
	case len(not) > 0 && why:
		// a reason is going to be typed: here, and not as keys of the list
		m.why, m.input = &confirm{none: m.refused(not)}, input{}
		return nil
	case len(not) > 0:
		m.toasts.tell(not, m.now())
		return nil
	case why:
		m.why, m.input = c, input{}
		return nil
	}
	m.dialog = c
	return openDialog()
}

// refused puts into one line why nothing can be asked.
func (m *model) refused(not []said) string {
	if s := not[0]; len(not) == 1 {
		return s.line()
	}
	return sumUp(not)
}

// pin returns the dialog about what is to be cancelled, or why there is none.
func (m *model) pin(opener string) (c *confirm, not []said) {
	now := m.now()
	ids := m.table.target(m.index)
	switch {
	case len(ids) == 0:
		return nil, []said{{text: "no job under the cursor", tone: wait}}
	case m.stale() || !m.seen:
		return nil, []said{{text: m.notConnected(), tone: alarm}}
	}
	c = &confirm{guard: newGuard(opener, now)}
	kins := m.index.descendants(ids)
	busy := 0
	for _, id := range ids {
		j := m.index.get(id)
		if m.asks.busy(id) {
			busy++
			continue
		}
		c.jobs = append(c.jobs, pinned{id: id, kin: kins[id], over: j == nil || j.State.Terminal(), hid: m.index.place(id) < 0})
	}
	if len(c.jobs) == 0 {
		s := countText(busy, "cancel is", "cancels are") + " on the way: waiting for the answer"
		return nil, []said{{text: s, tone: wait}}
	}
	f := c.fates(m.index)
	switch {
	case len(f.live) > 0:
		m.warnOfMoves(&c.guard, len(m.table.marks) == 0)
		return c, nil
	case len(f.refused) == 0 && len(f.ended) > 1:
		return nil, []said{{text: "all of them are over already", tone: wait}}
	}
	return nil, m.skipped(f)
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
	name := msg.String()
	switch {
	case name == "esc", name == "enter" && m.why.none != "":
		m.why = nil
	case m.why.none != "": // what was meant to be a reason
	case name == "enter":
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
	say := "nothing is forced from here: press c on a job that is cancelling"
	m.toasts.say(wait, m.now(), say)
}
