package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
)

func TestTheListMovedWhileTheDialogWasOpen(t *testing.T) {
	inRig(t, running("J1", "J2"), func(r *rig) {
		r.press("c")
		r.wants("cancel this job?", "name-J1", "J1")
		r.change(with(job("J0", core.Running), func(j *core.Job) { j.CreatedAt -= 5000 }))
		r.press() // the new row is above now
		if r.m.index.place("J0") != 0 || r.m.index.place("J1") != 1 {
			t.Fatal("the list did not move")
		}
		r.wants("name-J1")
		r.confirm()
		r.wantSent("J1")
	})
}

func TestMarksHiddenByAFilterAreShownAndCounted(t *testing.T) {
	inRig(t, running("J1", "J2", "J3", "J4"), func(r *rig) {
		r.press("space", "space", "space", "/")
		r.typeText("J3")
		r.press("enter", "c")
		r.wants("cancel 3 jobs (2 hidden by filter)", "J1", "J2", "J3")
		r.change(with(job("J2", core.Completed), func(j *core.Job) {}))
		r.pass(guardFor)
		r.wants("cancel 2 of 3 jobs (1 hidden by filter)", "skipped: already completed", "1 is over already", "y cancel 2 of 3 jobs")
		r.confirm()
		r.wantSent("J3 J1")
		r.told("J2 name-J2: already completed", "2 jobs: accepted")
		if len(r.m.table.marks) != 0 {
			t.Error("marks are left after their jobs were asked for")
		}
	})
}

func TestOnlyAFreshYIsYes(t *testing.T) {
	for _, k := range []string{"enter", "space", "esc", "z", "n", "q", "Y", "up", "f9", "ctrl+y"} {
		inRig(t, running("J1"), func(r *rig) {
			r.press("c")
			r.pass(time.Second)
			r.press(k)
			r.pass(time.Second)
			r.wantSent("")
			if r.m.dialog != nil || r.quit {
				t.Errorf("%s: dialog %v, quit %v; want it closed and nothing else", k, r.m.dialog, r.quit)
			}
		})
	}
	inRig(t, running("J1"), func(r *rig) {
		r.press("c")
		r.pass(guardFor)
		r.press("y")
		r.wantSent("J1")
	})
}

func TestAYWithin300msOfTheOpeningDoesNothing(t *testing.T) {
	inRig(t, running("J1"), func(r *rig) {
		r.press("c", "y")
		r.pass(guardFor - 10*time.Millisecond)
		r.press("y")
		r.pass(time.Second)
		r.wantSent("")
		r.wants("too soon", "cancel this job?")
		r.pass(time.Second)
		r.press("y")
		r.wantSent("J1")
	})
}

func TestAHeldYIsNoYes(t *testing.T) {
	for _, begin := range []time.Duration{0, 100 * time.Millisecond, 290 * time.Millisecond} {
		for _, wait := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, 660 * time.Millisecond} {
			inRig(t, running("J1"), func(r *rig) {
				r.press("c")
				r.pass(begin)
				r.press("y")
				r.pass(wait)
				for range 60 {
					r.press("y")
					r.pass(33 * time.Millisecond)
				}
				r.wantSent("")
			})
		}
	}
}

func TestAYPressedTooSoonAndThenAgainIsYes(t *testing.T) {
	inRig(t, running("J1"), func(r *rig) {
		r.press("c")
		r.pass(100 * time.Millisecond)
		r.press("y")
		r.pass(400 * time.Millisecond)
		r.press("y")
		r.pass(300 * time.Millisecond)
		r.wantSent("J1")
	})
}

func TestAYThatTheTerminalCallsARepeatIsNoYes(t *testing.T) {
	inRig(t, running("J1"), func(r *rig) {
		r.press("c")
		r.pass(time.Second)
		y := keyPress("y")
		y.IsRepeat = true
		for range 5 {
			r.give(y)
			r.pass(2 * time.Second)
		}
		r.wantSent("")
	})
}

func TestAHeldCancelKeyOpensOneDialogAndLeavesIt(t *testing.T) {
	for _, k := range []string{"c", "x", "f9"} {
		inRig(t, running("J1"), func(r *rig) {
			r.press(k)
			r.pass(500 * time.Millisecond)
			first := r.m.dialog
			for range 60 {
				r.press(k)
				r.pass(33 * time.Millisecond)
			}
			if r.m.dialog == nil || r.m.dialog != first {
				t.Errorf("%s held: the dialog did not stay", k)
			}
			r.pass(time.Second)
			r.press(k)
			if r.m.dialog != nil {
				t.Errorf("%s pressed again: the dialog did not take it as no", k)
			}
			r.wantSent("")
		})
	}
}

func TestTheYThatSaidYesCopiesNothingWhileHeld(t *testing.T) {
	inRig(t, running("J1"), func(r *rig) {
		r.press("c")
		r.pass(guardFor)
		r.press("y")
		r.pass(500 * time.Millisecond)
		for range 30 {
			r.press("y")
			r.pass(33 * time.Millisecond)
		}
		r.wantSent("J1")
		r.lacks("copied")
	})
}

