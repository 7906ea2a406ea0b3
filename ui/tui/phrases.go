package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"dcctop/core"
)

// unseenAfter is how long a cancel may go unseen before the screen says so.
const unseenAfter = 10 * time.Second

// phrase is what the cancel column says, in several lengths, the longest first.
type phrase struct {
	forms []string
	tone  tone
	free  string // in place of them where the column has room of its own: may be cut
}

// tone is how a phrase is meant, for its colour.
type tone int

const (
	calm tone = iota
	wait
	alarm
)

// fit returns the longest form that fits in w cells, or "".
func (p phrase) fit(w int) string {
	for _, f := range p.forms {
		if width(f) <= w {
			return f
		}
	}
	return ""
}

// talker puts facts about jobs into words.
type talker struct {
	me  core.Actor
	now core.Time // by the dispatcher's clock
	sep string    // between parts of a sentence
	cleaner
}

// who says who gave a cancel, with us as "you".
func (k talker) who(user, host string) string {
	switch {
	case user == "":
		return "someone"
	case user == k.me.User && (host == "" || k.me.Host == "" || host == k.me.Host):
		return "you"
	}
	return k.line(user)
}

// ago is how long ago t was, by the dispatcher's clock.
func (k talker) ago(t core.Time) time.Duration { return max(k.now.Sub(t), 0) }

// cancel is what there is to say about the cancel of a job.
func (k talker) cancel(j *core.Job, a *ask) phrase {
	c := j.Cancellation
	switch {
	case a != nil && a.state == askSent && c == nil:
		return phrase{forms: []string{"asking for a cancel", "asking"}, tone: wait}
	case a != nil && a.state == askLost && (c == nil || j.State == core.Cancelling):
		return phrase{forms: []string{"sent, outcome unknown", "outcome unknown", "unknown"}, tone: alarm}
	case j.State == core.Cancelling && c != nil:
		return k.cancelling(j, c)
	case j.State.Terminal() && c != nil:
		return k.stopped(j, c)
	case a != nil && a.state == askNote:
		return phrase{forms: []string{a.note, a.short}, tone: a.tone}
	case j.State == core.Running && left(j) != "":
		return phrase{forms: []string{left(j)}, tone: wait}
	case j.State == core.Running && !j.DeafSince.IsZero():
		d := spanText(k.ago(j.DeafSince))
		return phrase{forms: []string{"deaf for " + d + ": no check", "deaf for " + d, "deaf " + d, "deaf"}, tone: alarm}
	case j.Error != "" && (j.State == core.Failed || j.State == core.Interrupted):
		return phrase{free: k.line(j.Error)}
	}
	return phrase{}
}

func (k talker) cancelling(j *core.Job, c *core.Cancellation) phrase {
	age := k.ago(c.RequestedAt)
	head := "cancelling " + clockText(age)
	by := k.sep + "by " + k.who(c.By, c.From)
	var say, short, brief string
	t := wait
	climbs := c.Step == core.StepTerm || c.Step == core.StepKill
	switch {
	case climbs || j.StopsBy == core.StopsBySignal:
		say = "SIGTERM sent"
		if c.Step == core.StepKill {
			say, t = "SIGKILL sent", alarm
		}
		short = say
	case !c.SeenAt.IsZero():
		say, short = "seen "+spanText(k.ago(c.SeenAt))+" ago, stopping", "seen, stopping"
	case age >= unseenAfter:
		say, short, t = "not seen yet"+k.sep+k.checkpoint(j), "not seen yet", alarm
		brief = "not seen yet, " + clockText(age)
	default:
		say, short = k.checkpoint(j), k.checkpointShort(j)
		brief = "asked " + clockText(age) + " ago"
	}
	if s := left(j); s != "" {
		say, short, brief, t = say+k.sep+s, s, "", alarm
	}
	if _, alive := k.children(j); alive > 0 { // what it waits for comes first, at any width
		return phrase{forms: k.waiting(j, c, head, say, by, alive), tone: t}
	}
	var forms []string
	if next := k.nextStep(c); next != "" {
		long := next
		if !climbs && j.StopsBy == core.StopsByToken {
			long = "grace: " + next
		}
		forms = append(forms, head+k.sep+say+k.sep+long+by, head+k.sep+say+k.sep+long)
		if t == wait && long != next {
			forms = append(forms, head+k.sep+long, long)
		} else {
			forms = append(forms, head+k.sep+short+k.sep+next, short+k.sep+next)
		}
		if t == wait {
			forms = append(forms, next) // else the trouble is what must be read
		}
	}
	return phrase{forms: append(forms, head+k.sep+say+by, head+k.sep+say, head+k.sep+short, cmp.Or(brief, short), short), tone: t}
}

// waiting is what a parent says that waits for children of its own to end.
func (k talker) waiting(j *core.Job, c *core.Cancellation, head, say, by string, alive int) []string {
	kids := countText(alive, "child", "children")
	long, short := kids+" still alive", kids+" left"
	forms := []string{head + k.sep + long + k.sep + say + by, head + k.sep + long + k.sep + say}
	if next := k.nextStep(c); next != "" {
		forms = append(forms, head+k.sep+short+k.sep+next, short+k.sep+next)
	}
	if s := left(j); s != "" {
		forms = append(forms, head+k.sep+short+k.sep+s, short+k.sep+s)
	}
	return append(forms, head+k.sep+long, head+k.sep+short, short)
}

