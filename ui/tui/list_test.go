package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
)

func TestFilterTermsMatchTheirFieldsAndWordsMatchAny(t *testing.T) {
	j := with(job("01JFABC", core.Cancelling), func(j *core.Job) {
		j.Name, j.Kind, j.User, j.Host, j.DeafSince = "Shot010 鏡頭", "blender", "Ann", "ws-07", start()
		j.Cancellation = &core.Cancellation{By: "bo", RequestedAt: start()}
	})
	for text, want := range map[string]bool{
		"": true, "shot": true, "SHOT": true, "鏡": true, "blend": true, "01jfabc": true, "ws-07": true, "ann": true,
		"state:cancelling": true, "state:cancel": true, "state:cancelled": false, "state:running,cancelling": true, "state:running": false,
		"user:ann": true, "user:bo": false, "host:ws-07 shot": true, "host:ws-07 nope": false, "kind:blender": true, "name:ann": false,
		"id:abc": true, "state:": true, "is:deaf": true, "is:unseen": true, "is:late": false, "is:other": false, "c:/x": false, "  shot  ": true,
	} {
		if got := parseFilter(text).match(j); got != want {
			t.Errorf("%q matches: %v, want %v", text, got, want)
		}
	}
	if !parseFilter("c:/x").match(with(j, func(j *core.Job) { j.Name = "C:/x.blend" })) {
		t.Error("a word with a colon that is no field does not match a name")
	}
}

// TestTheListIsAlwaysInOrder applies random changes and compares the index with
// one that is made anew from the same jobs.
func TestTheListIsAlwaysInOrder(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		x := newIndex()
		jobs := map[core.JobID]*core.Job{}
		states := core.States()
		for range 120 {
			switch rnd.IntN(10) {
			case 0:
				x.resort(order{by: column(rnd.IntN(int(columnCount))), reverse: rnd.IntN(2) == 0})
			case 1:
				x.refilter(parseFilter([]string{"", "1", "state:running", "user:ann 2"}[rnd.IntN(4)]), rnd.IntN(2) == 0)
			case 2:
				x.tree = !x.tree
				x.show()
			}
			var b batch
			for range rnd.IntN(20) {
				id := core.JobID(fmt.Sprintf("J%02d", rnd.IntN(60)))
				if slices.ContainsFunc(b.jobs, func(j *core.Job) bool { return j.ID == id }) {
					continue
				}
				if rnd.IntN(5) == 0 {
					if jobs[id] != nil {
						b.gone = append(b.gone, id)
						delete(jobs, id)
					}
					continue
				}
				if slices.Contains(b.gone, id) {
					continue
				}
				j := with(job(string(id), states[rnd.IntN(7)]), func(j *core.Job) {
					j.Name, j.User = fmt.Sprint(rnd.IntN(5)), []string{"ann", "bo"}[rnd.IntN(2)]
					j.CreatedAt = core.Time(rnd.IntN(4))
					j.Progress = &core.Progress{Current: float64(rnd.IntN(4)), Total: 4}
					if rnd.IntN(3) == 0 {
						j.Parent = core.JobID(fmt.Sprintf("J%02d", rnd.IntN(60))) // rings too
					}
				})
				jobs[id] = j
				b.jobs = append(b.jobs, j)
			}
			x.apply(b)

			fresh := newIndex()
			fresh.order, fresh.filter, fresh.hide, fresh.tree = x.order, x.filter, x.hide, x.tree
			var all []*core.Job
			for _, j := range jobs {
				all = append(all, j)
			}
			fresh.apply(batch{reset: true, jobs: all})
			if got, want := ids(x), ids(fresh); got != want {
				t.Fatalf("seed %d: order by %v:\n%s\nwant:\n%s", seed, x.order, got, want)
			}
			if fmt.Sprint(x.counts) != fmt.Sprint(fresh.counts) {
				t.Fatalf("seed %d: counts %v, want %v", seed, x.counts, fresh.counts)
			}
			for i, r := range x.shown {
				if r.place != i || x.place(r.job.ID) != i {
					t.Fatalf("seed %d: %s says place %d, is at %d", seed, r.job.ID, r.place, i)
				}
			}
		}
	}
}

func ids(x *index) string {
	var s []string
	for _, r := range x.shown {
		s = append(s, fmt.Sprintf("%s/%d", r.job.ID, r.depth))
	}
	return strings.Join(s, " ")
}