func TestOneKeyNeverReachesASecondJob(t *testing.T) {
	inRig(t, running("J1", "J2", "J3"), func(r *rig) {
		r.m.index.resort(order{by: colState})
		r.press("c")
		r.confirm()
		// its job is cancelling now and stands at the top of the list; after
		// that it is over and stands at the end
		j := with(job("J1", core.Cancelling), func(j *core.Job) {
			j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: core.At(time.Now())}
		})
		r.change(j)
		r.change(with(j, func(j *core.Job) { j.State, j.FinishedAt = core.Cancelled, core.At(time.Now()) }))
		r.press("c")
		r.wants("already cancelled")
		r.pass(time.Second)
		r.press("y")
		r.wantSent("J1")
	})
}

func TestACursorWhoseJobWentAwayIsSaidInTheDialog(t *testing.T) {
	inRig(t, running("J1", "J2"), func(r *rig) {
		r.gone("J1")
		r.pass(100 * time.Millisecond)
		r.press("c")
		r.wants("the job under the cursor has just gone", "name-J2")
		r.press("y")
		r.pass(guardFor)
		r.wantSent("")
	})
}

func TestARowThatMovedUnderTheCursorIsSaidInTheDialog(t *testing.T) {
	inRig(t, running("J1", "J2"), func(r *rig) {
		r.change(with(job("J0", core.Running), func(j *core.Job) { j.CreatedAt -= 5000 }))
		r.press("c")
		r.wants("the list has just moved", "name-J1")
		r.confirm()
		r.wantSent("J1")
	})
}

func TestAParentSaysHowManyChildrenGoWithIt(t *testing.T) {
	jobs := running("P", "A", "B", "C", "D")
	for _, j := range jobs[1:4] {
		j.Parent = "P"
	}
	inRig(t, jobs, func(r *rig) {
		for r.m.table.cursor != "P" {
			r.press("down")
		}
		r.press("c")
		r.wants("and 3 children")
		r.pass(time.Second)
		r.press("esc")
		r.change(with(jobs[4], func(j *core.Job) { j.Parent = "A" }))
		r.press("c")
		r.wants("and 4 descendants")
	})
}

func TestACancelWithAReasonCarriesItAsTyped(t *testing.T) {
	const reason = "mauvaise caméra 間違い 🎬"
	inRig(t, running("J1", "J2"), func(r *rig) {
		r.press("C")
		r.change(with(job("J0", core.Running), func(j *core.Job) { j.CreatedAt -= 5000 }))
		r.typeText(reason)
		r.wants("why cancel 1 job?", "mauvaise")
		r.press("enter")
		r.wants("name-J1", "reason mauvaise caméra")
		r.confirm()
		r.wantSent("J1")
		if got := r.feed.requests[0].Reason; got != reason {
			t.Errorf("reason %q, want %q", got, reason)
		}
	})
	inRig(t, running("J1"), func(r *rig) { // an empty one is allowed
		r.press("C", "enter")
		r.confirm()
		r.wantSent("J1")
	})
	inRig(t, running("J1"), func(r *rig) {
		r.press("C")
		r.typeText("cy")
		r.press("esc")
		r.pass(time.Second)
		r.press("y")
		r.wantSent("")
	})
}

func TestLeavingCancelsNothing(t *testing.T) {
	places := map[string][]string{
		"list": {}, "dialog": {"c"}, "filter": {"/"}, "details": {"enter"}, "log": {"l"}, "help": {"?"}, "reason": {"C"},
	}
	for name, keys := range places {
		inRig(t, running("J1", "J2"), func(r *rig) {
			r.press(keys...)
			r.pass(time.Second)
			r.press("esc")
			if r.quit {
				t.Errorf("%s: Esc quit", name)
			}
			r.press(keys...)
			r.press("ctrl+c")
			if !r.quit {
				t.Errorf("%s: Ctrl+C did not quit", name)
			}
			r.wantSent("")
			if n := r.m.summary().Alive; n != 2 {
				t.Errorf("%s: %d jobs alive, want 2", name, n)
			}
		})
	}
}

func TestPastedTextIsNoCommand(t *testing.T) {
	inRig(t, running("J1"), func(r *rig) {
		r.give(tea.PasteMsg{Content: "cy"})
		r.pass(time.Second)
		r.give(tea.PasteMsg{Content: "y"})
		r.wantSent("")
		if r.m.dialog != nil {
			t.Error("a paste opened a dialog")
		}
		r.press("c")
		r.pass(time.Second)
		r.give(tea.PasteMsg{Content: "y"})
		r.wantSent("")
	})
}

func TestCancellingNeverReadsCancelledBeforeItStopped(t *testing.T) {
	inRig(t, running("J1"), func(r *rig) {
		r.m.o.Width = 80
		for i := range 20 {
			r.change(with(job("J1", core.Cancelling), func(j *core.Job) {
				j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: start(), Step: core.StepToken}
				j.Progress = &core.Progress{Current: float64(i), Total: 20}
				j.LastCheckpointAt = start().Add(-400 * time.Millisecond)
			}))
			r.lacks("cancelled")
			r.wants(fmt.Sprintf("%d%%", i*5))
			r.pass(time.Second)
		}
		if l := r.line("name-J1"); !strings.Contains(l, "not seen yet, 00:20") {
			t.Errorf("the row reads %q", l)
		}
		r.give(tea.WindowSizeMsg{Width: 160, Height: 48})
		if l := r.line("name-J1"); !strings.Contains(l, "cancelling 00:20 · not seen yet") {
			t.Errorf("the wide row reads %q", l)
		}
		r.press("c") // what can still be done
		r.wants("ask again", "not seen yet")
		r.pass(time.Second)
		r.press("n", "enter")
		r.wants("nothing can kill a function inside the dispatcher", "last check 2")
	})
}
