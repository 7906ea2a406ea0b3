package transport

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"dcctop/core"
)

// memory is a small dispatcher without jobs that run: its tests move them. It
// keeps the rules of the feed: one lock for a snapshot and its registration, a
// ring, an epoch, tombstones, merged changes, urgent ones at once.
type memory struct {
	mu       sync.Mutex
	at       core.Position
	jobs     map[core.JobID]*core.Job
	ring     []memoryChange
	floor    uint64 // the oldest position that can be resumed from
	watchers map[*memoryWatcher]struct{}
	closed   chan struct{}
	log      []byte
	cancels  []core.CancelRequest
	snaps    int           // snapshots given
	joins    int           // watches begun
	hold     chan struct{} // when not nil, Cancel waits for it after its work
}

type memoryChange struct {
	seq  uint64
	id   core.JobID
	gone bool
}

type memoryWatcher struct {
	from  uint64
	dirty map[core.JobID]bool // true: gone
	wake  chan struct{}
	rush  chan struct{}
}

func newMemory(epoch string) *memory {
	return &memory{
		at:       core.Position{Source: "farm", Epoch: epoch},
		jobs:     map[core.JobID]*core.Job{},
		watchers: map[*memoryWatcher]struct{}{},
		closed:   make(chan struct{}),
	}
}

// change records what became of a job. m.mu is held.
func (m *memory) change(j *core.Job, gone, urgent bool) {
	m.at.Seq++
	if gone {
		delete(m.jobs, j.ID)
	} else {
		j.Rev = m.at.Seq
		m.jobs[j.ID] = j
	}
	m.ring = append(m.ring, memoryChange{m.at.Seq, j.ID, gone})
	for w := range m.watchers {
		w.dirty[j.ID] = gone
		signal(w.wake)
		if urgent {
			signal(w.rush)
		}
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// put adds a job, or replaces it.
func (m *memory) put(jobs ...core.Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range jobs {
		m.change(&j, false, false)
	}
}

func (m *memory) purge(ids ...core.JobID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		m.change(m.jobs[id], true, false)
	}
}

// forget drops the ring: nobody can resume from before.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ring, m.floor = nil, m.at.Seq
}

// state returns every job, as a reader should see them.
func (m *memory) state() map[core.JobID]core.Job {
	m.mu.Lock()
	defer m.mu.Unlock()
	return values(m.jobs)
}

func values(jobs map[core.JobID]*core.Job) map[core.JobID]core.Job {
	out := map[core.JobID]core.Job{}
	for id, j := range jobs {
		out[id] = *j
	}
	return out
}

func (m *memory) snapshots() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.snaps
}

func (m *memory) watches() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.joins
}

func (m *memory) asked() []core.CancelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.cancels)
}

func (m *memory) Submit(_ context.Context, s core.Submission) (*core.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.Dir == "/missing" {
		return nil, fmt.Errorf("%w: dir /missing: no such folder", core.ErrInvalid)
	}
	j := &core.Job{ID: core.JobID(fmt.Sprintf("N%d", m.at.Seq+1)), Name: s.Name, State: core.Pending, User: s.By.User, Command: s.Command}
	m.change(j, false, true)
	return j, nil
}

func (m *memory) Rerun(_ context.Context, r core.RerunRequest) (*core.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, ok := m.jobs[r.ID]
	switch {
	case !ok:
		return nil, fmt.Errorf("%w: %s", core.ErrNotFound, r.ID)
	case !old.State.Terminal():
		return nil, fmt.Errorf("job %s is %s: %w", r.ID, old.State, core.ErrNotEnded)
	case r.OnlyUnfinished:
		return nil, fmt.Errorf("%w: only_unfinished: job %s has no range of frames", core.ErrInvalid, r.ID)
	}
	j := &core.Job{ID: core.JobID(fmt.Sprintf("N%d", m.at.Seq+1)), Name: old.Name, State: core.Pending, User: r.By.User,
		Labels: map[string]string{"rerun_of": string(r.ID)}}
	m.change(j, false, true)
	return j, nil
}

