package tui

import (
	"fmt"
	"time"

	"dcctop/core"
)

// unseenAfter is how long a cancel may go unseen before the screen says so.
const unseenAfter = 10 * time.Second

// phrase is what the cancel column says, in several lengths, the longest first.
type phrase struct {
	forms []string
	tone  tone
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
		return phrase{[]string{"asking for a cancel", "asking"}, wait}
	case a != nil && a.state == askLost && (c == nil || j.State == core.Cancelling):
		return phrase{[]string{"sent, outcome unknown", "outcome unknown", "unknown"}, alarm}
	case j.State == core.Cancelling && c != nil:
		return k.cancelling(j, c)
	case j.State.Terminal() && c != nil:
		return k.stopped(j, c)
	case a != nil && a.state == askNote:
		return phrase{[]string{a.note, a.short}, a.tone}
	case j.State == core.Running && !j.DeafSince.IsZero():
		d := spanText(k.ago(j.DeafSince))
		return phrase{[]string{"deaf for " + d, "deaf " + d, "deaf"}, alarm}
	}
	return phrase{}
}

func (k talker) cancelling(j *core.Job, c *core.Cancellation) phrase {
	age := k.ago(c.RequestedAt)
	head := "cancelling " + clockText(age)
	by := k.sep + "by " + k.who(c.By, c.From)
	next := k.nextStep(c)
	var say, short string
	t := wait
	switch {
	case c.Step == core.StepKill:
		say, short, t = "SIGKILL sent", "SIGKILL sent", alarm
	case c.Step == core.StepTerm || j.StopsBy == core.StopsBySignal:
		say, short = "SIGTERM sent", "SIGTERM sent"
	case !c.SeenAt.IsZero():
		say, short = "seen "+spanText(k.ago(c.SeenAt))+" ago, stopping", "seen, stopping"
	case age >= unseenAfter:
		say, short, t = "not seen yet"+k.sep+k.checkpoint(j), "not seen yet", alarm
	default:
		say, short = k.checkpoint(j), k.checkpointShort(j)
	}
	forms := []string{head + k.sep + say + next + by, head + k.sep + say + next, head + k.sep + say, head + k.sep + short, short}
	if _, alive := k.children(j); alive > 0 {
		forms = append([]string{head + k.sep + countText(alive, "child", "children") + " still alive" + k.sep + say + by,
			head + k.sep + countText(alive, "child", "children") + " still alive" + k.sep + say}, forms...)
	}
	return phrase{forms, t}
}

func (k talker) children(j *core.Job) (all, alive int) {
	ended, all := childrenEnded(j)
	return all, all - ended
}

// nextStep is ", SIGKILL in 00:08" where the ladder has one.
func (k talker) nextStep(c *core.Cancellation) string {
	if c.NextStepAt.IsZero() {
		return ""
	}
	name := "SIGTERM"
	if c.Step == core.StepTerm {
		name = "SIGKILL"
	}
	return ", " + name + " in " + clockText(c.NextStepAt.Sub(k.now))
}

func (k talker) checkpoint(j *core.Job) string {
	if j.LastCheckpointAt.IsZero() {
		return "no checkpoint so far"
	}
	return "last checkpoint " + spanText(k.ago(j.LastCheckpointAt)) + " ago"
}

func (k talker) checkpointShort(j *core.Job) string {
	if j.LastCheckpointAt.IsZero() {
		return "no checkpoint"
	}
	return "checked " + spanText(k.ago(j.LastCheckpointAt)) + " ago"
}

// stopped is what became of a cancel.
func (k talker) stopped(j *core.Job, c *core.Cancellation) phrase {
	by := "by " + k.who(c.By, c.From)
	switch {
	case c.Late:
		return phrase{[]string{"cancel came too late" + k.sep + by, "cancel came too late", "came too late", "late"}, wait}
	case j.StopsBy == core.StopsBySignal && (c.Step == core.StepTerm || c.Step == core.StepKill || j.Exit != nil && j.Exit.Signal != ""):
		how := "ended by " + endingSignal(j, c)
		return phrase{[]string{how + k.took(c) + k.sep + by, how + k.sep + by, how, by}, calm}
	case c.StoppedAt.IsZero():
		return phrase{[]string{by}, calm}
	}
	return phrase{[]string{"stopped" + k.took(c) + k.sep + by, by, "stopped"}, calm}
}

func (k talker) took(c *core.Cancellation) string {
	if c.StoppedAt.IsZero() {
		return ""
	}
	return " after " + lagText(c.StoppedAt.Sub(c.RequestedAt))
}

// endingSignal names the signal that a process obeyed, whatever its exit code.
func endingSignal(j *core.Job, c *core.Cancellation) string {
	switch {
	case c.Step == core.StepKill:
		return "SIGKILL"
	case c.Step == core.StepTerm || j.Exit == nil || j.Exit.Signal == "":
		return "SIGTERM"
	}
	return j.Exit.Signal
}

// outlook says how a cancel will reach a job, for the dialog.
func (k talker) outlook(j *core.Job) string {
	c := j.Cancellation
	switch {
	case j.State == core.Pending:
		return "has not started: it never will"
	case j.State == core.Cancelling && c != nil:
		s := "asked " + clockText(k.ago(c.RequestedAt)) + " ago by " + k.who(c.By, c.From)
		switch {
		case j.StopsBy == core.StopsBySignal || c.Step == core.StepTerm || c.Step == core.StepKill:
			s += k.nextStep(c)
		case c.SeenAt.IsZero():
			s += ", not seen yet" + k.nextStep(c)
		default:
			s += ", seen" + k.nextStep(c)
		}
		return s
	case j.StopsBy == core.StopsBySignal:
		return "gets SIGTERM, all of its processes"
	case !j.DeafSince.IsZero():
		return "deaf for " + spanText(k.ago(j.DeafSince)) + ": it stops only if it checks again"
	case j.LastCheckpointAt.IsZero():
		return "stops at its next check"
	}
	return fmt.Sprintf("stops at its next check (last %s ago)", spanText(k.ago(j.LastCheckpointAt)))
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