func (k talker) children(j *core.Job) (all, alive int) {
	ended, all := childrenEnded(j)
	return all, all - ended
}

// checkpoint says when a job last looked at its token: its last check.
func (k talker) checkpoint(j *core.Job) string {
	if j.LastCheckpointAt.IsZero() {
		return "never checked"
	}
	return "last check " + k.checked(j)
}

// checked is when the last check was.
func (k talker) checked(j *core.Job) string {
	if j.LastCheckpointAt.IsZero() {
		return "never"
	}
	return spanText(k.ago(j.LastCheckpointAt)) + " ago"
}

func (k talker) checkpointShort(j *core.Job) string {
	if j.LastCheckpointAt.IsZero() {
		return "never checked"
	}
	return "checked " + spanText(k.ago(j.LastCheckpointAt)) + " ago"
}

// stopped is what became of a cancel.
func (k talker) stopped(j *core.Job, c *core.Cancellation) phrase {
	by := "by " + k.who(c.By, c.From)
	switch {
	case c.Late:
		return phrase{forms: []string{"cancel came too late" + k.sep + by, "cancel came too late", "came too late", "late"}, tone: wait}
	case neverStarted(j):
		return phrase{forms: []string{"cancelled before it started" + k.sep + by, "cancelled before it started", "before it started", by}, tone: calm}
	case gotSignal(j, c):
		how := ending(j, c)
		short := strings.NewReplacer("exited", "exit", " after", ",").Replace(how)
		return phrase{forms: []string{how + k.took(c) + k.sep + by, how + k.sep + by, how, short, by}, tone: calm}
	case c.StoppedAt.IsZero():
		return phrase{forms: []string{by}, tone: calm}
	}
	return phrase{forms: []string{"stopped after " + k.lag(c) + k.sep + by, by, "stopped"}, tone: calm}
}

func (k talker) took(c *core.Cancellation) string {
	if c.StoppedAt.IsZero() {
		return ""
	}
	return k.sep + "took " + k.lag(c)
}

// lag is how long a cancel took from the ask to the end.
func (k talker) lag(c *core.Cancellation) string { return lagText(c.StoppedAt.Sub(c.RequestedAt)) }

// neverStarted reports whether a job was over before anything of it ran.
func neverStarted(j *core.Job) bool { return j.State == core.Cancelled && j.StartedAt.IsZero() }

// gotSignal reports whether a signal had a part in the end of a job.
func gotSignal(j *core.Job, c *core.Cancellation) bool {
	climbed := c.Step == core.StepTerm || c.Step == core.StepKill
	return climbed && (j.Exit != nil || j.StopsBy == core.StopsBySignal) || j.Exit != nil && j.Exit.Signal != ""
}

// ending says how a process that got a signal ended: by it, or by itself with
// an exit code, having caught or ignored it.
func ending(j *core.Job, c *core.Cancellation) string {
	sent := "SIGTERM"
	if c.Step == core.StepKill {
		sent = "SIGKILL"
	}
	switch e := j.Exit; {
	case e == nil:
		return "ended after " + sent
	case e.Signal != "":
		return "ended by " + Clean(e.Signal)
	default:
		return fmt.Sprintf("exited %d after %s", e.Code, sent)
	}
}

// outlook says how a cancel will reach a job, for the dialog.
func (k talker) outlook(j *core.Job) string {
	c := j.Cancellation
	switch {
	case j.State == core.Pending:
		return "has not started: it never will"
	case j.State == core.Cancelling && c != nil:
		return k.asked(j, c)
	case j.StopsBy == core.StopsBySignal:
		return "SIGTERM now, SIGKILL if it has not ended when its grace is over"
	case isRange(j):
		return "starts no more chunks, and stops those that run"
	case !j.DeafSince.IsZero():
		return "deaf for " + spanText(k.ago(j.DeafSince)) + ": it stops only if it checks again"
	}
	s := "stops at its next check"
	if j.Progress != nil && j.Progress.Unit == "frame" {
		s = "stops after the current frame"
	}
	if !j.LastCheckpointAt.IsZero() {
		s += " (last check " + spanText(k.ago(j.LastCheckpointAt)) + " ago)"
	}
	return s
}

// asked says how far a cancel has come.
func (k talker) asked(j *core.Job, c *core.Cancellation) string {
	s := "asked " + clockText(k.ago(c.RequestedAt)) + " ago by " + k.who(c.By, c.From)
	if j.StopsBy != core.StopsBySignal && c.Step != core.StepTerm && c.Step != core.StepKill {
		seen := ", not seen yet"
		if !c.SeenAt.IsZero() {
			seen = ", seen"
		}
		s += seen
		if k.nextStep(c) == "" {
			return s
		}
	}
	if l := k.ladder(c); l != "" {
		s += ", " + l
	}
	if l := left(j); l != "" {
		s += ", " + l
	}
	return s
}

// age writes how old a job is, or how long it took.
func (k talker) age(j *core.Job) string {
	if j.State.Terminal() {
		return ageText(k.elapsed(j))
	}
	return liveText(k.elapsed(j))
}

// elapsed is the age of a job: waited, ran or, when over, took.
func (k talker) elapsed(j *core.Job) time.Duration {
	switch {
	case j.State.Terminal() && !j.FinishedAt.IsZero():
		return max(j.FinishedAt.Sub(born(j)), 0)
	default:
		return k.ago(born(j))
	}
}
