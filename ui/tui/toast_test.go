package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
)

func TestAToastNeverHidesTheRowUnderTheCursor(t *testing.T) {
	var jobs []*core.Job
	for i := range 60 {
		jobs = append(jobs, with(job(fmt.Sprintf("J%02d", i), core.Running), func(j *core.Job) { j.DeafSince = start().Add(-time.Minute) }))
	}
	for _, s := range []tea.WindowSizeMsg{{Width: 40, Height: 10}, {Width: 80, Height: 24}, {Width: 160, Height: 48}} {
		inRig(t, jobs, func(r *rig) {
			r.give(s)
			for range 20 {
				r.press("down")
			}
			for range len(r.m.index.shown) {
				r.m.toasts.list = nil
				want := r.line("❯")
				for i := range 5 {
					r.m.toasts.say(wait, time.Now(), fmt.Sprintf("%d jobs: %s", i, strings.Repeat("already requested, ", 6)))
				}
				if l := r.line("❯"); l != want || l == "" {
					t.Fatalf("%dx%d, row %d: it reads %q, without a toast %q\n%s", s.Width, s.Height, r.m.table.pos-r.m.table.top, l, want, r.screen())
				}
				if strings.Count(r.screen(), "already requested") == 0 {
					t.Fatalf("%dx%d: no toast at all\n%s", s.Width, s.Height, r.screen())
				}
				r.m.toasts.list = nil
				r.press("up")
			}
		})
	}
}

func TestAnAcceptedToastGoesWhenItsJobsHaveStopped(t *testing.T) {
	inRig(t, running("J1", "J2", "J3"), func(r *rig) {
		r.press("a", "c")
		r.pass(guardFor)
		r.press("y")
		r.wants("3 jobs: accepted")
		over := func(id string) *core.Job {
			return with(job(id, core.Cancelled), func(j *core.Job) {
				j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: start(), StoppedAt: start()}
			})
		}
		r.change(over("J1"), over("J2"))
		r.wants("3 jobs: accepted") // one goes on
		r.change(over("J3"))
		r.lacks("accepted")
	})
}

func TestALaterAnswerAboutAJobTakesThePlaceOfTheEarlier(t *testing.T) {
	inRig(t, running("J1"), func(r *rig) {
		r.m.toasts.tell([]said{{id: "J1", text: "sent, outcome unknown", tone: alarm}}, time.Now())
		r.m.toasts.tell([]said{{id: "J1", text: "was not received", tone: alarm}}, time.Now())
		r.wants("J1: was not received")
		r.lacks("outcome unknown")
	})
}