func TestAFrozenListKeepsItsPlaces(t *testing.T) {
	inRig(t, running("J1", "J2", "J3"), func(r *rig) {
		r.press("f")
		r.wants("frozen")
		r.change(with(job("J1", core.Completed), func(*core.Job) {}), job("J0", core.Running))
		if got := ids(r.m.index); got != "J1/0 J2/0 J3/0 J0/0" {
			t.Errorf("order %s", got)
		}
		r.gone("J2")
		r.snapshot(job("J0", core.Running), job("J1", core.Completed), job("J3", core.Running), job("J4", core.Running))
		if got := ids(r.m.index); got != "J1/0 J3/0 J0/0 J4/0" {
			t.Errorf("after a snapshot: order %s", got)
		}
		r.press("f")
		if got := ids(r.m.index); got != "J0/0 J3/0 J4/0 J1/0" {
			t.Errorf("thawed: order %s", got)
		}
	})
}

func TestSortingMarksItsColumnAndKeepsTheCursorOnItsJob(t *testing.T) {
	inRig(t, running("J1", "J2", "J3"), func(r *rig) {
		r.press("down")
		// at 80 columns there is no kind, host or user: the key steps over them
		for _, want := range []string{"progress ▼", "name ▲", "age ▲", "cancel ▼", "submission ▲", "state ▼"} {
			r.press("s")
			if r.m.table.cursor != "J2" {
				t.Fatalf("sorted by %v: the cursor is on %s", r.m.index.order, r.m.table.cursor)
			}
			r.wants("by " + want)
		}
		r.wants("STATE▼")
		r.press("S")
		r.wants("STATE▲", "by state ▲")
		r.press("S")
		r.give(tea.WindowSizeMsg{Width: 160, Height: 48})
		for range int(columnCount) {
			r.press("s")
			r.wants(r.m.index.order.by.title() + r.m.index.order.arrow(&r.m.theme))
		}
		if r.m.index.order != (order{by: colState}) {
			t.Errorf("not every column came once: %v", r.m.index.order)
		}
	})
}

func TestAnArrowThatPointsDownMeansTheMostFirst(t *testing.T) {
	jobs := []*core.Job{
		with(job("J1", core.Running), func(j *core.Job) {
			j.Name, j.StartedAt, j.Progress = "a", start().Add(-time.Hour), &core.Progress{Current: 9, Total: 10}
		}),
		with(job("J2", core.Running), func(j *core.Job) {
			j.Name, j.StartedAt, j.Progress = "b", start().Add(-time.Second), &core.Progress{Current: 1, Total: 10}
		}),
	}
	inRig(t, jobs, func(r *rig) {
		for c, most := range map[column]string{colName: "J2", colAge: "J1", colProgress: "J1", colID: "J2"} {
			for _, reverse := range []bool{false, true} {
				o := order{by: c, reverse: reverse}
				r.m.index.resort(o)
				first := string(r.m.index.shown[0].job.ID)
				if down := o.arrow(&r.m.theme) == "▼"; down != (first == most) {
					t.Errorf("by %s, points down %v: %s comes first", o.name(), down, first)
				}
			}
		}
	})
}

func TestTheTreePutsChildrenUnderTheirParents(t *testing.T) {
	jobs := running("P", "A", "B", "Z")
	jobs[1].Parent, jobs[2].Parent = "P", "P"
	jobs[1].Name, jobs[2].Name = "kid-a", "kid-b"
	jobs[0].Name, jobs[0].CreatedAt = "parent", jobs[0].CreatedAt+1
	inRig(t, jobs, func(r *rig) {
		if got := ids(r.m.index); got != "Z/0 P/0 A/1 B/1" {
			t.Errorf("tree %s", got)
		}
		r.wants("├ kid-a", "└ kid-b")
		r.press("t")
		if got := ids(r.m.index); got != "A/0 B/0 Z/0 P/0" {
			t.Errorf("flat %s", got)
		}
	})
}

func TestHidingWhatHasFinishedKeepsTheRest(t *testing.T) {
	inRig(t, []*core.Job{job("J1", core.Running), job("J2", core.Failed), job("J3", core.Cancelled)}, func(r *rig) {
		r.press("h")
		r.wants("name-J1", "1 of 3", "finished hidden")
		r.lacks("name-J2", "name-J3")
		r.press("h")
		r.wants("name-J2", "name-J3")
	})
}

