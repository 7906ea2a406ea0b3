package tui

import (
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/colorprofile"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
)

// stopping is a job that was asked to stop 20 s ago.
func stopping(id string, by core.StopsBy, edit func(*core.Job, *core.Cancellation)) *core.Job {
	return with(job(id, core.Cancelling), func(j *core.Job) {
		j.StopsBy = by
		j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: start().Add(-20 * time.Second), Step: core.StepToken}
		if edit != nil {
			edit(j, j.Cancellation)
		}
	})
}

// listens is a process that listens first: SIGTERM comes when its grace is over.
func listens(id string) *core.Job {
	return stopping(id, core.StopsByToken, func(_ *core.Job, c *core.Cancellation) { c.NextStepAt = start().Add(10 * time.Second) })
}

// signalled is a plain process that has got SIGTERM.
func signalled(id string) *core.Job {
	return stopping(id, core.StopsBySignal, func(_ *core.Job, c *core.Cancellation) {
		c.Step, c.NextStepAt = core.StepTerm, start().Add(7*time.Second)
	})
}

func (r *rig) forced() string {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	var ids []string
	for _, q := range r.feed.requests {
		for _, id := range q.IDs {
			if q.Force {
				ids = append(ids, string(id))
			}
		}
	}
	return strings.Join(ids, " ")
}

func TestAJobThatIsCancellingIsOfferedWhatCanStillBeDone(t *testing.T) {
	inRig(t, []*core.Job{listens("J1")}, func(r *rig) {
		r.press("c")
		r.pass(guardFor)
		r.wants("already asked to stop", "asked 00:20 ago by you, not seen yet",
			"y ask again: the same request; it hurries nothing", "! force: SIGTERM now, to all of its processes",
			"any other key: wait: SIGTERM in 00:0")
		r.press("n")
		r.wantSent("")
	})
	inRig(t, []*core.Job{signalled("J1")}, func(r *rig) {
		r.press("c")
		r.wants("SIGTERM sent · SIGKILL in 00:07")
		r.pass(guardFor)
		r.wants("! force: SIGKILL now")
	})
	inRig(t, []*core.Job{stopping("J1", core.StopsByToken, nil)}, func(r *rig) {
		r.press("c")
		r.pass(guardFor)
		r.wants("y ask again", "nothing can kill a function inside the dispatcher: wait, or end the", "any other key: wait")
		r.lacks("! force")
		r.press("!") // declines, as every other key
		r.pass(time.Second)
		r.wantSent("")
		if r.m.dialog != nil {
			t.Error("the dialog stayed open")
		}
	})
}

func TestAskingAgainSendsTheSameRequestOnce(t *testing.T) {
	inRig(t, []*core.Job{listens("J1")}, func(r *rig) {
		r.feed.answer = func(core.CancelRequest) ([]core.CancelOutcome, error) {
			return []core.CancelOutcome{{ID: "J1", Answer: core.AlreadyRequested, By: "ann", At: start().Add(-20 * time.Second)}}, nil
		}
		r.press("c")
		r.confirm()
		r.wantSent("J1")
		r.wants("already requested by you")
		if q := r.feed.requests[0]; q.Force || q.GraceMS != nil {
			t.Errorf("asked for %+v", q)
		}
	})
}

func TestForceIsSentOnceAndOnlyFromTheDialog(t *testing.T) {
	inRig(t, []*core.Job{signalled("J1")}, func(r *rig) {
		r.feed.answer = func(core.CancelRequest) ([]core.CancelOutcome, error) {
			return []core.CancelOutcome{{ID: "J1", Answer: core.AlreadyRequested, By: "ann"}}, nil
		}
		r.press("!")
		r.told("nothing is forced from here: press c on a job")
		r.pass(2 * time.Second)
		r.press("c", "!")
		r.wants("too soon: let go, then press !")
		for range 30 { // held
			r.press("!")
			r.pass(33 * time.Millisecond)
		}
		if got := r.forced(); got != "" {
			t.Fatalf("a held key forced %s", got)
		}
		r.pass(2 * time.Second)
		r.press("!")
		if got := r.forced(); got != "J1" {
			t.Fatalf("forced %q\n%s", got, r.screen())
		}
		r.told("J1 name-J1: forced: the next step of the ladder, now")
		for range 10 {
			r.press("!")
			r.pass(33 * time.Millisecond)
		}
		r.wantSent("J1")
	})
}

