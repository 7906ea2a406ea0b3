package transport

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dcctop/core"
)

// A reader of any speed ends with the same view, and what waits for it is
// bounded by the number of jobs.
func TestASlowReaderOfTheClientMissesNothing(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := newInbox()
		var told, read core.View
		state := map[core.JobID]*core.Job{}
		seq := uint64(0)
		ids := []core.JobID{"A", "B", "C", "D", "E"}
		put := func(u core.Update) {
			if err := told.Apply(u); err != nil {
				t.Fatal(err)
			}
			b.put(u)
		}
		put(core.Update{Snapshot: &core.Snapshot{Source: "s", Epoch: "e"}})
		for range 200 {
			switch rnd.IntN(8) {
			case 0:
				put(core.Update{Snapshot: &core.Snapshot{Source: "s", Epoch: "e", At: seq, Jobs: slices.Collect(maps.Values(state))}})
			case 1:
				if u, ok := b.take(); ok {
					if err := read.Apply(u); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
				}
			default:
				c := &core.Change{Source: "s", Epoch: "e", From: seq}
				seq++
				c.To = seq
				if id := ids[rnd.IntN(len(ids))]; state[id] != nil && rnd.IntN(3) == 0 {
					delete(state, id)
					c.Gone = append(c.Gone, id)
				} else {
					state[id] = &core.Job{ID: id, Rev: seq}
					c.Jobs = append(c.Jobs, state[id])
				}
				before := *c
				put(core.Update{Change: c})
				if len(c.Jobs) != len(before.Jobs) || len(c.Gone) != len(before.Gone) {
					t.Fatal("a shared change was written to")
				}
			}
			if b.change != nil && len(b.change.Jobs)+len(b.gone) > len(ids) {
				t.Fatalf("%d entries wait for 5 jobs", len(b.change.Jobs)+len(b.gone))
			}
		}
		for u, ok := b.take(); ok; u, ok = b.take() {
			if err := read.Apply(u); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if read.At != told.At || !maps.EqualFunc(read.Jobs, state, func(x, y *core.Job) bool { return x == y }) {
			t.Fatalf("seed %d: read %v, want %v", seed, values(read.Jobs), values(state))
		}
	}
}

func TestAStaleLinkIsToldAfterTheDataBeforeItAndALiveOneBefore(t *testing.T) {
	b := newInbox()
	change := core.Update{Change: &core.Change{}}
	link := func(s core.LinkState) core.Update { return core.Update{Link: &core.Link{State: s}} }
	b.put(change, link(core.LinkStale))
	if u, _ := b.take(); u.Change == nil {
		t.Errorf("first %+v, want the change", u)
	}
	b.put(link(core.LinkLive), change)
	if u, _ := b.take(); u.Link == nil || u.Link.State != core.LinkLive {
		t.Errorf("then %+v, want live", u)
	}
	if u, _ := b.take(); u.Change == nil {
		t.Errorf("then %+v, want the change", u)
	}
	if u, ok := b.take(); ok {
		t.Errorf("and %+v is left over", u)
	}
}

func TestBackoffDoublesTo30sWithFullJitter(t *testing.T) {
	var b backoff
	for _, bound := range []time.Duration{500, 1000, 2000, 4000, 8000, 16000, 30000, 30000} {
		low, high := b, b
		if got := low.next(comeBackSoon, 0, 0); got != 0 {
			t.Errorf("least wait %s, want 0", got)
		}
		if got := high.next(comeBackSoon, 0, 1); got != bound*time.Millisecond {
			t.Errorf("longest wait %s, want %d ms", got, bound)
		}
		b = high
	}
	b.lived(59 * time.Second)
	if got := b.next(comeBackSoon, 0, 1); got != backoffMost {
		t.Errorf("after a short life %s", got)
	}
	b.lived(60 * time.Second)
	if got := b.next(comeBackSoon, 2*time.Second, 0.5); got != 2250*time.Millisecond {
		t.Errorf("after a long life, with a hint of 2 s: %s", got)
	}
	if got := b.next(comeBackSlowly, 0, 0); got != 15*time.Second {
		t.Errorf("a refusal is tried again after %s", got)
	}
	if got := b.next(comeBackSoon, time.Hour, 0); got != backoffMost {
		t.Errorf("a server that says an hour: %s", got)
	}
}
