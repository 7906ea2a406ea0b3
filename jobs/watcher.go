package jobs

import (
	"cmp"
	"slices"

	"dcctop/core"
)

// watcher is what one reader of the feed has not been told yet. The
// dispatcher's mutex guards it, but for the two channels.
//
// It is bounded: dirty holds jobs that exist, left holds jobs that the reader
// was told of, and a job that came and went unseen is in neither.
type watcher struct {
	at    uint64 // what the reader has
	dirty map[*entry]struct{}
	left  map[core.JobID]struct{}

	wake  chan struct{} // holds one when there is something to tell
	hurry chan struct{} // holds one when it is not to wait
}

// largeSet is from how many keys on a map is thrown away rather than cleared:
// a map never shrinks, and clearing it costs its largest size.
const largeSet = 1024

// attach registers a watcher and returns its first update, both of one moment:
// nothing can fall between the two. A position that can be honoured gives a
// change from there, possibly empty; else it is a snapshot.
func (r *registry) attach(resume []core.Position) (*watcher, core.Update) {
	w := &watcher{
		at:    r.seq,
		dirty: make(map[*entry]struct{}),
		left:  make(map[core.JobID]struct{}),
		wake:  make(chan struct{}, 1),
		hurry: make(chan struct{}, 1),
	}
	r.watchers = append(r.watchers, w)
	for _, p := range resume {
		if c, ok := r.since(p); ok {
			return w, core.Update{Change: c}
		}
	}
	return w, core.Update{Snapshot: r.snapshot()}
}

func (r *registry) detach(w *watcher) {
	r.watchers = slices.DeleteFunc(r.watchers, func(o *watcher) bool { return o == w })
}

// take returns everything that the reader of w has not been told, or nil when
// there is nothing. The jobs are in no order; see inOrder.
func (r *registry) take(w *watcher) *core.Change {
	drain(w.wake)
	drain(w.hurry)
	if w.at == r.seq {
		return nil
	}
	c := &core.Change{Source: r.source, Epoch: r.epoch, From: w.at, To: r.seq}
	if len(w.dirty) > 0 {
		c.Jobs = make([]*core.Job, 0, len(w.dirty))
	}
	for e := range w.dirty {
		c.Jobs = append(c.Jobs, e.job)
	}
	for id := range w.left {
		c.Gone = append(c.Gone, id)
	}
	w.at = r.seq
	w.dirty = emptied(w.dirty)
	w.left = emptied(w.left)
	return c
}

// inOrder sorts a change by time. It is not done by take, to keep the mutex
// free.
func inOrder(c *core.Change) {
	slices.SortFunc(c.Jobs, func(a, b *core.Job) int { return cmp.Compare(a.Rev, b.Rev) })
	slices.Sort(c.Gone)
}

func (w *watcher) changed(e *entry, urgent bool) {
	w.dirty[e] = struct{}{}
	raise(w.wake)
	if urgent {
		raise(w.hurry)
	}
}

func (w *watcher) gone(e *entry) {
	delete(w.dirty, e)
	if e.born <= w.at {
		w.left[e.job.ID] = struct{}{}
	}
	raise(w.wake)
}

func emptied[K comparable](set map[K]struct{}) map[K]struct{} {
	if len(set) > largeSet {
		return make(map[K]struct{})
	}
	clear(set)
	return set
}

// raise leaves one signal in a channel of capacity one.
func raise(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func drain(c chan struct{}) {
	select {
	case <-c:
	default:
	}
}