func TestForceReachesOnlyWhatCanBeKilled(t *testing.T) {
	inRig(t, []*core.Job{signalled("J1"), stopping("J2", core.StopsByToken, nil), listens("J3")}, func(r *rig) {
		r.press("a", "c")
		r.pass(guardFor)
		r.wants("already asked: 3 jobs", "! force 2 of them")
		r.press("!")
		r.drain()
		if got := r.forced(); got != "J1 J3" {
			t.Errorf("forced %q", got)
		}
	})
	inRig(t, []*core.Job{signalled("J1"), job("J2", core.Running)}, func(r *rig) { // not before it was asked
		r.press("a", "c")
		r.lacks("force")
		r.pass(guardFor)
		r.press("!")
		r.wantSent("")
	})
	parent := stopping("P", core.StopsByToken, func(j *core.Job, _ *core.Cancellation) { j.Children = map[core.State]int{core.Cancelling: 1} })
	inRig(t, []*core.Job{parent, with(signalled("J1"), func(j *core.Job) { j.Parent = "P" })}, func(r *rig) {
		r.press("c")
		r.pass(guardFor)
		r.wants("name-P", "and 1 child", "! force: the next step of the ladder, now")
		r.lacks("nothing can kill")
	})
}

func TestAJobThatCannotBeCancelledSaysWhyAndNothingIsSent(t *testing.T) {
	publishes := with(job("J1", core.Running), func(j *core.Job) { j.NotCancellable = "writes to the asset database\x1b[2J" })
	inRig(t, []*core.Job{publishes}, func(r *rig) {
		r.press("c")
		r.told("J1 name-J1: cannot be cancelled: writes to the asset database")
		if r.m.dialog != nil {
			t.Error("a dialog opened")
		}
		r.press("enter")
		r.wants("cannot be cancelled: writes to the asset database")
		r.pass(time.Second)
		r.press("y")
		r.wantSent("")
	})
	inRig(t, []*core.Job{publishes, job("J2", core.Running), job("J3", core.Running)}, func(r *rig) {
		r.press("a", "c")
		r.pass(guardFor)
		r.wants("skipped: cannot be cancelled: writes to the asset", "y cancel 2 of 3 jobs")
		r.confirm()
		r.wantSent("J2 J3")
		r.told("J1 name-J1: cannot be cancelled: writes")
	})
	waiting := with(publishes, func(j *core.Job) { j.State = core.Pending })
	inRig(t, []*core.Job{waiting}, func(r *rig) { // it has not begun to write
		r.press("c")
		r.pass(guardFor)
		r.wants("it never will", "y cancel")
		r.change(publishes) // and now it has
		r.wants("nothing left to cancel")
		r.confirm()
		r.wantSent("")
	})
}

func TestAJobThatChecksOnceAFrameSaysSo(t *testing.T) {
	j := with(job("J1", core.Running), func(j *core.Job) {
		j.Progress = &core.Progress{Current: 3, Total: 24, Unit: "frame"}
	})
	inRig(t, []*core.Job{j}, func(r *rig) {
		r.press("c")
		r.wants("stops after the current frame")
	})
	inRig(t, []*core.Job{with(j, func(j *core.Job) { j.StopsBy = core.StopsBySignal })}, func(r *rig) {
		r.press("c")
		r.wants("SIGTERM now, SIGKILL if it has not ended when its grace is over")
	})
	inRig(t, []*core.Job{with(j, func(j *core.Job) {
		j.Labels, j.Children = map[string]string{"frames": "1-24"}, map[core.State]int{core.Running: 2}
	})}, func(r *rig) {
		r.press("c")
		r.wants("starts no more chunks, and stops those that run")
	})
}

