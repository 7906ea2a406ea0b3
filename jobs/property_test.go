package jobs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"dcctop/core"
)

// The property: whatever happens to a feed and its readers, every reader ends
// with exactly the jobs of the dispatcher. The model is a map.

// fault is a bug that is sown to see whether the property notices.
type fault string

const (
	sound           fault = ""
	noEpochCheck    fault = "no epoch check"
	floorOffByOne   fault = "ring floor off by one"
	noTombstones    fault = "tombstones dropped on resume"
	lateRegistering fault = "late registration"
	losesKey        fault = "merging that loses a key"
	fromUnchecked   fault = "from not checked"
)

// world is a registry, its readers, and the model of both.
type world struct {
	fault   fault
	ring    int
	reg     *registry
	model   map[core.JobID]*core.Job
	readers []*reader
	made    int
}

type reader struct {
	view core.View
	w    *watcher // nil while the link is cut
	lost bool     // a frame, and none has come since
	told int      // jobs that there were when w last was asked
}

func newWorld(f fault, ring, readers int) *world {
	w := &world{fault: f, ring: ring, reg: newRegistry("farm", ring), model: map[core.JobID]*core.Job{}}
	for range readers {
		w.readers = append(w.readers, &reader{})
	}
	return w
}

func (w *world) add() {
	w.made++
	e := &entry{}
	w.reg.add(e, core.Job{ID: core.JobID(fmt.Sprint("job", w.made)), State: core.Running})
	w.model[e.job.ID] = e.job
}

// any returns one of the jobs that there are, or nil.
func (w *world) any(draw func(int) int) *entry {
	var all []*entry
	for _, e := range w.reg.order {
		if e != nil {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[draw(len(all))]
}

func (w *world) change(e *entry) {
	w.reg.put(e, *e.job, false)
	w.model[e.job.ID] = e.job
}

func (w *world) drop(e *entry) {
	w.reg.drop(e)
	delete(w.model, e.job.ID)
}

// restart is a new life of the dispatcher, with or without its jobs.
func (w *world) restart(keep bool) {
	old := w.reg
	w.reg = newRegistry("farm", w.ring)
	w.model = map[core.JobID]*core.Job{}
	if keep {
		for _, j := range old.jobs() {
			e := &entry{}
			w.reg.add(e, *j)
			w.model[j.ID] = e.job
		}
	}
	for _, r := range w.readers {
		r.w = nil
	}
}

func (w *world) connect(r *reader, draw func(int) int) error {
	if r.w != nil {
		w.reg.detach(r.w)
	}
	r.lost = false
	at := r.view.At
	if w.fault == noEpochCheck {
		at.Epoch = w.reg.epoch
	}
	var u core.Update
	r.w, u = w.reg.attach([]core.Position{at})
	r.told = len(w.model)
	floor := w.reg.ring.floor(w.reg.seq)
	switch {
	case w.fault == floorOffByOne && u.Snapshot != nil && at.Epoch == w.reg.epoch && at.Seq+1 == floor:
		at.Seq++
		c, _ := w.reg.since(at)
		c.From--
		u = core.Update{Change: c}
	case w.fault == noTombstones && u.Change != nil:
		u.Change.Gone = nil
	case w.fault == lateRegistering:
		if e := w.any(draw); e != nil && draw(2) == 0 {
			w.change(e)
			w.reg.take(r.w)
			if u.Snapshot != nil {
				u.Snapshot.At = w.reg.seq
			} else {
				u.Change.To = w.reg.seq
			}
		}
	}
	if w.fault == noEpochCheck && u.Change != nil {
		r.view.At.Epoch = w.reg.epoch
	}
	return r.view.Apply(u)
}

// read takes what r has not been told, and resumes when it does not follow on.
func (w *world) read(r *reader, draw func(int) int) error {
	if r.w == nil {
		return w.connect(r, draw)
	}
	c := w.reg.take(r.w)
	if c == nil {
		return nil
	}
	r.lost = false
	r.told = len(w.model)
	inOrder(c)
	if w.fault == losesKey && len(c.Jobs) > 1 {
		c.Jobs = c.Jobs[1:]
	}
	if w.fault == fromUnchecked {
		c.From = r.view.At.Seq
	}
	err := r.view.Apply(core.Update{Change: c})
	if errors.Is(err, core.ErrGap) {
		return w.connect(r, draw)
	}
	return err
}

// check compares a reader that has read everything with the model.
func (w *world) check(r *reader) error {
	if got, want := r.view.At.Seq, w.reg.seq; got != want {
		return fmt.Errorf("reader is at %d, dispatcher at %d", got, want)
	}
	if len(r.view.Jobs) != len(w.model) {
		return fmt.Errorf("reader has %d jobs, dispatcher %d", len(r.view.Jobs), len(w.model))
	}
	for id, j := range w.model {
		if r.view.Jobs[id] != j {
			return fmt.Errorf("reader has another version of %s", id)
		}
	}
	if r.w != nil && len(r.w.dirty)+len(r.w.left) > 0 {
		return fmt.Errorf("a reader that has everything still holds entries")
	}
	return nil
}

// live runs a life of steps and then lets every reader catch up.
func (w *world) live(steps int, draw func(int) int) error {
	for range steps {
		r := w.readers[draw(len(w.readers))]
		e := w.any(draw)
		switch op := draw(20); {
		case op < 4 || e == nil:
			w.add()
		case op < 11:
			w.change(e)
		case op < 13:
			w.drop(e)
		case op < 16:
			if err := w.read(r, draw); err != nil {
				return err
			}
			if r.lost {
				continue // it cannot know before the next frame
			}
			if err := w.check(r); err != nil {
				return err
			}
		case op < 17: // a frame is lost on its way
			if r.w != nil && w.reg.take(r.w) != nil {
				r.lost = true
				r.told = len(w.model)
			}
		case op < 19: // the link is cut
			if r.w != nil {
				w.reg.detach(r.w)
				r.w = nil
			}
		default:
			w.restart(draw(2) == 0)
		}
		for _, r := range w.readers {
			if r.w != nil {
				known := len(r.w.dirty) + len(r.w.left)
				if most := len(w.model) + r.told; known > most {
					return fmt.Errorf("a watcher holds %d entries for at most %d jobs", known, most)
				}
			}
		}
	}
	for _, r := range w.readers {
		if err := w.connect(r, draw); err != nil {
			return err
		}
		if err := w.read(r, draw); err != nil {
			return err
		}
		if err := w.check(r); err != nil {
			return err
		}
	}
	return nil
}

func TestEveryReaderEndsWithTheDispatchersJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
		w := newWorld(sound, 1+draw(12), 1+draw(3))
		if err := w.live(20+draw(100), draw); err != nil {
			t.Fatal(err)
		}
	})
}

func TestThePropertyHasTeeth(t *testing.T) {
	lives := func(f fault) error {
		for seed := range uint64(400) {
			rng := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(f, 1+rng.IntN(12), 1+rng.IntN(3))
			if err := w.live(20+rng.IntN(100), rng.IntN); err != nil {
				return fmt.Errorf("life %d: %w", seed, err)
			}
		}
		return nil
	}
	if err := lives(sound); err != nil {
		t.Errorf("without a fault: %v", err)
	}
	for _, f := range []fault{noEpochCheck, floorOffByOne, noTombstones, lateRegistering, losesKey, fromUnchecked} {
		err := lives(f)
		if err == nil {
			t.Errorf("%s: not noticed in 400 lives", f)
		}
		t.Logf("%s: %v", f, err)
	}
}
