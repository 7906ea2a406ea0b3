package core

import (
	"errors"
	"fmt"
)

// Position is a place in the feed of one dispatcher. No order over dispatchers
// is claimed.
type Position struct {
	Source string `json:"source"`
	Epoch  string `json:"epoch"` // random; compared only for equality
	Seq    uint64 `json:"seq"`   // one higher per state change
}

// Snapshot is every job of a dispatcher at one position. It replaces whatever
// was known: a job that is not in it is gone.
type Snapshot struct {
	Source string `json:"source"`
	Epoch  string `json:"epoch"`
	At     uint64 `json:"at"`
	Jobs   []*Job `json:"jobs"`
}

// Change is what has become of some jobs between two positions. Several changes
// of one job in that time are merged into its last.
type Change struct {
	Source string  `json:"source"`
	Epoch  string  `json:"epoch"`
	From   uint64  `json:"from"`
	To     uint64  `json:"to"`
	Jobs   []*Job  `json:"jobs,omitempty"`
	Gone   []JobID `json:"gone,omitempty"` // purged; never seen again
}

// Sync tells the position and the clock of a dispatcher, so that ages are right
// on a machine whose own clock is not.
type Sync struct {
	Source string `json:"source"`
	Epoch  string `json:"epoch"`
	Seq    uint64 `json:"seq"`
	Now    Time   `json:"now"`
}

// Link is whether what is shown of a dispatcher is live.
type Link struct {
	Source string    `json:"source"`
	State  LinkState `json:"state"`
	Since  Time      `json:"since,omitzero"`    // by the reader's clock
	Why    string    `json:"why,omitempty"`     // for a person: what failed
	Retry  Time      `json:"retry_at,omitzero"` // when the next try is made
}

// LinkState is the health of a link.
type LinkState string

// The states of a link.
const (
	LinkConnecting LinkState = "connecting" // never connected yet
	LinkLive       LinkState = "live"       // what is shown is current
	LinkStale      LinkState = "stale"      // lost: the last view stands, nothing can be asked
)

// Update is one step of a feed. Exactly one field is set.
type Update struct {
	Snapshot *Snapshot `json:"snapshot,omitempty"`
	Change   *Change   `json:"change,omitempty"`
	Sync     *Sync     `json:"sync,omitempty"`
	Link     *Link     `json:"link,omitempty"`
}

// ErrGap means that a change does not follow on from what is known. The reader
// resumes from its position or asks for a new snapshot; it never guesses.
var ErrGap = errors.New("change does not follow")

// View is every job of one dispatcher as a reader of its feed knows them, and
// the one place that decides whether a change may be applied. It is not safe
// for use by several goroutines at once. The zero View is empty and takes a
// snapshot first.
type View struct {
	At   Position
	Jobs map[JobID]*Job
}

// Apply folds u into the view. It returns an error that wraps [ErrGap], and
// leaves the view as it was, when u is a change of another epoch or one that
// does not start where the view ends.
func (v *View) Apply(u Update) error {
	switch {
	case u.Snapshot != nil:
		s := u.Snapshot
		v.At = Position{Source: s.Source, Epoch: s.Epoch, Seq: s.At}
		v.Jobs = make(map[JobID]*Job, len(s.Jobs))
		for _, j := range s.Jobs {
			v.Jobs[j.ID] = j
		}
	case u.Change != nil:
		c := u.Change
		if err := v.At.Follows(c); err != nil {
			return err
		}
		v.At.Seq = c.To
		for _, j := range c.Jobs {
			v.Jobs[j.ID] = j
		}
		for _, id := range c.Gone {
			delete(v.Jobs, id)
		}
	}
	return nil
}

// Follows returns nil when c starts exactly at p, and else an error that wraps
// [ErrGap].
func (p Position) Follows(c *Change) error {
	switch {
	case p.Source != c.Source || p.Epoch != c.Epoch:
		return fmt.Errorf("%w: at epoch %q, change is of %q", ErrGap, p.Epoch, c.Epoch)
	case p.Seq != c.From:
		return fmt.Errorf("%w: at seq %d, change starts at %d", ErrGap, p.Seq, c.From)
	case c.To < c.From:
		return fmt.Errorf("%w: change runs back from %d to %d", ErrGap, c.From, c.To)
	}
	return nil
}
