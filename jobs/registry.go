package jobs

import (
	"crypto/rand"
	"slices"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// registry is every job of a dispatcher, the position of its feed, and what is
// needed to tell a watcher what changed. It has no lock of its own: the
// dispatcher's mutex guards it.
type registry struct {
	source string
	epoch  string
	seq    uint64

	byID  map[core.JobID]*entry
	order []*entry // in order of submission; nil where one was purged
	holes int      // how many of order are nil

	ring     ring
	watchers []*watcher
}

// entry is one job. While the job lives, work is what the dispatcher needs to
// run and stop it; of a finished job only the record and the log are left.
type entry struct {
	job  *core.Job // replaced on each change, never changed
	born uint64    // the seq that added it
	at   int       // index in registry.order
	work *work
	log  *runner.Log // nil until the job starts

	again *again // nil for what cannot be run again
}

func newRegistry(source string, ringSize int) *registry {
	return &registry{
		source: source,
		epoch:  rand.Text(),
		byID:   make(map[core.JobID]*entry),
		ring:   ring{size: ringSize},
	}
}

// add makes e known. Its record is job.
func (r *registry) add(e *entry, job core.Job) {
	e.at = len(r.order)
	e.born = r.seq + 1
	r.order = append(r.order, e)
	r.byID[job.ID] = e
	r.put(e, job, false)
}

// put replaces the record of e. An urgent change is not held back to be merged.
func (r *registry) put(e *entry, job core.Job, urgent bool) {
	r.seq++
	job.Rev = r.seq
	e.job = &job
	r.ring.push(job.ID)
	for _, w := range r.watchers {
		w.changed(e, urgent)
	}
}

// drop purges e. Who knew the job is told that it is gone.
func (r *registry) drop(e *entry) {
	r.seq++
	delete(r.byID, e.job.ID)
	r.order[e.at] = nil
	r.holes++
	if r.holes > 64 && r.holes > len(r.order)/2 {
		r.compact()
	}
	r.ring.push(e.job.ID)
	for _, w := range r.watchers {
		w.gone(e)
	}
}

func (r *registry) compact() {
	r.order = slices.DeleteFunc(r.order, func(e *entry) bool { return e == nil })
	for i, e := range r.order {
		e.at = i
	}
	r.holes = 0
}

// jobs returns every record in order of submission.
func (r *registry) jobs() []*core.Job {
	all := make([]*core.Job, 0, len(r.byID))
	for _, e := range r.order {
		if e != nil {
			all = append(all, e.job)
		}
	}
	return all
}

func (r *registry) snapshot() *core.Snapshot {
	return &core.Snapshot{Source: r.source, Epoch: r.epoch, At: r.seq, Jobs: r.jobs()}
}

// since returns what changed after p, and false where that cannot be told
// without a gap: p is of another source or epoch, is ahead of this dispatcher,
// or the ring no longer reaches back so far.
func (r *registry) since(p core.Position) (*core.Change, bool) {
	if p.Source != r.source || p.Epoch != r.epoch || p.Seq > r.seq || p.Seq < r.ring.floor(r.seq) {
		return nil, false
	}
	c := &core.Change{Source: r.source, Epoch: r.epoch, From: p.Seq, To: r.seq}
	seen := make(map[core.JobID]struct{})
	for seq := p.Seq + 1; seq <= r.seq; seq++ {
		id := r.ring.at(seq)
		if _, ok := seen[id]; ok {
			continue
		}
		seen[id] = struct{}{}
		// An id is never used again, so one that is not known was purged.
		if e := r.byID[id]; e != nil {
			c.Jobs = append(c.Jobs, e.job)
		} else {
			c.Gone = append(c.Gone, id)
		}
	}
	return c, true
}

// ring holds the ids of the last changes, one per seq. The records themselves
// need no place in it: a resume sends the newest one.
type ring struct {
	size int
	ids  []core.JobID // the change of seq is at (seq-1) % size
	next int
}

func (r *ring) push(id core.JobID) {
	if len(r.ids) < r.size {
		r.ids = append(r.ids, id)
		return
	}
	r.ids[r.next] = id
	r.next = (r.next + 1) % r.size
}

// floor is the oldest position from which every change up to seq is held.
func (r *ring) floor(seq uint64) uint64 { return seq - uint64(len(r.ids)) }

func (r *ring) at(seq uint64) core.JobID { return r.ids[(seq-1)%uint64(r.size)] }
