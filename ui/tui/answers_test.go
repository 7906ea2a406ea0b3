package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dcctop/core"
)

func TestNoSecondRequestWhileOneIsInFlight(t *testing.T) {
	inRig(t, running("J1", "J2"), func(r *rig) {
		wait := make(chan struct{})
		r.feed.answer = func(core.CancelRequest) ([]core.CancelOutcome, error) {
			<-wait
			return []core.CancelOutcome{{ID: "J1", Answer: core.Accepted}}, nil
		}
		r.press("c")
		r.confirm()
		r.wants("asking")
		r.press("c")
		if r.m.dialog != nil {
			t.Fatal("a dialog for a job that is being asked for")
		}
		r.wants("1 cancel is on the way")
		r.wantSent("J1")
		close(wait)
		r.drain()
		r.wants("J1 name-J1: accepted")
	})
}

func TestEveryIdOfABulkGetsItsOwnAnswer(t *testing.T) {
	inRig(t, running("J1", "J2", "J3", "J4"), func(r *rig) {
		r.feed.answer = func(q core.CancelRequest) ([]core.CancelOutcome, error) {
			return []core.CancelOutcome{
				{ID: "J1", Answer: core.Accepted},
				{ID: "J2", Answer: core.AlreadyRequested, By: "bo", At: core.At(time.Now().Add(-12 * time.Second))},
				{ID: "J3", Answer: core.Unknown},
				{ID: "J4", Answer: core.Forbidden, Why: "not yours"},
			}, nil
		}
		r.press("a", "c")
		r.pass(guardFor)
		r.press("y")
		r.wantSent("J1 J2 J3 J4")
		r.told("4 jobs: 1 unknown id, 1 forbidden, 1 already requested, 1 accepted") // trouble first, in one toast
		for id, want := range map[core.JobID]string{"J2": "already requested by bo, 00:12 ago", "J3": "unknown id", "J4": "forbidden: not yours"} {
			if got := r.m.asks.byID[id]; got == nil || got.note != want {
				t.Errorf("%s: %+v, want the note %q", id, got, want)
			}
			if l := r.line("name-" + string(id)); !strings.Contains(l, r.m.asks.byID[id].short) {
				t.Errorf("%s reads %q", id, l)
			}
		}
	})
}

func TestABulkOf500IsAnsweredPerIdAndSummedUp(t *testing.T) {
	var jobs []*core.Job
	for i := range 500 {
		jobs = append(jobs, job(fmt.Sprintf("J%03d", i), core.Running))
	}
	inRig(t, jobs, func(r *rig) {
		r.feed.answer = func(q core.CancelRequest) ([]core.CancelOutcome, error) {
			if len(q.IDs) > maxIDs {
				t.Errorf("%d ids in one request", len(q.IDs))
			}
			var out []core.CancelOutcome
			for i, id := range q.IDs {
				o := core.CancelOutcome{ID: id, Answer: core.Accepted}
				if i%5 == 1 {
					o = core.CancelOutcome{ID: id, Answer: core.AlreadyFinished, State: core.Completed}
				}
				out = append(out, o)
			}
			return out, nil
		}
		r.press("a", "c")
		r.wants("cancel 500 jobs", "and 483 more of these 500")
		r.pass(guardFor)
		r.wants("y cancel 500 jobs")
		r.press("y")
		if n := len(strings.Fields(r.feed.sent())); n != 500 {
			t.Fatalf("%d ids were asked for, want 500", n)
		}
		r.told("500 jobs: 100 already completed, 400 accepted")
		if got := r.m.asks.byID["J001"]; got == nil || got.note != "already completed" {
			t.Errorf("J001 has no answer of its own: %+v", got)
		}
	})
}

