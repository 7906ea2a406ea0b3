package transport

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
)

func TestAClientThatOnlyWaitsForCommandsKeepsItsLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		start(t, d, w.listen())
		c := dial(t, w)
		pass(10 * time.Minute)
		j, err := c.Submit(t.Context(), core.Submission{Name: "late", Command: []string{"true"}})
		if err != nil || j.User != "ann" {
			t.Fatalf("submit: %+v, %v", j, err)
		}
		if n := len(w.dialled()); n != 1 {
			t.Errorf("connected %d times, want once", n)
		}
	})
}

func TestACommandWhoseAnswerIsLostHasAnUnknownOutcomeAndIsNotSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.hold = make(chan struct{})
		d.put(running("A"))
		start(t, d, w.listen())
		c := dial(t, w)
		m := watchAll(t, c)
		m.until(t, "the job", sameAs(d))
		failed := make(chan error)
		go func() {
			_, err := c.Cancel(context.Background(), core.CancelRequest{IDs: []core.JobID{"A"}})
			failed <- err
		}()
		synctest.Wait() // it is at the dispatcher, which has not answered
		_ = w.last().Close()
		if err := <-failed; !errors.Is(err, core.ErrOutcomeUnknown) || errors.Is(err, core.ErrUnreachable) {
			t.Errorf("cancel: %v, want outcome unknown", err)
		}
		close(d.hold)
		m.until(t, "the feed settle it", has("A", core.Cancelling))
		pass(2 * time.Minute)
		if n := len(d.asked()); n != 1 {
			t.Errorf("%d cancels arrived, want 1", n)
		}
	})
}

func TestADeadlineAfterTheSendLeavesTheOutcomeUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.hold = make(chan struct{})
		defer close(d.hold)
		d.put(running("A"))
		start(t, d, w.listen())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		_, err := dial(t, w).Cancel(ctx, core.CancelRequest{IDs: []core.JobID{"A"}})
		if !errors.Is(err, core.ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Second {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
	})
}

func TestACommandWithNobodyThereFailsAfterTheConnectTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, &wire{})
		begun := time.Now()
		_, err := c.Get(t.Context(), "A")
		if !errors.Is(err, core.ErrUnreachable) || time.Since(begun) != 3*time.Second || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
	})
}

func TestACommandWaitsForADispatcherThatIsJustStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"))
		c := dial(t, w)
		time.AfterFunc(500*time.Millisecond, func() { start(t, d, w.listen()) })
		if j, err := c.Get(t.Context(), "A"); err != nil || j.ID != "A" {
			t.Errorf("get: %+v, %v", j, err)
		}
	})
}

func TestALogIsReadInPiecesToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.log = []byte(strings.Repeat("Fra:12 \x1b[2J\xff\n", 100_000))
		start(t, d, w.listen())
		c := dial(t, w)
		var got []byte
		for from, end := int64(0), false; !end; {
			chunk, err := c.Log(t.Context(), "A", from)
			if err != nil || len(chunk.Data) > MaxLogBytes || (len(chunk.Data) == 0 && !chunk.End) {
				t.Fatalf("log from %d: %d bytes, %v", from, len(chunk.Data), err)
			}
			got = append(got, chunk.Data...)
			from, end = chunk.Next, chunk.End
		}
		if string(got) != string(d.log) {
			t.Errorf("%d bytes came of %d", len(got), len(d.log))
		}
	})
}

func TestABulkCancelOfThousandsHasAnAnswerForEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		var ids []core.JobID
		for i := range 20_000 {
			id := core.JobID(fmt.Sprintf("01J%023d", i))
			ids = append(ids, id)
			if i%3 != 0 {
				d.put(running(id))
			}
		}
		start(t, d, w.listen())
		got, err := dial(t, w).Cancel(t.Context(), core.CancelRequest{CommandID: "bulk", IDs: ids, Reason: strings.Repeat("\x01", MaxReason)})
		if err != nil || len(got) != len(ids) {
			t.Fatalf("%d answers for %d jobs, %v", len(got), len(ids), err)
		}
		for i, o := range got {
			want := core.Accepted
			if i%3 == 0 {
				want = core.Unknown
			}
			if o.ID != ids[i] || o.Answer != want {
				t.Fatalf("answer %d is %+v", i, o)
			}
		}
		seen := map[string]bool{}
		for _, r := range d.asked() {
			if seen[r.CommandID] {
				t.Errorf("command id %q was used for two requests", r.CommandID)
			}
			seen[r.CommandID] = true
		}
	})
}

func TestErrorsOfTheDispatcherAreTheSameFromAfar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		start(t, d, w.listen())
		c := dial(t, w)
		if _, err := c.Get(t.Context(), "A"); !errors.Is(err, core.ErrNotFound) || !strings.Contains(err.Error(), "no such job: A") {
			t.Errorf("get: %v", err)
		}
		if _, err := c.Submit(t.Context(), core.Submission{Command: []string{"x"}, Dir: "/missing"}); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), "dir /missing") {
			t.Errorf("submit: %v", err)
		}
		if _, err := c.Cancel(t.Context(), core.CancelRequest{}); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), "params.ids") {
			t.Errorf("cancel of nothing: %v", err)
		}
		if _, err := c.Submit(t.Context(), core.Submission{Command: []string{strings.Repeat("x", MaxClientFrame)}}); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), "16384") {
			t.Errorf("too large: %v", err)
		}
		_ = c.Close()
		if _, err := c.Get(t.Context(), "A"); !errors.Is(err, core.ErrUnreachable) {
			t.Errorf("after close: %v", err)
		}
	})
}
