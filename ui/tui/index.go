package tui

import (
	"slices"

	"dcctop/core"
)

// row is a job in the list.
type row struct {
	job   *core.Job
	match bool // passes the filter and is not hidden
	place int  // index in index.shown, -1 when not shown
	depth int  // under how many shown parents; 0 without a tree
	last  bool // the last of its siblings

	moving bool // scratch of index.reorder
	nested bool // scratch of index.nest: hangs under a shown parent
	first  *row // scratch of index.nest: children as a linked list
	tail   *row
	next   *row
}

// index keeps every job in order and says which of them are shown. A change of
// k jobs among n costs k log k comparisons and at most a pass over n pointers,
// and only that when a sort key moved. It belongs to the model's goroutine.
type index struct {
	rows   map[core.JobID]*row
	sorted []*row // all of them
	shown  []*row // those that pass, in the order of the screen
	counts map[core.State]int

	order  order
	filter filter
	hide   bool // hide what has finished
	tree   bool
	frozen bool // keep places; new rows go to the end

	parented int    // how many jobs name a parent
	spare    []*row // reused by reorder
	version  int    // goes up whenever shown is made anew
}

func newIndex() *index {
	return &index{rows: map[core.JobID]*row{}, counts: map[core.State]int{}, tree: true}
}

// get returns the job with this id, or nil.
func (x *index) get(id core.JobID) *core.Job {
	if r := x.rows[id]; r != nil {
		return r.job
	}
	return nil
}

// place returns the place of id on the screen's list, or -1.
func (x *index) place(id core.JobID) int {
	if r := x.rows[id]; r != nil {
		return r.place
	}
	return -1
}

// apply takes in what changed.
func (x *index) apply(b batch) {
	if b.reset {
		x.replace(b.jobs)
		return
	}
	reorder, redo := false, len(b.gone) > 0
	var moved []*row
	for _, j := range b.jobs {
		r := x.rows[j.ID]
		if r == nil {
			r = &row{job: j, match: x.passes(j), place: -1, moving: true}
			x.rows[j.ID] = r
			x.counts[j.State]++
			x.parent(nil, j)
			moved = append(moved, r)
			reorder = true
			continue
		}
		old := r.job
		x.parent(old, j)
		r.job = j
		if old.State != j.State {
			x.count(old.State, -1)
			x.counts[j.State]++
		}
		if m := x.passes(j); m != r.match {
			r.match, redo = m, true
		}
		redo = redo || old.Parent != j.Parent
		if !x.frozen && x.order.compare(old, j) != 0 {
			r.moving, reorder = true, true
			moved = append(moved, r)
		}
	}
	for _, id := range b.gone {
		if r := x.rows[id]; r != nil {
			x.count(r.job.State, -1)
			x.parent(r.job, nil)
			delete(x.rows, id)
			r.moving, reorder = true, true // dropped by reorder, and not put back
		}
	}
	if reorder {
		x.reorder(moved)
	}
	if reorder || redo {
		x.show()
	}
}

// parent keeps count of the jobs that name a parent.
func (x *index) parent(old, now *core.Job) {
	if old != nil && old.Parent != "" {
		x.parented--
	}
	if now != nil && now.Parent != "" {
		x.parented++
	}
}

func (x *index) count(s core.State, n int) {
	if x.counts[s] += n; x.counts[s] == 0 {
		delete(x.counts, s)
	}
}

// replace makes jobs all there is. Rows keep their places when frozen.
func (x *index) replace(jobs []*core.Job) {
	old := x.sorted
	known := x.rows
	x.rows = make(map[core.JobID]*row, len(jobs))
	x.counts = map[core.State]int{}
	x.sorted = make([]*row, 0, len(jobs))
	x.parented = 0
	slices.SortFunc(jobs, x.order.compare)
	slab := make([]row, len(jobs)) // neighbours on the screen are neighbours in memory
	for i, j := range jobs {
		r := &slab[i]
		*r = row{job: j, match: x.passes(j), place: -1}
		x.rows[j.ID] = r
		x.counts[j.State]++
		x.parent(nil, j)
		if !x.frozen || known[j.ID] == nil {
			x.sorted = append(x.sorted, r)
		}
	}
	if x.frozen {
		kept := make([]*row, 0, len(jobs))
		for _, r := range old {
			if n := x.rows[r.job.ID]; n != nil {
				kept = append(kept, n)
			}
		}
		x.sorted = append(kept, x.sorted...)
	}
	x.show()
}

func (x *index) sort(rows []*row) {
	slices.SortFunc(rows, func(a, b *row) int { return x.order.compare(a.job, b.job) })
}

// reorder takes the moving rows out and merges those in moved back in.
func (x *index) reorder(moved []*row) {
	kept := x.sorted[:0]
	for _, r := range x.sorted {
		if !r.moving {
			kept = append(kept, r)
		}
	}
	x.sort(moved)
	out := x.spare[:0]
	for _, r := range moved {
		r.moving = false
		at := len(kept)
		if !x.frozen {
			at, _ = slices.BinarySearchFunc(kept, r, func(a, b *row) int { return x.order.compare(a.job, b.job) })
		}
		out = append(out, kept[:at]...)
		out = append(out, r)
		kept = kept[at:]
	}
	out = append(out, kept...)
	clear(x.sorted) // let go of rows that are gone
	x.sorted, x.spare = out, x.sorted
}

// resort orders everything anew; freezing ends.
func (x *index) resort(o order) {
	x.order, x.frozen = o, false
	x.sort(x.sorted)
	x.show()
}

// refilter decides anew what is shown.
func (x *index) refilter(f filter, hide bool) {
	x.filter, x.hide = f, hide
	for _, r := range x.sorted {
		r.match = x.passes(r.job)
	}
	x.show()
}

func (x *index) passes(j *core.Job) bool {
	return !(x.hide && j.State.Terminal()) && x.filter.match(j)
}

// show makes the list of the screen.
func (x *index) show() {
	x.version++
	x.shown = x.shown[:0]
	if x.tree && x.parented > 0 {
		x.nest()
	} else {
		for _, r := range x.sorted {
			r.place = -1
			if r.match {
				r.depth = 0
				x.put(r)
			}
		}
	}
	clear(x.shown[len(x.shown):cap(x.shown)])
}

func (x *index) put(r *row) {
	r.place = len(x.shown)
	x.shown = append(x.shown, r)
}

// alive counts the jobs that have not ended.
func (x *index) alive() int {
	n := 0
	for s, c := range x.counts {
		if !s.Terminal() {
			n += c
		}
	}
	return n
}
