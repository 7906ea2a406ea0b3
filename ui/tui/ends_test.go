package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
)

// fullBar is a bar at 80 columns that is full.
const fullBar = "━━━━━━━"

func TestAParentOfCancelledChildrenIsNotFull(t *testing.T) {
	parent := func(s core.State, kids map[core.State]int) *core.Job {
		return with(job("P", s), func(j *core.Job) { j.Children = kids })
	}
	for _, c := range []struct {
		job            *core.Job
		row, inDetails string
	}{
		{parent(core.Cancelled, map[core.State]int{core.Cancelled: 3}), " 0%", "0/3 children"},
		{parent(core.Cancelled, map[core.State]int{core.Cancelled: 1, core.Completed: 2}), "66%", "2/3 children"},
		{parent(core.Failed, map[core.State]int{core.Failed: 1, core.Interrupted: 1, core.Completed: 2}), "50%", "2/4 children"},
		{parent(core.Completed, map[core.State]int{core.Cancelled: 1, core.Completed: 1}), "50%", "1/2 children"},
		{parent(core.Running, map[core.State]int{core.Completed: 3}), "99%", "3/3 children"},
		{parent(core.Completed, map[core.State]int{core.Completed: 3}), "100%", "3/3 children"},
	} {
		inRig(t, []*core.Job{c.job}, func(r *rig) {
			l := r.line("name-P")
			if !strings.Contains(l, c.row) || strings.Contains(l, fullBar) != (c.row == "100%") {
				t.Errorf("%v: the row reads %q, want %s", c.job.Children, l, c.row)
			}
			r.press("enter")
			r.wants(c.inDetails)
		})
	}
}

func TestAParentThatIsCancellingSaysHowManyChildrenAreLeftAtEveryWidth(t *testing.T) {
	for _, jobs := range [][]*core.Job{
		{stopping("P", core.StopsByToken, func(j *core.Job, _ *core.Cancellation) {
			j.Children = map[core.State]int{core.Cancelling: 1, core.Cancelled: 4}
		})},
		{stopping("P", core.StopsBySignal, func(j *core.Job, c *core.Cancellation) {
			j.Name, c.Step, c.NextStepAt = "name-P and a rather long name", core.StepTerm, start().Add(9*time.Second)
			j.Children = map[core.State]int{core.Running: 1}
		})},
		{stopping("P", core.StopsByToken, func(j *core.Job, c *core.Cancellation) {
			c.SeenAt, j.Children = start(), map[core.State]int{core.Cancelling: 1}
		})},
	} {
		inRig(t, jobs, func(r *rig) {
			for w := 80; w <= 220; w++ {
				r.give(tea.WindowSizeMsg{Width: w, Height: 24})
				if l := r.line("name-P"); !strings.Contains(l, "1 child left") && !strings.Contains(l, "1 child still alive") {
					t.Fatalf("at %d the row reads %q", w, l)
				}
			}
		})
	}
}

func TestOnlyWhatCompletedIsAtAHundredPerCent(t *testing.T) {
	at := func(s core.State, current float64) *core.Job {
		return with(job("J1", s), func(j *core.Job) { j.Progress = &core.Progress{Current: current, Total: 100} })
	}
	for _, c := range []struct {
		job  *core.Job
		want string
	}{
		{at(core.Completed, 93), "100%"}, {at(core.Running, 100), " 99%"}, {at(core.Running, 99.9), " 99%"}, {at(core.Running, 29), " 29%"},
		{at(core.Running, 57.9), " 57%"}, {at(core.Cancelled, 100), " 99%"}, {at(core.Failed, 100), " 99%"}, {job("J1", core.Completed), "100%"},
	} {
		inRig(t, []*core.Job{c.job}, func(r *rig) {
			l := r.line("name-J1")
			if full := strings.Contains(l, fullBar); !strings.Contains(l, c.want) || full != (c.want == "100%") {
				t.Errorf("%s at %+v reads %q, want %s", c.job.State, c.job.Progress, l, c.want)
			}
		})
	}
}

