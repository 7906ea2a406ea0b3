package transport

import (
	"maps"
	"slices"
	"sync"

	"dcctop/core"
)

// inbox holds what a watch has not read yet, merged: at most one snapshot, one
// change, one link and one clock, however long the reader takes. So a slow
// reader holds up neither the link nor the answers to its own commands, and
// costs at most one entry per job.
type inbox struct {
	ready chan struct{} // holds one when there is something to take

	mu       sync.Mutex // guards what follows
	link     *core.Link
	snapshot *core.Snapshot
	change   *core.Change
	index    map[core.JobID]int  // into change.Jobs, once a second change was merged into it
	gone     map[core.JobID]bool // instead of change.Gone, from then on
	sync     *core.Sync
}

func newInbox() *inbox { return &inbox{ready: make(chan struct{}, 1)} }

// put adds updates, in their order. A change must follow on from the update
// before it.
func (b *inbox) put(us ...core.Update) {
	b.mu.Lock()
	for _, u := range us {
		switch {
		case u.Snapshot != nil:
			b.snapshot = u.Snapshot
			b.change, b.index, b.gone = nil, nil, nil
		case u.Change != nil && b.change == nil:
			b.change = u.Change
		case u.Change != nil:
			b.merge(u.Change)
		case u.Link != nil:
			b.link = u.Link
		case u.Sync != nil:
			b.sync = u.Sync
		}
	}
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// merge makes one change of two that follow each other. Both are shared, so the
// first merge copies.
func (b *inbox) merge(c *core.Change) {
	if b.index == nil {
		own := *b.change
		own.Jobs = append([]*core.Job(nil), own.Jobs...)
		b.change, b.index, b.gone = &own, map[core.JobID]int{}, map[core.JobID]bool{}
		for i, j := range own.Jobs {
			b.index[j.ID] = i
		}
		for _, id := range own.Gone {
			b.gone[id] = true
		}
	}
	b.change.To = c.To
	for _, j := range c.Jobs {
		if i, ok := b.index[j.ID]; ok {
			b.change.Jobs[i] = j
			continue
		}
		delete(b.gone, j.ID)
		b.index[j.ID] = len(b.change.Jobs)
		b.change.Jobs = append(b.change.Jobs, j)
	}
	for _, id := range c.Gone {
		if i, ok := b.index[id]; ok {
			last := len(b.change.Jobs) - 1
			b.change.Jobs[i] = b.change.Jobs[last]
			b.index[b.change.Jobs[i].ID] = i
			b.change.Jobs = b.change.Jobs[:last]
			delete(b.index, id)
		}
		b.gone[id] = true
	}
}

// take returns the next update, and false when there is none. Since data implies
// a live link, a link that is not live comes after the data that came before it,
// and a live one before.
func (b *inbox) take() (core.Update, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var u core.Update
	switch {
	case b.link != nil && b.link.State == core.LinkLive:
		u.Link, b.link = b.link, nil
	case b.snapshot != nil:
		u.Snapshot, b.snapshot = b.snapshot, nil
	case b.change != nil:
		if b.index != nil {
			b.change.Gone = slices.Sorted(maps.Keys(b.gone))
		}
		u.Change, b.change, b.index, b.gone = b.change, nil, nil, nil
	case b.sync != nil:
		u.Sync, b.sync = b.sync, nil
	case b.link != nil:
		u.Link, b.link = b.link, nil
	default:
		return u, false
	}
	return u, true
}
