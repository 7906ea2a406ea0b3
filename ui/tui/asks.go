package tui

import (
	"errors"
	"slices"
	"time"

	"dcctop/core"
)

// maxIDs is how many ids go into one request: the frame a dispatcher takes is
// 16 KiB, and an id with its quotes is about 30 bytes.
const maxIDs = 400

// noteFor is how long the answer of a dispatcher stays on a row.
const noteFor = 30 * time.Second

type askState int

const (
	askSent askState = iota // no answer yet
	askLost                 // sent, outcome unknown
	askNote                 // answered: a note to show for a while
)

// ask is a cancel of ours for one job.
type ask struct {
	state askState
	sent  proof // the store's when it was sent
	lost  proof // the store's when the outcome became unknown
	note  string
	short string
	tone  tone
	until time.Time // when a note goes
}

// asks holds our cancels by job. While one is in flight for an id there is no
// second one.
type asks struct {
	byID map[core.JobID]*ask
}

func newAsks() asks { return asks{byID: map[core.JobID]*ask{}} }

// busy reports whether a cancel for id is on its way.
func (a asks) busy(id core.JobID) bool {
	k := a.byID[id]
	return k != nil && k.state == askSent
}

// send notes that a request for ids leaves now.
func (a asks) send(ids []core.JobID, p proof) {
	for _, id := range ids {
		a.byID[id] = &ask{state: askSent, sent: p}
	}
}

// note leaves words on a row for a while.
func (a asks) note(id core.JobID, note, short string, t tone, now time.Time) {
	a.byID[id] = &ask{state: askNote, note: note, short: short, tone: t, until: now.Add(noteFor)}
}

// expire forgets notes whose time is over and jobs that are gone.
func (a asks) expire(x *index, now time.Time) {
	for id, k := range a.byID {
		if k.state == askNote && (now.After(k.until) || x.rows[id] == nil) {
			delete(a.byID, id)
		}
	}
}

// answers are the replies to the requests of one yes, in the order sent.
type answers []answer

// answer is the reply to one request, or the error instead.
type answer struct {
	ids      []core.JobID
	force    bool
	outcomes []core.CancelOutcome
	err      error
}

// answered settles the ids of one request and returns what to tell, one line
// per id.
func (a asks) answered(r answer, x *index, p proof, k talker, now time.Time) []said {
	var out []said
	got := make(map[core.JobID]core.CancelOutcome, len(r.outcomes))
	for _, o := range r.outcomes {
		got[o.ID] = o
	}
	for _, id := range r.ids {
		o, ok := got[id]
		var s said
		switch {
		case ok && r.force && o.Answer == core.AlreadyRequested:
			s = said{text: "forced: the next step of the ladder, now", short: "forced", tone: wait}
		case ok:
			s = k.outcome(o)
		case r.err == nil:
			s = said{text: "no answer for this id", tone: alarm}
		case errors.Is(r.err, core.ErrUnreachable):
			s = said{text: "not sent: " + k.line(r.err.Error()), short: "not sent", tone: alarm}
		case errors.Is(r.err, core.ErrOutcomeUnknown):
			s = said{text: "sent, outcome unknown", tone: alarm}
		case errors.Is(r.err, core.ErrForbidden):
			s = said{text: "forbidden", tone: alarm}
		default:
			s = said{text: "refused: " + k.line(r.err.Error()), short: "refused", tone: alarm}
		}
		s.id = id
		if j := x.get(id); j != nil {
			s.name = k.line(j.Name)
		}
		if !ok && errors.Is(r.err, core.ErrOutcomeUnknown) {
			if old := a.byID[id]; old != nil {
				old.state, old.lost = askLost, p
			}
		} else if s.text == accepted {
			delete(a.byID, id) // the job's own state says the rest
		} else {
			a.note(id, s.text, s.brief(), s.tone, now)
		}
		out = append(out, s)
	}
	return out
}

// settle looks whether the view tells what became of the requests whose outcome
// is unknown. That a request was not received is only said of a view proven
// current since: by a link that came back after it was sent, or by a snapshot
// after its outcome became unknown.
func (a asks) settle(x *index, p proof, k talker, now time.Time) []said {
	var out []said
	for id, q := range a.byID {
		if q.state != askLost {
			continue
		}
		s := said{id: id, tone: wait}
		j := x.get(id)
		switch {
		case j != nil && j.Cancellation != nil:
			s.text = string(j.State) + " by " + k.who(j.Cancellation.By, j.Cancellation.From)
			if j.State.Terminal() && j.State != core.Cancelled {
				s.text = "already " + string(j.State)
			}
		case j != nil && j.State.Terminal():
			s.text = "already " + string(j.State)
		case p.returns <= q.sent.returns && p.snapshots <= q.lost.snapshots:
			continue // nothing known yet
		case j == nil:
			s.text = "no longer known to the dispatcher"
		default:
			s.text, s.tone, s.short = "was not received, press c to ask again", alarm, "was not received"
		}
		if j != nil {
			s.name = k.line(j.Name)
		}
		if s.tone == alarm {
			a.note(id, s.text, s.brief(), s.tone, now)
		} else {
			delete(a.byID, id)
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(p, q said) int { return compareIDs(p.id, q.id) })
	return out
}

// outcome puts the answer of a dispatcher into words.
func (k talker) outcome(o core.CancelOutcome) said {
	switch o.Answer {
	case core.Accepted:
		return said{text: accepted, tone: calm}
	case core.AlreadyRequested:
		s := said{text: "already requested by " + k.who(o.By, ""), short: "already requested", tone: wait}
		if !o.At.IsZero() {
			s.text += ", " + clockText(k.ago(o.At)) + " ago"
		}
		return s
	case core.AlreadyFinished:
		return said{text: "already " + k.line(string(o.State)), tone: wait}
	case core.Unknown:
		return said{text: "unknown id", tone: alarm}
	case core.Forbidden:
		return said{text: join2("forbidden", k.line(o.Why)), short: "forbidden", tone: alarm}
	case core.NotCancellable:
		return said{text: join2("cannot be cancelled", k.line(o.Why)), short: "cannot be cancelled", tone: alarm}
	case core.Unreachable:
		return said{text: join2("not reachable", k.line(o.Source)), short: "not reachable", tone: alarm}
	}
	return said{text: "answered " + k.line(string(o.Answer)), tone: alarm}
}

func join2(a, b string) string {
	if b == "" {
		return a
	}
	return a + ": " + b
}

func compareIDs(a, b core.JobID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