func TestHowAProcessEndedAfterASignalIsSaidAsItWas(t *testing.T) {
	over := func(by core.StopsBy, step core.Step, e *core.Exit) *core.Job {
		return with(job("J1", core.Cancelled), func(j *core.Job) {
			j.StopsBy, j.Exit = by, e
			j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: start().Add(-2 * time.Second), StoppedAt: start(), Step: step}
		})
	}
	for _, c := range []struct {
		job  *core.Job
		want string
	}{
		{over(core.StopsBySignal, core.StepTerm, &core.Exit{Code: 0}), "exited 0 after SIGTERM · took 2.0 s · by you"},
		{over(core.StopsBySignal, core.StepTerm, &core.Exit{Code: 143}), "exited 143 after SIGTERM"},
		{over(core.StopsBySignal, core.StepTerm, &core.Exit{Code: -1, Signal: "SIGTERM"}), "ended by SIGTERM · took 2.0 s · by you"},
		{over(core.StopsBySignal, core.StepKill, &core.Exit{Code: -1, Signal: "SIGKILL"}), "ended by SIGKILL"},
		{over(core.StopsBySignal, core.StepKill, &core.Exit{Code: -1, Signal: "SIGTERM"}), "ended by SIGTERM"},
		{over(core.StopsByToken, core.StepTerm, &core.Exit{Code: 0}), "exited 0 after SIGTERM"},
		{over(core.StopsByToken, core.StepToken, &core.Exit{Code: 0}), "stopped after 2.0 s · by you"},
		{with(over(core.StopsByToken, core.StepToken, nil), func(j *core.Job) { j.StartedAt = 0 }), "cancelled before it started · by you"},
		{with(over(core.StopsBySignal, core.StepToken, nil), func(j *core.Job) { j.StartedAt = 0 }), "cancelled before it started · by you"},
	} {
		inRig(t, []*core.Job{c.job}, func(r *rig) {
			r.give(tea.WindowSizeMsg{Width: 160, Height: 48})
			if l := r.line("name-J1"); !strings.Contains(l, c.want) {
				t.Errorf("%+v reads %q, want %q", c.job.Exit, l, c.want)
			}
			r.give(tea.WindowSizeMsg{Width: 80, Height: 24})
			if l := r.line("name-J1"); strings.Contains(c.want, "SIG") && !strings.Contains(l, "SIG") {
				t.Errorf("at 80 columns it reads %q", l)
			}
			r.press("enter")
			said, _, _ := strings.Cut(strings.TrimPrefix(c.want, "cancelled "), " · ")
			if l := r.line("stopped    "); !strings.Contains(l, strings.TrimPrefix(said, "stopped ")) {
				t.Errorf("the details read %q, want %q", l, said)
			}
		})
	}
}

func TestTheReasonOfAFailureIsInTheListOnAWideScreen(t *testing.T) {
	j := with(job("J1", core.Failed), func(j *core.Job) {
		j.Error = "exit status 1: cannot read \x1b[2J/show/dragon/shot010/scene_v012.blend: no such file or directory, nor any like it"
	})
	inRig(t, []*core.Job{j}, func(r *rig) {
		r.give(tea.WindowSizeMsg{Width: 160, Height: 48})
		if l := r.line("name-J1"); !strings.Contains(l, "exit status 1: cannot read /show/dragon") || !strings.Contains(l, "…") {
			t.Errorf("the row reads %q", l)
		}
	})
}

func TestTheAgeMeansOneThingAtEveryWidth(t *testing.T) {
	inRig(t, []*core.Job{stopping("J1", core.StopsByToken, nil)}, func(r *rig) {
		for w := minWidth; w < 220; w++ {
			r.give(tea.WindowSizeMsg{Width: w, Height: 24})
			if l := r.line("cancelling"); !strings.Contains(l, "01:00") {
				for l := range strings.Lines(r.screen()) {
					if strings.Contains(l, "❯") && !strings.Contains(l, "01:00") {
						t.Fatalf("at %d the row reads %q", w, l)
					}
				}
			}
		}
	})
}