func TestALostAnswerIsSettledByTheNextSnapshot(t *testing.T) {
	lose := func(r *rig) {
		r.feed.answer = func(core.CancelRequest) ([]core.CancelOutcome, error) {
			return nil, fmt.Errorf("cancel: %w: connection reset", core.ErrOutcomeUnknown)
		}
		r.press("c")
		r.pass(guardFor)
		r.press("y")
		r.cutLink()
		r.wants("outcome unknown")
		r.pass(3 * time.Second)
		r.wants("outcome unknown")
		r.wantSent("J1")
	}
	t.Run("it had arrived", func(t *testing.T) {
		inRig(t, running("J1"), func(r *rig) {
			lose(r)
			r.snapshot(with(job("J1", core.Cancelling), func(j *core.Job) {
				j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: core.At(time.Now())}
			}))
			r.wants("cancelling by you")
			r.lacks("J1 name-J1: was not received")
			r.wantSent("J1")
		})
	})
	t.Run("it had not", func(t *testing.T) {
		inRig(t, running("J1"), func(r *rig) {
			lose(r)
			r.snapshot(running("J1")...)
			r.told("was not received, press c to ask again")
			r.pass(10 * time.Second)
			r.wantSent("J1") // never again by itself
			r.feed.answer = nil
			r.press("c")
			r.confirm()
			r.wantSent("J1 J1")
		})
	})
	t.Run("it had arrived, and the link resumes with that change", func(t *testing.T) {
		inRig(t, running("J1"), func(r *rig) {
			lose(r)
			r.change(with(job("J1", core.Cancelling), func(j *core.Job) {
				j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: core.At(time.Now())}
			}))
			r.told("cancelling by you")
			r.lacks("outcome unknown")
		})
	})
	t.Run("it had not, and the link resumes with nothing new", func(t *testing.T) {
		inRig(t, running("J1"), func(r *rig) {
			lose(r)
			r.update(core.Update{Link: &core.Link{Source: "farm", State: core.LinkLive, Since: core.At(time.Now())}})
			r.wants("outcome unknown") // a link alone proves nothing
			r.linked = true
			r.change()
			r.told("was not received, press c to ask again")
			r.lacks("outcome unknown")
			r.wantSent("J1")
		})
	})
	t.Run("no answer, and the job is over meanwhile", func(t *testing.T) {
		inRig(t, running("J1"), func(r *rig) {
			r.feed.answer = func(core.CancelRequest) ([]core.CancelOutcome, error) { return nil, core.ErrOutcomeUnknown }
			r.press("c")
			r.confirm()
			r.wants("outcome unknown")
			r.change(job("J1", core.Completed)) // on the link that was never lost
			r.told("already completed")
			r.lacks("outcome unknown")
		})
	})
	t.Run("the link came back before the answer was given up", func(t *testing.T) {
		inRig(t, running("J1"), func(r *rig) {
			hold := make(chan struct{})
			r.feed.answer = func(core.CancelRequest) ([]core.CancelOutcome, error) {
				<-hold
				return nil, core.ErrOutcomeUnknown
			}
			r.press("c")
			r.pass(guardFor)
			r.press("y")
			r.cutLink()
			r.change()
			close(hold)
			r.drain()
			r.told("was not received, press c to ask again")
		})
	})
	t.Run("another had asked", func(t *testing.T) {
		inRig(t, running("J1"), func(r *rig) {
			lose(r)
			r.snapshot(with(job("J1", core.Cancelling), func(j *core.Job) {
				j.Cancellation = &core.Cancellation{By: "bo", RequestedAt: core.At(time.Now())}
			}))
			r.wants("cancelling by bo")
		})
	})
}

func TestAnUnreachableDispatcherSaysThatNothingWasSent(t *testing.T) {
	inRig(t, running("J1"), func(r *rig) {
		r.feed.answer = func(core.CancelRequest) ([]core.CancelOutcome, error) {
			return nil, fmt.Errorf("%w since 00:03", core.ErrUnreachable)
		}
		r.press("c")
		r.pass(guardFor)
		r.press("y")
		r.told("not sent: dispatcher not reachable since 00:03")
	})
	inRig(t, running("J1"), func(r *rig) {
		r.feed.answer = func(core.CancelRequest) ([]core.CancelOutcome, error) { return nil, errors.New("rate limit") }
		r.press("c")
		r.pass(guardFor)
		r.press("y")
		r.told("refused: rate limit")
	})
}

func TestStaleRefusesToCancelAndSaysSinceWhen(t *testing.T) {
	cut := start().Std().Local().Format("15:04:05")
	inRig(t, running("J1"), func(r *rig) {
		r.cutLink()
		r.pass(25 * time.Second)
		r.wants("not connected since "+cut, "connection reset", "stale 00:25")
		r.press("c")
		if r.m.dialog != nil {
			t.Fatal("a dialog without a link")
		}
		if n := strings.Count(r.screen(), "not connected since "+cut); n < 2 {
			t.Errorf("the key was not answered:\n%s", r.screen())
		}
		r.wantSent("")
		r.snapshot(running("J1")...)
		r.lacks("stale 00")
	})
	inRig(t, running("J1"), func(r *rig) { // the link went while the dialog was open
		r.press("c")
		r.pass(guardFor)
		r.cutLink()
		r.press("y")
		r.wantSent("")
		r.wants("not connected since " + start().Std().Local().Format("15:04:05"))
	})
}
