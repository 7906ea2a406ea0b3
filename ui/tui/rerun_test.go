package tui

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
)

func TestAJobThatIsOverRunsAgainAndItsNewIdIsSaid(t *testing.T) {
	inRig(t, []*core.Job{job("J1", core.Failed), job("J2", core.Cancelled)}, func(r *rig) {
		r.press("R")
		r.pass(guardFor)
		r.wants("run this job again?", "name-J1", "✗ failed", "y run it again", "any other key: no")
		r.confirm()
		if got := r.feed.reran(); got != "J1" {
			t.Errorf("ran again: %q", got)
		}
		r.wants("runs again as NEW-J1: name-J1")
		if r.m.table.cursor != "J1" {
			t.Errorf("the cursor went to %s", r.m.table.cursor)
		}
		r.wantSent("")
	})
}

func TestOnlyAFreshYRunsAJobAgain(t *testing.T) {
	for _, k := range []string{"enter", "space", "esc", "z", "u", "!", "Y", "ctrl+y"} {
		inRig(t, []*core.Job{job("J1", core.Failed)}, func(r *rig) {
			r.press("R")
			r.pass(time.Second)
			r.press(k)
			r.pass(time.Second)
			if r.feed.reran() != "" || r.m.dialog != nil || r.quit {
				t.Errorf("%s: ran %q, dialog %v, quit %v", k, r.feed.reran(), r.m.dialog, r.quit)
			}
		})
	}
	inRig(t, []*core.Job{job("J1", core.Failed)}, func(r *rig) {
		r.press("R", "y")
		r.pass(guardFor - 10*time.Millisecond)
		r.press("y")
		r.wants("too soon: let go, then press y")
		for range 40 { // both keys are held
			r.press("R", "y")
			r.pass(33 * time.Millisecond)
		}
		if got := r.feed.reran(); got != "" {
			t.Errorf("ran again: %q", got)
		}
	})
}

func TestAJobThatStillRunsIsNotStartedOverItself(t *testing.T) {
	for _, s := range []core.State{core.Pending, core.Running, core.Cancelling} {
		inRig(t, []*core.Job{job("J1", s)}, func(r *rig) {
			r.press("R")
			r.told("J1 name-J1: still " + string(s) + ": nothing was started")
			r.pass(time.Second)
			r.press("y")
			if r.feed.reran() != "" || r.m.dialog != nil {
				t.Errorf("%s: ran %q, dialog %v", s, r.feed.reran(), r.m.dialog)
			}
		})
	}
}

func TestTheRerunOfARangeOffersWhatDidNotComplete(t *testing.T) {
	parent := with(job("P", core.Failed), func(j *core.Job) {
		j.Labels = map[string]string{"frames": "1-48"}
		j.Children = map[core.State]int{core.Completed: 5, core.Failed: 1}
		j.Progress = &core.Progress{Current: 40, Total: 48, Unit: "frame", Message: "5 of 6 chunks, 1 failed"}
	})
	chunk := with(job("Q", core.Failed), func(j *core.Job) {
		j.Parent, j.Labels = "P", map[string]string{"frames": "9-16", "try": "2"}
	})
	for key, want := range map[string]string{"y": "P", "u": "P unfinished"} {
		inRig(t, []*core.Job{parent, chunk}, func(r *rig) {
			r.press("R")
			r.pass(guardFor)
			r.wants("name-P", "5 of 6 chunks, 1 failed", "y all: every frame of 1-48", "u unfinished: only the chunks that did not complete")
			r.press(key)
			r.pass(time.Second)
			if got := r.feed.reran(); got != want {
				t.Errorf("%s: ran %q, want %q", key, got, want)
			}
		})
	}
	inRig(t, []*core.Job{parent, chunk}, func(r *rig) { // a chunk by itself is a job like any other
		r.press("down", "R")
		r.pass(guardFor)
		r.wants("name-Q", "y run it again")
		r.lacks("unfinished")
	})
	done := with(parent, func(j *core.Job) { j.State = core.Completed })
	inRig(t, []*core.Job{done}, func(r *rig) { // nothing of it is unfinished
		r.press("R")
		r.lacks("unfinished")
	})
}

func TestTheUThatSaidYesUnmarksNothingWhileHeld(t *testing.T) {
	parent := with(job("P", core.Failed), func(j *core.Job) {
		j.Labels, j.Children = map[string]string{"frames": "1-8"}, map[core.State]int{core.Failed: 1}
	})
	inRig(t, []*core.Job{parent}, func(r *rig) {
		r.press("R")
		r.pass(guardFor)
		r.press("u", "space")
		for range 20 {
			r.press("u")
			r.pass(33 * time.Millisecond)
		}
		if r.feed.reran() != "P unfinished" || len(r.m.table.marks) != 1 {
			t.Errorf("ran %q, %d marks", r.feed.reran(), len(r.m.table.marks))
		}
	})
}

func TestARerunSaysWhyNothingWasStarted(t *testing.T) {
	for want, err := range map[string]error{
		"nothing was started: job J9 runs again": fmt.Errorf("job J9 runs again: %w", core.ErrNotEnded),
		"not sent: ":                             fmt.Errorf("link: %w", core.ErrUnreachable),
		"sent, outcome unknown: look":            core.ErrOutcomeUnknown,
		"not run again: job J1 is a Go fu":       fmt.Errorf("job J1 is a Go function: %w", core.ErrInvalid),
	} {
		inRig(t, []*core.Job{job("J1", core.Failed)}, func(r *rig) {
			r.feed.rerun = func(core.RerunRequest) (*core.Job, error) { return nil, err }
			r.press("R")
			r.confirm()
			r.told(want)
			r.press("R") // it may be asked again
			r.wants("run this job again?")
		})
	}
}

func TestOneRerunAtATime(t *testing.T) {
	inRig(t, []*core.Job{job("J1", core.Failed), job("J2", core.Failed)}, func(r *rig) {
		wait := make(chan struct{})
		r.feed.rerun = func(core.RerunRequest) (*core.Job, error) {
			<-wait
			return job("N1", core.Pending), nil
		}
		r.press("R")
		r.confirm()
		r.press("R")
		r.told("asked already: waiting for the answer")
		if got := r.feed.reran(); got != "J1" {
			t.Errorf("ran again: %q", got)
		}
		close(wait)
		r.drain()
		r.wants("runs again as N1")
	})
}

func TestWhereNothingCanRunAgainTheKeySaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{})
		r.m.o.Rerunner = nil
		r.snapshot(job("J1", core.Failed))
		r.press("R")
		r.told("this dispatcher cannot run a job again")
		<-time.After(time.Minute)
	})
	inRig(t, []*core.Job{job("J1", core.Failed)}, func(r *rig) {
		r.press("space", "R")
		r.wants("R runs one job again: u takes the marks away")
		r.press("u")
		r.cutLink()
		r.pass(25 * time.Second)
		r.press("R")
		r.wants("not connected since " + start().Std().Local().Format("15:04:05"))
		if r.m.dialog != nil || r.feed.reran() != "" {
			t.Error("something was asked")
		}
	})
}
