package transport

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
)

func running(id core.JobID) core.Job {
	return core.Job{ID: id, Name: "shot " + string(id), State: core.Running}
}

func sameAs(d *memory) func(*monitor) bool {
	return func(m *monitor) bool {
		return maps.EqualFunc(values(m.view.Jobs), d.state(), func(a, b core.Job) bool { return a.Rev == b.Rev && a.State == b.State })
	}
}

func TestAMonitorShowsTheJobsAndWhatBecomesOfThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"), running("B"))
		s, _ := start(t, d, w.listen())
		m := watchAll(t, dial(t, w))
		m.until(t, "both jobs", sameAs(d))
		d.put(core.Job{ID: "A", State: core.Completed}, running("C"))
		d.purge("B")
		m.until(t, "the changes", func(m *monitor) bool { return sameAs(d)(m) && m.view.Jobs["B"] == nil })
		s.cache.mu.Lock()
		defer s.cache.mu.Unlock()
		if len(s.cache.jobs) != 2 {
			t.Errorf("the server keeps the texts of %d jobs, 2 are left", len(s.cache.jobs))
		}
		m.look(func(m *monitor) {
			if m.snaps != 1 || m.kinds[0] != "connecting" && m.kinds[0] != "live" {
				t.Errorf("came %v; want one snapshot, after the link", m.kinds)
			}
		})
	})
}

func TestTheSecondMonitorSeesACancelWithin100msAndWhoAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"))
		start(t, d, w.listen())
		one, two := dial(t, w), dial(t, w)
		m := watchAll(t, two)
		m.until(t, "the job", has("A", core.Running))
		asked := time.Now()
		reason := "falsche Kamera – 渲染错误 🎥"
		got, err := one.Cancel(context.Background(), core.CancelRequest{IDs: []core.JobID{"A", "Z"}, Reason: reason, By: core.Actor{User: "mallory"}})
		if err != nil || len(got) != 2 || got[0].Answer != core.Accepted || got[1].Answer != core.Unknown {
			t.Fatalf("cancel: %v, %v", got, err)
		}
		m.until(t, "cancelling", has("A", core.Cancelling))
		if took := time.Since(asked); took > 100*time.Millisecond {
			t.Errorf("took %s", took)
		}
		m.look(func(m *monitor) {
			c := m.view.Jobs["A"].Cancellation
			if c.By != "ann" || c.From != "ws1" || c.Reason != reason {
				t.Errorf("cancellation is %+v; want by ann from ws1, as the connection is known", c)
			}
		})
		if r := d.asked()[0]; r.CommandID == "" {
			t.Error("no command id was filled in")
		}
	})
}

func TestABigFarmArrivesInPartsAndIsSwappedInWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		for i := range 3000 {
			d.put(running(core.JobID(fmt.Sprintf("J%05d", i))))
		}
		start(t, d, w.listen())
		m := watchAll(t, dial(t, w))
		m.until(t, "data", func(m *monitor) bool { return m.snaps > 0 })
		m.look(func(m *monitor) {
			if len(m.view.Jobs) != 3000 {
				t.Errorf("the first snapshot showed %d of 3000 jobs", len(m.view.Jobs))
			}
		})
		// A change of every job at once goes in pieces too, and is cut between two of them.
		var all []core.Job
		for i := range 3000 {
			all = append(all, core.Job{ID: core.JobID(fmt.Sprintf("J%05d", i)), State: core.Completed})
		}
		d.put(all...)
		m.until(t, "the change", sameAs(d))
	})
}

func TestOneWatchAtATimePerClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"), running("B"))
		start(t, d, w.listen())
		c := dial(t, w)
		m := watchAll(t, c)
		m.until(t, "the jobs", sameAs(d))
		for _, err := range c.Watch(t.Context()) {
			if !errors.Is(err, ErrWatching) {
				t.Errorf("second watch: %v", err)
			}
		}
		m.stop()
		d.put(running("C"))
		n := watchAll(t, c, "A", "C") // on the same connection
		n.until(t, "two jobs", func(m *monitor) bool { return m.snaps == 1 })
		n.look(func(m *monitor) {
			if len(m.view.Jobs) != 2 || m.view.Jobs["B"] != nil {
				t.Errorf("watching A and C shows %v", values(m.view.Jobs))
			}
		})
		// What others do is not sent, and is no gap.
		before := d.watches()
		for range 10 {
			d.put(running("B"))
			pass(time.Second)
		}
		d.put(core.Job{ID: "C", State: core.Completed})
		n.until(t, "the end of C", has("C", core.Completed))
		pass(time.Minute)
		n.look(func(m *monitor) {
			if m.kindCount("change") != 1 || d.watches() != before || len(w.dialled()) != 1 {
				t.Errorf("came %v, %d watches, %d connections", m.kinds, d.watches(), len(w.dialled()))
			}
		})
	})
}

func (m *monitor) kindCount(kind string) (n int) {
	for _, k := range m.kinds {
		if k == kind {
			n++
		}
	}
	return n
}

// lossy is a dispatcher whose feed leaves out one change, once.
type lossy struct {
	*memory
	lost atomic.Bool
}

func (l *lossy) Watch(ctx context.Context, resume ...core.Position) iter.Seq2[core.Update, error] {
	return func(yield func(core.Update, error) bool) {
		for u, err := range l.memory.Watch(ctx, resume...) {
			if u.Change != nil && l.lost.CompareAndSwap(false, true) {
				continue
			}
			if !yield(u, err) {
				return
			}
		}
	}
}

func TestAChangeThatWentMissingIsNoticedAndAskedForOnTheSameConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := &lossy{memory: newMemory("e1")}, &wire{}
		d.put(running("A"), running("B"))
		start(t, d, w.listen())
		m := watchAll(t, dial(t, w))
		m.until(t, "both jobs", sameAs(d.memory))
		d.purge("A") // is lost
		pass(time.Second)
		for range 5 {
			d.put(core.Job{ID: "B", State: core.Completed})
			pass(time.Second)
		}
		m.until(t, "the same", sameAs(d.memory))
		m.look(func(m *monitor) {
			if m.err != nil || m.snaps != 1 || d.watches() != 2 || len(w.dialled()) != 1 {
				t.Errorf("came %v, %d watches, %d connections, err %v", m.kinds, d.watches(), len(w.dialled()), m.err)
			}
		})
	})
}
