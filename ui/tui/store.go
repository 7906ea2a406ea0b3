package tui

import (
	"sync"
	"time"

	"dcctop/core"
)

// store is where the feed's goroutine leaves what it learned and the model
// picks it up. It is safe for use by both at once; the jobs in it are immutable.
type store struct {
	changed chan struct{} // holds one token while there is something to take

	mu     sync.Mutex // guards everything below
	view   core.View
	reset  bool                    // a snapshot came: take everything
	dirty  map[core.JobID]struct{} // else what changed since the last take
	link   core.Link
	away   bool          // no data has come since the link was last not live
	offset time.Duration // the dispatcher's clock minus ours
	proof  proof
	fresh  bool // something to take
}

// batch is everything that happened between two takes.
type batch struct {
	reset  bool        // jobs is all there is
	jobs   []*core.Job // new versions, in no order
	gone   []core.JobID
	link   core.Link
	offset time.Duration
	proof  proof
	seen   bool // a snapshot has been seen at all
}

// proof counts the moments at which the view was known to be current.
type proof struct {
	snapshots uint64 // all of them
	returns   uint64 // the link came back and brought a snapshot or a resumed change
}

func newStore() *store {
	return &store{
		changed: make(chan struct{}, 1),
		dirty:   make(map[core.JobID]struct{}),
		link:    core.Link{State: core.LinkConnecting},
		away:    true,
	}
}

// fold takes in one update that arrived at now. An error that wraps
// [core.ErrGap] means that nothing was changed and the feed must be resumed.
func (s *store) fold(u core.Update, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.view.Apply(u); err != nil {
		return err
	}
	switch {
	case u.Snapshot != nil:
		s.reset = true
		clear(s.dirty)
		s.proof.snapshots++
		s.live(now)
	case u.Change != nil:
		s.live(now)
		if !s.reset {
			for _, j := range u.Change.Jobs {
				s.dirty[j.ID] = struct{}{}
			}
			for _, id := range u.Change.Gone {
				s.dirty[id] = struct{}{}
			}
		}
	case u.Sync != nil:
		s.offset = u.Sync.Now.Std().Sub(now)
		return nil // worth no repaint by itself
	case u.Link != nil:
		s.link = *u.Link
		s.away = s.away || s.link.State != core.LinkLive // live alone proves nothing: the data is yet to come
	}
	s.wake()
	return nil
}

// setLink says how the feed is, where the feed itself could not.
func (s *store) setLink(l core.Link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link.State == core.LinkConnecting && l.State == core.LinkStale {
		l.State = core.LinkConnecting // nothing was ever shown that could be stale
	}
	if s.link.State == l.State && !s.link.Since.IsZero() {
		l.Since = s.link.Since
	}
	s.link = l
	s.away = s.away || l.State != core.LinkLive
	s.wake()
}

// position returns where to resume, and false before the first snapshot.
func (s *store) position() (core.Position, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view.At, s.view.Jobs != nil
}

// proofs returns how often the view was proven current so far.
func (s *store) proofs() proof {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proof
}

// take returns what happened since the last take, and false when nothing did.
func (s *store) take() (batch, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fresh {
		return batch{}, false
	}
	b := batch{reset: s.reset, link: s.link, offset: s.offset, proof: s.proof, seen: s.view.Jobs != nil}
	if s.reset {
		b.jobs = make([]*core.Job, 0, len(s.view.Jobs))
		for _, j := range s.view.Jobs {
			b.jobs = append(b.jobs, j)
		}
	} else {
		for id := range s.dirty {
			if j, ok := s.view.Jobs[id]; ok {
				b.jobs = append(b.jobs, j)
			} else {
				b.gone = append(b.gone, id)
			}
		}
	}
	s.reset, s.fresh = false, false
	clear(s.dirty)
	return b, true
}

// live notes that the view is current. s.mu is held.
func (s *store) live(now time.Time) {
	if s.away {
		s.proof.returns++
		s.away = false
	}
	if s.link.State != core.LinkLive {
		s.link = core.Link{Source: s.view.At.Source, State: core.LinkLive, Since: core.At(now)}
	}
}

// wake says that there is something to take. s.mu is held; it never blocks.
func (s *store) wake() {
	s.fresh = true
	select {
	case s.changed <- struct{}{}:
	default:
	}
}