func (m *memory) Cancel(ctx context.Context, r core.CancelRequest) ([]core.CancelOutcome, error) {
	m.mu.Lock()
	m.cancels = append(m.cancels, r)
	hold := m.hold
	var out []core.CancelOutcome
	for _, id := range r.IDs {
		j, ok := m.jobs[id]
		switch {
		case !ok:
			out = append(out, core.CancelOutcome{ID: id, Answer: core.Unknown})
		case j.State.Terminal():
			out = append(out, core.CancelOutcome{ID: id, Answer: core.AlreadyFinished, State: j.State})
		default:
			next := *j
			next.State = core.Cancelling
			next.Cancellation = &core.Cancellation{By: r.By.User, From: r.By.Host, Reason: r.Reason, RequestedAt: core.At(time.Now())}
			m.change(&next, false, true)
			out = append(out, core.CancelOutcome{ID: id, Answer: core.Accepted, State: next.State})
		}
	}
	m.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
		}
	}
	return out, nil
}

func (m *memory) Get(_ context.Context, id core.JobID) (*core.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if j, ok := m.jobs[id]; ok {
		return j, nil
	}
	return nil, fmt.Errorf("%w: %s", core.ErrNotFound, id)
}

func (m *memory) Log(_ context.Context, id core.JobID, from int64) (core.LogChunk, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	from = min(from, int64(len(m.log)))
	return core.LogChunk{ID: id, From: from, Next: int64(len(m.log)), Data: m.log[from:], End: true}, nil
}

func (m *memory) Watch(ctx context.Context, resume ...core.Position) iter.Seq2[core.Update, error] {
	return func(yield func(core.Update, error) bool) {
		first, w := m.join(resume)
		defer m.leave(w)
		for u := first; yield(u, nil); {
			select {
			case <-ctx.Done():
				yield(core.Update{}, ctx.Err())
				return
			case <-m.closed:
				yield(core.Update{}, core.ErrClosed)
				return
			case <-w.wake:
			}
			flush := time.NewTimer(50 * time.Millisecond)
			select {
			case <-flush.C:
			case <-w.rush:
			case <-ctx.Done():
			}
			flush.Stop()
			u = core.Update{Change: m.take(w)}
		}
	}
}

func (m *memory) join(resume []core.Position) (core.Update, *memoryWatcher) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := &memoryWatcher{from: m.at.Seq, dirty: map[core.JobID]bool{}, wake: make(chan struct{}, 1), rush: make(chan struct{}, 1)}
	m.watchers[w] = struct{}{}
	m.joins++
	for _, p := range resume {
		if p.Epoch == m.at.Epoch && p.Seq >= m.floor && p.Seq <= m.at.Seq {
			old := &memoryWatcher{from: p.Seq, dirty: map[core.JobID]bool{}}
			for _, c := range m.ring {
				if c.seq > p.Seq {
					old.dirty[c.id] = c.gone
				}
			}
			return core.Update{Change: m.merged(old)}, w
		}
	}
	m.snaps++
	jobs := slices.Collect(maps.Values(m.jobs))
	return core.Update{Snapshot: &core.Snapshot{Source: m.at.Source, Epoch: m.at.Epoch, At: m.at.Seq, Jobs: jobs}}, w
}

func (m *memory) leave(w *memoryWatcher) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watchers, w)
}

func (m *memory) take(w *memoryWatcher) *core.Change {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.merged(w)
	w.from, w.dirty = c.To, map[core.JobID]bool{}
	select {
	case <-w.rush:
	default:
	}
	return c
}

// merged returns what is dirty. m.mu is held.
func (m *memory) merged(w *memoryWatcher) *core.Change {
	c := &core.Change{Source: m.at.Source, Epoch: m.at.Epoch, From: w.from, To: m.at.Seq}
	for id, gone := range w.dirty {
		if gone {
			c.Gone = append(c.Gone, id)
		} else {
			c.Jobs = append(c.Jobs, m.jobs[id])
		}
	}
	return c
}

var _ Dispatcher = (*memory)(nil)
var _ Dispatcher = (*Client)(nil)
