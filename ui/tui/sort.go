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

// next is the order by the following column.
func (o order) next() order { return order{by: (o.by + 1) % columnCount} }

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
// others by how many of those have ended.
func fraction(j *core.Job) (float64, bool) {
	if f, ok := j.Progress.Fraction(); ok {
		return f, true
	}
	if j.Progress == nil {
		if done, all := childrenEnded(j); all > 0 {
			return float64(done) / float64(all), true
		}
	}
	return 0, false
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
