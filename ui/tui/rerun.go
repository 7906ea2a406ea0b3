package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
)

// again asks whether to run a job once more, as a new job. It holds the id.
type again struct {
	guard
	id   core.JobID
	part bool // a range of frames: it can run what did not complete alone
}

func (a *again) guarded() *guard { return &a.guard }

func (a *again) offers(key string, x *index) bool {
	j := x.get(a.id)
	return j != nil && j.State.Terminal() && (key == keyYes || key == keyPart && a.part)
}

func (a *again) choices(k talker, x *index) ([]choice, string) {
	j := x.get(a.id)
	switch {
	case j == nil:
		return nil, "close"
	case a.part:
		return []choice{
			{keyYes, "all", "every frame of " + k.line(j.Labels["frames"])},
			{keyPart, "unfinished", "only the chunks that did not complete"},
		}, "no"
	}
	return []choice{{key: keyYes, does: "run it again"}}, "no"
}

// draw draws the dialog, at most w by h.
func (a *again) draw(t *theme, k talker, x *index, now time.Time, w, h int) []string {
	w = min(w, 76)
	inner := w - 4
	j := x.get(a.id)
	head := paint(t.title, "run this job again?")
	if j == nil {
		return t.frame(head, "", []string{
			" " + paint(t.muted, cut(k.line(string(a.id))+"  no longer in the list", inner, t.dots)),
			" " + paint(t.muted, cut("nothing left to run again; any key closes", inner, t.dots)),
		}, w, t.warn)
	}
	body := drawSubject(t, k, j, inner)
	var b painter
	b.put(t.state[j.State], " "+stateText(t, k, j.State))
	if j.User != "" {
		b.put(t.muted, k.sep+k.line(j.User))
	}
	if p := j.Progress; a.part && p != nil && p.Message != "" {
		b.put(t.muted, k.sep+k.line(p.Message))
	}
	body = append(body, cutPainted(b.String(), inner+1))
	for _, s := range a.warnings() {
		body = append(body, " "+paint(t.warn, cut(s, inner, t.dots)))
	}
	room := h - 2 - len(body)
	all, rest := a.choices(k, x)
	choices := a.drawChoices(t, all, rest, now, inner, room)
	if len(body)+1+len(choices) <= h-2 {
		body = append(body, "")
	}
	return t.frame(head, "", append(body, choices...), w, t.warn)
}

// againMsg is the answer to a rerun, or the error instead.
type againMsg struct {
	id  core.JobID
	job *core.Job
	err error
}

// askAgain opens the dialog for the cursor's job. Where it cannot be run again
// now it says why instead, and nothing is sent.
func (m *model) askAgain(opener string, repeat bool) tea.Cmd {
	now := m.now()
	j := m.current()
	if repeat || j == nil {
		return nil
	}
	s := said{id: j.ID, name: m.clean.line(j.Name), tone: wait}
	switch {
	case m.o.Rerunner == nil:
		s.text = "this dispatcher cannot run a job again"
	case m.stale() || !m.seen:
		m.toasts.say(alarm, now, m.notConnected())
		return nil
	case len(m.table.marks) > 0:
		m.toasts.say(wait, now, "R runs one job again: u takes the marks away")
		return nil
	case !j.State.Terminal():
		s.text = "still " + m.clean.line(string(j.State)) + ": nothing was started"
	case m.reruns[j.ID]:
		s.text = "asked already: waiting for the answer"
	default:
		a := &again{guard: newGuard(opener, now), id: j.ID, part: isRange(j) && j.State != core.Completed}
		m.warnOfMoves(&a.guard, true)
		m.dialog = a
		return openDialog()
	}
	m.toasts.tell([]said{s}, now)
	return nil
}

// sendAgain asks the dispatcher, once.
func (m *model) sendAgain(a *again, part bool) tea.Cmd {
	m.reruns[a.id] = true
	to, ctx, flight := m.o.Rerunner, context.WithoutCancel(m.ctx), m.inFlight
	r := core.RerunRequest{ID: a.id, OnlyUnfinished: part, By: m.o.Me}
	flight.Add(1)
	return func() tea.Msg {
		defer flight.Done()
		ctx, stop := context.WithTimeout(ctx, answerWithin)
		defer stop()
		j, err := to.Rerun(ctx, r)
		return againMsg{id: r.ID, job: j, err: silence(ctx, err)}
	}
}

// ranAgain tells what became of a rerun. The cursor stays: the new job has a
// row of its own.
func (m *model) ranAgain(msg againMsg) {
	delete(m.reruns, msg.id)
	s := said{id: msg.id, tone: alarm}
	if j := m.index.get(msg.id); j != nil {
		s.name = m.clean.line(j.Name)
	}
	why := ""
	if msg.err != nil {
		why = m.clean.line(msg.err.Error())
	}
	switch {
	case msg.err == nil && msg.job != nil:
		m.toasts.say(calm, m.now(), "runs again as "+m.clean.line(string(msg.job.ID))+": "+m.clean.line(msg.job.Name))
		return
	case errors.Is(msg.err, core.ErrOutcomeUnknown):
		s.text = "sent, outcome unknown: look for a new row before you ask again"
	case errors.Is(msg.err, core.ErrUnreachable):
		s.text = "not sent: " + why
	case errors.Is(msg.err, core.ErrNotEnded):
		s.text = "nothing was started: " + why
	default:
		s.text = "not run again: " + why
	}
	m.toasts.tell([]said{s}, m.now())
}
