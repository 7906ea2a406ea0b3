package tui

import "dcctop/core"

// nest puts every shown job under its parent where that is shown too. Jobs that
// name each other as parents are shown at the top: nothing is ever lost.
func (x *index) nest() {
	for _, r := range x.sorted {
		r.place, r.first, r.tail, r.next, r.nested = -1, nil, nil, nil, false
	}
	for _, r := range x.sorted {
		if !r.match || r.job.Parent == "" {
			continue
		}
		p := x.rows[r.job.Parent]
		if p == nil || !p.match || p == r {
			continue
		}
		r.nested = true
		if p.first == nil {
			p.first = r
		} else {
			p.tail.next = r
		}
		p.tail = r
	}
	for _, r := range x.sorted {
		if r.match && !r.nested {
			x.branch(r, 0)
		}
	}
	for _, r := range x.sorted { // left over: a ring of parents
		if r.match && r.place < 0 {
			x.branch(r, 0)
		}
	}
}

func (x *index) branch(r *row, depth int) {
	if r.place >= 0 {
		return
	}
	r.depth = depth
	x.put(r)
	for k := r.first; k != nil; k = k.next {
		k.last = k.next == nil
		x.branch(k, depth+1)
	}
}

// descendants counts, for each of ids, the jobs below it that have not ended,
// and says whether all of them are its own children.
func (x *index) descendants(ids []core.JobID) map[core.JobID]kin {
	out := make(map[core.JobID]kin, len(ids))
	want := make(map[core.JobID]bool, len(ids))
	for _, id := range ids {
		want[id] = true
	}
	for _, r := range x.sorted {
		if r.job.State.Terminal() {
			continue
		}
		seen := 0
		for p := x.rows[r.job.Parent]; p != nil && seen < 64; p = x.rows[p.job.Parent] {
			if seen++; want[p.job.ID] && p != r {
				k := out[p.job.ID]
				k.n++
				k.deep = k.deep || seen > 1
				k.kills = k.kills || killable(r.job)
				out[p.job.ID] = k
			}
		}
	}
	return out
}

// kin is how many jobs hang below one.
type kin struct {
	n     int
	deep  bool // some are children of children
	kills bool // of some there is something to kill
}

// String is "and 3 children", or "" for none.
func (k kin) String() string {
	switch {
	case k.n == 0:
		return ""
	case k.deep:
		return "and " + countText(k.n, "descendant", "descendants")
	}
	return "and " + countText(k.n, "child", "children")
}
