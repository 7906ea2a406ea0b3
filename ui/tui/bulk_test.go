package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
)

// mixed is 12 jobs that run and 17 that are over.
func mixed() []*core.Job {
	var out []*core.Job
	for i := range 29 {
		s := core.Running
		if i >= 12 {
			s = core.Completed
		}
		out = append(out, job(fmt.Sprintf("J%02d", i), s))
	}
	return out
}

func TestADialogForManySaysHowManyOfThemItCancels(t *testing.T) {
	for _, s := range []tea.WindowSizeMsg{{Width: 40, Height: 10}, {Width: 80, Height: 24}, {Width: 160, Height: 48}} {
		inRig(t, mixed(), func(r *rig) {
			r.give(s)
			r.press("a", "c")
			r.pass(guardFor)
			r.wants("─ cancel 12 of 29 jobs ─", "y cancel 12 of 29 jobs", "17 are over already")
			r.lacks("the other")
			r.press("y")
			if n := len(strings.Fields(r.feed.sent())); n != 12 {
				t.Errorf("%d were asked for", n)
			}
		})
	}
	inRig(t, mixed(), func(r *rig) { // one of two
		r.press("space", "G", "space", "c")
		r.pass(guardFor)
		r.wants("cancel 1 of 2 jobs", "y cancel 1 of 2 jobs", "1 is over already")
	})
	inRig(t, mixed(), func(r *rig) { // one alone
		r.press("space", "c")
		r.pass(guardFor)
		r.wants("cancel this job?", "y cancel ")
		r.lacks(" of ", "over already")
	})
}

func TestADialogForManyNamesDeafJobsAndParentsFirst(t *testing.T) {
	jobs := mixed()
	jobs[9] = with(jobs[9], func(j *core.Job) { j.DeafSince = start().Add(-time.Minute) })
	jobs[11] = with(jobs[11], func(j *core.Job) { j.Parent = "J10" })
	inRig(t, jobs, func(r *rig) {
		r.press("a", "c")
		deaf, parent, other := 0, 0, 0
		for i, l := range strings.Split(r.screen(), "\n") {
			switch {
			case strings.Contains(l, "J09 name-J09 ▸ running deaf"):
				deaf = i
			case strings.Contains(l, "J10 name-J10 ▸ running and 1 child"):
				parent = i
			case strings.Contains(l, "J00 name-J00 ▸ running"):
				other = i
			}
		}
		if deaf == 0 || parent != deaf+1 || other != parent+1 {
			t.Errorf("deaf in line %d, parent %d, another %d\n%s", deaf, parent, other, r.screen())
		}
	})
}

func TestTheFootShowsTheKeysOfADialog(t *testing.T) {
	foot := func(r *rig) string {
		lines := strings.Split(r.screen(), "\n")
		return lines[len(lines)-1]
	}
	inRig(t, append(running("J1"), signalled("J2"), job("J3", core.Failed)), func(r *rig) {
		for _, c := range []struct {
			keys []string
			want string
		}{
			{[]string{"c"}, " y ask again   ! force   any other key: wait"},
			{[]string{"down", "c"}, " y cancel   any other key: no"},
			{[]string{"down", "R"}, " y run it again   any other key: no"},
		} {
			r.press(c.keys...)
			if l := foot(r); strings.Contains(l, c.want[:8]) {
				t.Errorf("%v: a key is offered before it is taken: %q", c.keys, l)
			}
			r.pass(guardFor)
			if l := foot(r); !strings.HasPrefix(l, c.want) {
				t.Errorf("%v: the foot reads %q, want %q", c.keys, l, c.want)
			}
			r.pass(time.Second)
			r.press("n")
		}
		r.press("up", "C")
		if l := foot(r); !strings.Contains(l, "Enter goes on, Esc goes back") {
			t.Errorf("the foot reads %q", l)
		}
	})
}

func TestAReasonTypedForAJobThatIsOverIsNoCommand(t *testing.T) {
	const typed = "qhfcyRa l/wrong camera"
	for name, make := range map[string]func(r *rig){
		"over":     func(r *rig) { r.change(job("J1", core.Completed), job("J2", core.Failed)) },
		"all over": func(r *rig) { r.change(job("J1", core.Completed), job("J2", core.Failed)); r.press("a") },
		"no link":  func(r *rig) { r.cutLink() },
		"not cancellable": func(r *rig) {
			r.change(with(job("J1", core.Running), func(j *core.Job) { j.NotCancellable = "it publishes" }))
		},
		"no job": func(r *rig) { r.gone("J1", "J2") },
	} {
		inRig(t, running("J1", "J2"), func(r *rig) {
			make(r)
			marks := len(r.m.table.marks)
			r.press("C")
			r.wants("nothing to cancel")
			r.typeText(typed)
			r.wants("nothing to cancel")
			r.press("enter")
			r.lacks("nothing to cancel")
			r.pass(time.Second)
			if r.quit || r.m.index.hide || r.m.index.frozen || r.m.dialog != nil || r.m.logOn || len(r.m.table.marks) != marks {
				t.Errorf("%s: a letter of the reason did something\n%s", name, r.screen())
			}
			r.wantSent("")
		})
	}
}

func TestEscWithNothingElseOpenTakesTheMarksAway(t *testing.T) {
	inRig(t, running("J1", "J2"), func(r *rig) {
		r.press("a", "/")
		r.typeText("J1")
		r.press("enter", "enter")
		for _, want := range []string{"2 true", "2 false", "0 false"} {
			r.press("esc") // details, filter, marks
			got := fmt.Sprintf("%d %v", len(r.m.table.marks), r.m.index.filter.text != "")
			if r.quit || got != want {
				t.Fatalf("marks and filter: %s, want %s", got, want)
			}
		}
	})
}

func TestTheHelpOfADemoSaysThatItsJobsEndWithIt(t *testing.T) {
	for ends, want := range map[bool]string{true: "quit (the jobs end too)", false: "quit (the jobs go on)"} {
		if got := newKeyMap(false, ends).Quit.Help().Desc; got != want {
			t.Errorf("%v: %q", ends, got)
		}
	}
}
