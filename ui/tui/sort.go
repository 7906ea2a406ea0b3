package tui

import (
	"cmp"
	"strings"

	"dcctop/core"
)

// column names a column of the table, and what it can be sorted by.
type column int

const (
	colState column = iota
	colProgress
	colName
	colKind
	colHost
	colUser
	colAge
	colCancel
	colID
	columnCount
)

// title is the head of a column.
func (c column) title() string {
	return [columnCount]string{"STATE", "PROGRESS", "NAME", "KIND", "HOST", "USER", "AGE", "CANCEL", "ID"}[c]
}

// order is how rows follow each other.
type order struct {
	by      column
	reverse bool
}

// next is the order by the following column of those that are on the screen.
func (o order) next(seen func(column) bool) order {
	for c := (o.by + 1) % columnCount; c != o.by; c = (c + 1) % columnCount {
		if seen(c) {
			return order{by: c}
		}
	}
	return order{by: o.by}
}

// name is the order in words. An id begins with the time at which it was made,
// of which a row shows nothing.
func (o order) name() string {
	if o.by == colID {
		return "submission"
	}
	return strings.ToLower(o.by.title())
}

// descends reports whether what has most of it comes first: the most urgent
// state, the most trouble with a cancel, the most progress, the greatest age.
func (o order) descends() bool {
	switch o.by {
	case colState, colProgress, colCancel:
		return !o.reverse
	}
	return o.reverse
}

// arrow points down for an order that descends.
func (o order) arrow(t *theme) string {
	if o.descends() {
		return t.down
	}
	return t.up
}

// compare orders two jobs. Equal keys go by age, oldest first, and then by id,
// so that the order never depends on chance; reversing leaves those alone.
func (o order) compare(a, b *core.Job) int {
	c := o.key(a, b)
	if o.reverse {
		c = -c
	}
	if c != 0 {
		return c
	}
	if o.by != colID {
		if c = cmp.Compare(a.CreatedAt, b.CreatedAt); c != 0 {
			return c
		}
	}
	return strings.Compare(string(a.ID), string(b.ID))
}

func (o order) key(a, b *core.Job) int {
	switch o.by {
	case colState:
		if c := cmp.Compare(rank(a.State), rank(b.State)); c != 0 || !a.State.Terminal() {
			return c
		}
		return cmp.Compare(b.FinishedAt, a.FinishedAt) // the latest end first
	case colProgress:
		fa, _ := fraction(a)
		fb, _ := fraction(b)
		return cmp.Compare(fb, fa)
	case colName:
		return strings.Compare(a.Name, b.Name)
	case colKind:
		return strings.Compare(a.Kind, b.Kind)
	case colHost:
		return strings.Compare(a.Host, b.Host)
	case colUser:
		return strings.Compare(a.User, b.User)
	case colAge:
		return cmp.Compare(born(b), born(a))
	case colCancel:
		return cmp.Compare(trouble(b), trouble(a))
	default:
		return strings.Compare(string(a.ID), string(b.ID))
	}
}

// rank is the place of a state in the list: what needs eyes comes first.
func rank(s core.State) int {
	switch s {
	case core.Cancelling:
		return 0
	case core.Running:
		return 1
	case core.Pending:
		return 2
	case core.Failed, core.Interrupted:
		return 3
	}
	return 4
}

// born is when the age of a job begins.
func born(j *core.Job) core.Time {
	if j.StartedAt.IsZero() {
		return j.CreatedAt
	}
	return j.StartedAt
}

// trouble is how much the cancel column has to say about a job.
func trouble(j *core.Job) int {
	switch {
	case j.State == core.Cancelling && j.Cancellation != nil && j.Cancellation.SeenAt.IsZero():
		return 4
	case j.State == core.Cancelling:
		return 3
	case !j.State.Terminal() && !j.DeafSince.IsZero():
		return 2
	case j.Cancellation != nil:
		return 1
	}
	return 0
}

// fraction is how far a job is: by its own word, or for one that only waits on
// others by how many of those have completed. What has completed is done,
// whatever its last word was, and nothing else ever is.
func fraction(j *core.Job) (float64, bool) {
	const almost = 0.99
	if j.Progress == nil {
		if done, all := childrenDone(j); all > 0 {
			f := float64(done) / float64(all)
			if j.State != core.Completed {
				f = min(f, almost)
			}
			return f, true
		}
	}
	if j.State == core.Completed {
		return 1, true
	}
	f, ok := j.Progress.Fraction()
	return min(f, almost), ok
}

// childrenDone counts the direct children of a job, and those that completed.
func childrenDone(j *core.Job) (done, all int) {
	for _, n := range j.Children {
		all += n
	}
	return j.Children[core.Completed], all
}

// childrenEnded counts the direct children of a job.
func childrenEnded(j *core.Job) (ended, all int) {
	for s, n := range j.Children {
		all += n
		if s.Terminal() {
			ended += n
		}
	}
	return ended, all
}
