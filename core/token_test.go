package core_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
)

func TestCancelTokenStartsLiveAndStaysCancelled(t *testing.T) {
	token := core.NewCancelToken("job-42")
	if token.Cancelled() || token.Cause() != nil {
		t.Fatal("a new token is cancelled")
	}
	if token.JobID() != "job-42" {
		t.Fatalf("JobID = %q", token.JobID())
	}
	token.Cancel()
	token.Cancel() // idempotent
	if !token.Cancelled() || !errors.Is(token.Cause(), core.ErrCancelled) {
		t.Fatalf("Cancelled = %v, Cause = %v", token.Cancelled(), token.Cause())
	}
}

func TestCancelTokenFirstCauseWins(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	token := core.NewCancelToken("")
	token.CancelCause(first)
	token.CancelCause(second)
	token.Cancel()
	if token.Cause() != first {
		t.Fatalf("Cause = %v", token.Cause())
	}
}

func TestCancelTokenNilIsNeverCancelled(t *testing.T) {
	var token *core.CancelToken
	token.Cancel()
	token.Ask()
	token.Detach()
	if token.Cancelled() || token.Cause() != nil || token.JobID() != "" {
		t.Fatal("a nil token says it is cancelled")
	}
	if token.Done() != nil || token.Seen() != nil {
		t.Fatal("a nil token has channels that may close")
	}
	if token.AfterFunc(func() { t.Error("called") })() {
		t.Fatal("there was something to stop")
	}
	child := token.NewChild("c")
	child.Cancel()
	if !child.Cancelled() {
		t.Fatal("the child of a nil token cannot be cancelled")
	}
}

func TestCancelTokenDoneClosesWhicheverComesFirst(t *testing.T) {
	early, late := core.NewCancelToken(""), core.NewCancelToken("")
	done := early.Done()
	early.Cancel()
	<-done
	late.Cancel()
	<-late.Done()
}

func TestCancelTokenAfterFunc(t *testing.T) {
	t.Run("runs on cancel", func(t *testing.T) {
		called := make(chan struct{})
		token := core.NewCancelToken("")
		stop := token.AfterFunc(func() { close(called) })
		token.Cancel()
		<-called
		if stop() {
			t.Fatal("stop says that it came first")
		}
	})
	t.Run("runs at once on a cancelled token", func(t *testing.T) {
		called := make(chan struct{})
		token := core.NewCancelToken("")
		token.Cancel()
		token.AfterFunc(func() { close(called) })
		<-called
	})
	t.Run("is forgotten after stop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			token := core.NewCancelToken("")
			stop := token.AfterFunc(func() { t.Error("called after stop") })
			if !stop() || stop() {
				t.Fatal("the first stop comes first, the second finds nothing")
			}
			token.Cancel()
			synctest.Wait()
		})
	})
}

func TestChildTokens(t *testing.T) {
	parent := core.NewCancelToken("parent")
	a, b := parent.NewChild("a"), parent.NewChild("b")
	grandchild := a.NewChild("a1")

	b.Cancel()
	if parent.Cancelled() || a.Cancelled() || grandchild.Cancelled() {
		t.Fatal("a child's cancel reached its parent or its sibling")
	}
	why := errors.New("why")
	parent.CancelCause(why)
	if !a.Cancelled() || !grandchild.Cancelled() {
		t.Fatal("a parent's cancel did not reach every descendant")
	}
	if a.Cause() != why || grandchild.Cause() != why || !errors.Is(b.Cause(), core.ErrCancelled) {
		t.Fatalf("causes: %v, %v, %v", a.Cause(), grandchild.Cause(), b.Cause())
	}
	if !parent.NewChild("late").Cancelled() {
		t.Fatal("a child of a cancelled parent is live")
	}
}

func TestDetachedChildIsNotReached(t *testing.T) {
	parent := core.NewCancelToken("")
	child := parent.NewChild("c")
	child.Detach()
	parent.Cancel()
	if child.Cancelled() {
		t.Fatal("a detached child was cancelled")
	}
}

func TestAskedCheckStampsItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := core.NewCancelToken("")
		token.Cancelled()
		if !token.LastCheckpoint().IsZero() {
			t.Fatal("a check that nobody asked for was stamped")
		}
		token.Ask()
		if !token.LastCheckpoint().IsZero() {
			t.Fatal("asking counts as a check")
		}
		<-time.After(time.Second)
		token.Cancelled()
		asked := time.Now()
		<-time.After(time.Second)
		token.Cancelled() // not asked again: not stamped
		if got := token.LastCheckpoint(); !got.Equal(asked) {
			t.Fatalf("last checkpoint %v, want %v", got, asked)
		}
	})
}

func TestFirstCheckThatReturnsCancelledStampsSeenAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := core.NewCancelToken("")
		token.Cancelled()
		seen := token.Seen()
		token.Cancel()
		_, _ = token.Cause(), token.Done() // a dispatcher's look is no check
		if !token.SeenAt().IsZero() {
			t.Fatal("seen before any check")
		}
		<-time.After(3 * time.Second)
		token.Cancelled()
		at := time.Now()
		<-seen
		<-time.After(time.Second)
		token.Cancelled()
		if got := token.SeenAt(); !got.Equal(at) {
			t.Fatalf("seen at %v, want %v", got, at)
		}
		<-token.Seen()
	})
}

func TestTokenFromManyGoroutines(t *testing.T) {
	parent := core.NewCancelToken("")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				child := parent.NewChild("")
				stop := child.AfterFunc(func() {})
				parent.Ask()
				child.Ask()
				parent.Cancelled()
				child.Cancelled()
				stop()
				child.Detach()
			}
		})
	}
	group.Go(parent.Cancel)
	group.Wait()
	if !parent.Cancelled() || !parent.NewChild("").Cancelled() {
		t.Fatal("the cancel got lost")
	}
}

// A check and the first look at a channel at the same moment: each channel is
// closed once, whichever comes first.
func TestChannelsAndCancelCross(t *testing.T) {
	// As often as a moment allows: the window is a few instructions wide.
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
		token := core.NewCancelToken("")
		token.Cancel()
		var ready atomic.Int32
		together := func(f func()) func() {
			return func() {
				for ready.Add(1); ready.Load() < 2; {
				}
				f()
			}
		}
		var group sync.WaitGroup
		group.Go(together(func() { token.Cancelled() }))
		group.Go(together(func() { <-token.Seen() }))
		group.Wait()
		if token.SeenAt().IsZero() {
			t.Fatal("the sight of the cancel got lost")
		}
	}
}