func TestTheStepsOfTheLadderAreOnTheScreenWithTheTimeOfTheNext(t *testing.T) {
	jobs := []*core.Job{
		with(listens("J1"), func(j *core.Job) {
			j.LastCheckpointAt = start()
			j.Cancellation.RequestedAt = start().Add(-9 * time.Second)
			j.Cancellation.NextStepAt = start().Add(21 * time.Second)
		}),
		listens("J2"), signalled("J3"),
		stopping("J4", core.StopsBySignal, func(_ *core.Job, c *core.Cancellation) { c.Step = core.StepKill }),
	}
	inRig(t, jobs, func(r *rig) {
		r.give(tea.WindowSizeMsg{Width: 240, Height: 48})
		for name, want := range map[string]string{
			"name-J1": "cancelling 00:09 · last check 0.0 s ago · grace: SIGTERM in 00:21",
			"name-J2": "cancelling 00:20 · not seen yet · never checked · grace: SIGTERM in 00:10",
			"name-J3": "cancelling 00:20 · SIGTERM sent · SIGKILL in 00:07 · by you",
			"name-J4": "cancelling 00:20 · SIGKILL sent",
		} {
			if l := r.line(name); !strings.Contains(l, want) {
				t.Errorf("%s reads %q, want %q", name, l, want)
			}
		}
		r.give(tea.WindowSizeMsg{Width: 160, Height: 48})
		for name, want := range map[string]string{
			"name-J1": "cancelling 00:09 · grace: SIGTERM in 00:21", "name-J2": "not seen yet · SIGTERM in 00:10",
			"name-J3": "SIGTERM sent · SIGKILL in 00:07",
		} {
			if l := r.line(name); !strings.Contains(l, want) {
				t.Errorf("%s reads %q, want %q", name, l, want)
			}
		}
		r.press("enter")
		r.wants("grace: SIGTERM in 00:21")
		r.press("esc", "down", "enter")
		r.wants("not seen yet", "wait for SIGTERM in 00:10, or press c for what can", "grace: SIGTERM in 00:10")
		r.press("esc", "down", "enter")
		r.wants("SIGTERM sent · SIGKILL in 00:07")
	})
	inRig(t, jobs, func(r *rig) { // narrow
		for name, want := range map[string]string{"name-J1": "SIGTERM in 00:21", "name-J2": "not seen yet, 00:20", "name-J3": "SIGKILL in 00:07"} {
			if l := r.line(name); !strings.Contains(l, want) {
				t.Errorf("%s reads %q, want %q", name, l, want)
			}
		}
	})
}

func TestWhatIsLeftOfAJobIsCountedAndNamed(t *testing.T) {
	lefts := func(j *core.Job) {
		j.Left = []core.Process{{PID: 4711, Name: "cycles\x1b[2J"}, {PID: 4712, Name: "sh"}}
	}
	killed := stopping("J1", core.StopsBySignal, func(j *core.Job, c *core.Cancellation) { c.Step = core.StepKill; lefts(j) })
	inRig(t, []*core.Job{killed, with(job("J2", core.Running), lefts)}, func(r *rig) {
		for _, name := range []string{"name-J1", "name-J2"} {
			if l := r.line(name); !strings.Contains(l, "2 processes left") {
				t.Errorf("%s reads %q", name, l)
			}
		}
		r.lacks("⊘ cancelled") // something of it lives
		r.press("enter")
		r.wants("still running: 4711 cycles, 4712 sh")
		r.press("c")
		r.pass(guardFor)
		r.wants("2 processes left", "! force: SIGKILL now")
	})
}

func TestTheOperatorsOwnMovesAreNotCalledMovesOfTheList(t *testing.T) {
	inRig(t, running("J1", "J2", "J3"), func(r *rig) {
		r.press("G", "/")
		r.typeText("J2")
		r.press("enter", "g", "c")
		r.wants("name-J2", "cancel this job?")
		r.lacks("just gone", "just moved")
		r.pass(time.Second)
		r.press("n", "esc", "s", "c")
		r.lacks("just gone", "just moved")
	})
}

func TestAStopWithinASecondIsToldInMilliseconds(t *testing.T) {
	inFarm(t, Options{Width: 200, Height: 40}, colorprofile.TrueColor, func(r *rig) {
		j := with(job("J1", core.Cancelled), func(j *core.Job) {
			j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: start(), SeenAt: start().Add(5 * time.Millisecond), StoppedAt: start().Add(13 * time.Millisecond)}
		})
		r.snapshot(j)
		if l := r.line("name-J1"); !strings.Contains(l, "stopped after 13 ms") {
			t.Errorf("the row reads %q", l)
		}
		r.press("enter")
		r.wants("after 5 ms", "after 13 ms")
		r.lacks("0.0 s")
	})
}

func TestTheKeysOfTheDialogsAreBoundOnTheList(t *testing.T) {
	k := newKeyMap(false, false)
	for name, b := range map[string]key.Binding{"R": k.Rerun, "!": k.Force} {
		if !key.Matches(keyPress(name), b) {
			t.Errorf("%s is not bound", name)
		}
	}
}