func TestMarksAndRangesHoldIds(t *testing.T) {
	marked := func(r *rig) string {
		var s []string
		for id := range r.m.table.marks {
			s = append(s, string(id))
		}
		slices.Sort(s)
		return strings.Join(s, " ")
	}
	inRig(t, running("J1", "J2", "J3", "J4", "J5"), func(r *rig) {
		r.press("down", "v", "down", "down")
		if got := marked(r); got != "J2 J3 J4" {
			t.Errorf("range: %s", got)
		}
		r.press("up")
		if got := marked(r); got != "J2 J3" {
			t.Errorf("range walked back: %s", got)
		}
		// a row that comes in between is not taken along
		r.change(with(job("J2b", core.Running), func(j *core.Job) {}))
		if got := marked(r); got != "J2 J3" {
			t.Errorf("after an insertion: %s", got)
		}
		r.press("esc")
		if r.quit || r.m.table.ranging || marked(r) != "J2 J3" {
			t.Errorf("Esc: quit %v, ranging %v, marks %s", r.quit, r.m.table.ranging, marked(r))
		}
		r.gone("J2")
		if got := marked(r); got != "J3" {
			t.Errorf("after J2 went: %s", got)
		}
		r.press("u")
		if got := marked(r); got != "" {
			t.Errorf("unmarked: %s", got)
		}
		r.press("/")
		r.typeText("J4")
		r.press("enter", "a")
		if got := marked(r); got != "J4" {
			t.Errorf("all shown: %s", got)
		}
		r.press("esc") // the filter
		r.lacks("filter J4")
	})
}

func TestMovingStaysOnTheListAndTheScreen(t *testing.T) {
	var jobs []*core.Job
	for i := range 100 {
		jobs = append(jobs, job(fmt.Sprintf("J%03d", i), core.Running))
	}
	inRig(t, jobs, func(r *rig) {
		for _, c := range []struct{ key, id string }{
			{"up", "J000"}, {"j", "J001"}, {"pgdown", "J019"}, {"G", "J099"}, {"down", "J099"}, {"pgup", "J081"}, {"k", "J080"}, {"g", "J000"}, {"end", "J099"}, {"home", "J000"},
		} {
			r.press(c.key)
			if got := string(r.m.table.cursor); got != c.id {
				t.Fatalf("%s: cursor on %s, want %s", c.key, got, c.id)
			}
			if l := r.line("❯"); !strings.Contains(l, "name-"+c.id) {
				t.Fatalf("%s: the marked line is %q", c.key, l)
			}
		}
	})
}

func TestTheCursorIsOnTheSameIdAfterAReconnect(t *testing.T) {
	inRig(t, running("J1", "J2", "J5"), func(r *rig) {
		r.press("G")
		r.cutLink()
		r.pass(30 * time.Second)
		r.snapshot(with(job("J1", core.Completed), func(*core.Job) {}), job("J3", core.Running), job("J5", core.Running))
		r.wants("live", "name-J3", "✓ completed")
		r.lacks("name-J2", "not connected")
		if l := r.line("❯"); !strings.Contains(l, "name-J5") {
			t.Errorf("the cursor's line is %q", l)
		}
	})
}

func TestEscGoesBackOneLayerAndNeverQuits(t *testing.T) {
	inRig(t, running("J1", "J2"), func(r *rig) {
		r.press("/")
		r.typeText("name")
		r.press("enter", "enter", "l", "?")
		for _, still := range []func() bool{
			func() bool { return r.m.logOn && !r.m.helpOn },
			func() bool { return r.m.detailOn && !r.m.logOn },
			func() bool { return !r.m.detailOn && r.m.index.filter.text == "name" },
			func() bool { return r.m.index.filter.text == "" },
			func() bool { return true },
			func() bool { return true },
		} {
			r.press("esc")
			if r.quit || !still() {
				t.Fatalf("quit %v:\n%s", r.quit, r.screen())
			}
		}
		r.press("q")
		if !r.quit {
			t.Error("q did not quit")
		}
	})
}

func TestEscInTheFilterBringsBackTheOneBefore(t *testing.T) {
	inRig(t, running("J1", "J2"), func(r *rig) {
		r.press("/")
		r.typeText("J1")
		r.press("enter", "/")
		r.typeText("x")
		r.wants("none of 2 jobs is shown", "filter: J1x")
		r.press("esc")
		r.wants("name-J1", "filter J1")
		r.lacks("name-J2")
	})
}

func TestCopyingPutsTheIdOnTheClipboard(t *testing.T) {
	inRig(t, running("J1", "J2"), func(r *rig) {
		r.press("down", "y")
		r.wants("copied J2")
		if r.clip != "J2" {
			t.Errorf("the clipboard holds %q", r.clip)
		}
	})
}
