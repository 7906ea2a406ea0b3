package tui

import (
	"strconv"
	"strings"

	"dcctop/core"
)

// nothingKills is the whole truth about a deaf Go function.
const nothingKills = "nothing can kill a function inside the dispatcher: wait, or end the dispatcher"

// killable reports whether a job that is asked to stop has something that can
// be killed: a plain process, or one that listens first.
func killable(j *core.Job) bool {
	c := j.Cancellation
	if c == nil || j.State != core.Cancelling {
		return false
	}
	return j.StopsBy == core.StopsBySignal || !c.NextStepAt.IsZero() || c.Step == core.StepTerm || c.Step == core.StepKill
}

// refusal is why nobody may cancel a job now, or "".
func refusal(j *core.Job) string {
	if j.State != core.Running {
		return ""
	}
	return j.NotCancellable
}

// nextSignal names the next step of the ladder. At its top it is the last again.
func nextSignal(c *core.Cancellation) string {
	if c != nil && (c.Step == core.StepTerm || c.Step == core.StepKill) {
		return "SIGKILL"
	}
	return "SIGTERM"
}

// stepText is the step that was taken last.
func stepText(c *core.Cancellation) string {
	switch c.Step {
	case core.StepToken:
		return "token set"
	case core.StepTerm:
		return "SIGTERM sent"
	case core.StepKill:
		return "SIGKILL sent"
	}
	return ""
}

// nextStep is "SIGKILL in 00:08" where the ladder has one, or "".
func (k talker) nextStep(c *core.Cancellation) string {
	if c.NextStepAt.IsZero() {
		return ""
	}
	return nextSignal(c) + " in " + clockText(c.NextStepAt.Sub(k.now))
}

// ladder is the step taken and the one to come: "SIGTERM sent · SIGKILL in
// 00:07", or while the work has time to stop by itself "grace: SIGTERM in
// 00:21".
func (k talker) ladder(c *core.Cancellation) string {
	step, next := stepText(c), k.nextStep(c)
	switch {
	case next == "":
		return step
	case c.Step == core.StepTerm || c.Step == core.StepKill:
		return step + k.sep + next
	}
	return "grace: " + next
}

// left is "2 processes left" where a job's own process has ended before others
// of it, or "".
func left(j *core.Job) string {
	if len(j.Left) == 0 {
		return ""
	}
	return countText(len(j.Left), "process", "processes") + " left"
}

// leftNames names what is left, with pids, at most n of it.
func (k talker) leftNames(j *core.Job, n int) string {
	var parts []string
	for i, p := range j.Left {
		if i == n {
			parts = append(parts, "and "+strconv.Itoa(len(j.Left)-n)+" more")
			break
		}
		parts = append(parts, join2Space(strconv.Itoa(p.PID), k.line(p.Name)))
	}
	return strings.Join(parts, ", ")
}

// isRange reports whether a job is a range of frames whose chunks are its
// children.
func isRange(j *core.Job) bool { return j.Labels["frames"] != "" && len(j.Children) > 0 }
