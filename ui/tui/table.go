package tui

import (
	"time"

	"dcctop/core"
)

// table is where the operator is in the list: cursor, marks and what part of
// the list is on the screen. Cursor and marks are ids.
type table struct {
	cursor core.JobID
	pos    int // where the cursor was shown last
	top    int // first place on the screen
	height int // rows on the screen
	marks  map[core.JobID]struct{}

	ranging bool
	path    []core.JobID // the rows a range has walked over, in order

	movedAt time.Time // when a row last moved under the cursor by itself
	lost    bool      // then it was because the cursor's own job went away
}

// settle follows the cursor after the list or its size changed. Where that was
// not the operator's own doing it is noted: a key may have been aimed at the row
// that was there before.
func (t *table) settle(x *index, own bool, now time.Time) {
	if len(x.shown) == 0 {
		if t.cursor != "" && x.rows[t.cursor] == nil {
			t.cursor = ""
		}
		t.pos, t.top = 0, 0
		return
	}
	place := x.place(t.cursor)
	switch {
	case place < 0 && t.cursor == "":
		t.cursor, t.pos = x.shown[0].job.ID, 0
	case place < 0: // gone or hidden: its neighbour, and say so
		t.pos = min(t.pos, len(x.shown)-1)
		t.cursor = x.shown[t.pos].job.ID
		t.noteMove(own, true, now)
	case place != t.pos:
		if t.top > 0 {
			t.top += place - t.pos // the cursor stays on its line
		}
		t.pos = place
		t.noteMove(own, false, now)
	}
	t.scroll(len(x.shown))
}

func (t *table) noteMove(own, lost bool, now time.Time) {
	if !own {
		t.movedAt, t.lost = now, lost
	}
}

// forget drops the marks of jobs that are gone.
func (t *table) forget(x *index) {
	for id := range t.marks {
		if x.rows[id] == nil {
			delete(t.marks, id)
		}
	}
}

// scroll keeps the cursor on the screen and the screen on the list.
func (t *table) scroll(n int) {
	h := max(t.height, 1)
	t.top = min(t.top, t.pos)
	t.top = max(t.top, t.pos-h+1)
	t.top = max(min(t.top, n-h), 0)
}

// moveTo puts the cursor on a place, walking a range over what lies between.
func (t *table) moveTo(x *index, place int) {
	if len(x.shown) == 0 {
		return
	}
	place = max(min(place, len(x.shown)-1), 0)
	if t.ranging {
		step := 1
		if place < t.pos {
			step = -1
		}
		for p := t.pos; p != place; {
			p += step
			t.walk(x.shown[p].job.ID)
		}
	}
	t.pos, t.lost = place, false
	t.cursor = x.shown[place].job.ID
	t.scroll(len(x.shown))
}

// walk marks the next row of a range, or unmarks the last when going back.
func (t *table) walk(id core.JobID) {
	if n := len(t.path); n >= 2 && t.path[n-2] == id {
		delete(t.marks, t.path[n-1])
		t.path = t.path[:n-1]
		return
	}
	t.path = append(t.path, id)
	t.mark(id)
}

func (t *table) mark(id core.JobID) {
	if t.marks == nil {
		t.marks = map[core.JobID]struct{}{}
	}
	t.marks[id] = struct{}{}
}

// toggle marks the cursor's row or unmarks it, and steps down.
func (t *table) toggle(x *index) {
	if x.place(t.cursor) < 0 {
		return
	}
	t.endRange()
	if _, on := t.marks[t.cursor]; on {
		delete(t.marks, t.cursor)
	} else {
		t.mark(t.cursor)
	}
	t.moveTo(x, t.pos+1)
}

// startRange begins a range at the cursor, or ends one; its marks stay.
func (t *table) startRange(x *index) {
	if t.ranging {
		t.endRange()
		return
	}
	if x.place(t.cursor) >= 0 {
		t.ranging, t.path = true, []core.JobID{t.cursor}
		t.mark(t.cursor)
	}
}

func (t *table) endRange() { t.ranging, t.path = false, nil }

// markShown marks everything that passes the filter.
func (t *table) markShown(x *index) {
	t.endRange()
	for _, r := range x.shown {
		t.mark(r.job.ID)
	}
}

func (t *table) unmark() {
	t.endRange()
	clear(t.marks)
}

// target is what a command acts on: the marked jobs in the order of the list,
// those that are not shown last, or else the cursor's.
func (t *table) target(x *index) []core.JobID {
	if len(t.marks) == 0 {
		if x.place(t.cursor) < 0 {
			return nil
		}
		return []core.JobID{t.cursor}
	}
	ids := make([]core.JobID, 0, len(t.marks))
	for _, r := range x.shown {
		if _, ok := t.marks[r.job.ID]; ok {
			ids = append(ids, r.job.ID)
		}
	}
	for _, r := range x.sorted {
		if _, ok := t.marks[r.job.ID]; ok && r.place < 0 {
			ids = append(ids, r.job.ID)
		}
	}
	return ids
}
