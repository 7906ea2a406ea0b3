package core_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"dcctop/core"
)

func TestCurrentCancelTokenAndJobID(t *testing.T) {
	if core.CurrentCancelToken(context.Background()) != nil || core.CurrentJobID(context.Background()) != "" {
		t.Fatal("a plain context has a token")
	}
	token := core.NewCancelToken("job-7")
	ctx, reset := core.WithCancelToken(context.Background(), token)
	if core.CurrentCancelToken(ctx) != core.CancellationProbe(token) || core.CurrentJobID(ctx) != "job-7" {
		t.Fatal("the token is not the current one")
	}
	reset()
	if core.CurrentCancelToken(ctx) != nil || core.CurrentJobID(ctx) != "" {
		t.Fatal("the token outlived its reset")
	}
}

func TestNestedTokensAndReset(t *testing.T) {
	outer, inner := core.NewCancelToken("outer"), core.NewCancelToken("inner")
	ctx1, resetOuter := core.WithCancelToken(context.Background(), outer)
	ctx2, resetInner := core.WithCancelToken(ctx1, inner)
	if core.CurrentJobID(ctx2) != "inner" || core.CurrentJobID(ctx1) != "outer" {
		t.Fatal("the inner token does not cover the outer one")
	}
	resetInner()
	resetInner() // harmless
	if core.CurrentJobID(ctx2) != "outer" {
		t.Fatal("reset did not restore what was before")
	}
	inner.Cancel()
	if err := core.CheckCancelled(ctx2); err != nil {
		t.Fatalf("a token cancels after its reset: %v", err)
	}
	resetOuter()
	if core.CurrentCancelToken(ctx2) != nil {
		t.Fatal("the outer token outlived its reset in the inner context")
	}
}

func TestResetsInTheWrongOrder(t *testing.T) {
	ctx1, resetOuter := core.WithCancelToken(context.Background(), core.NewCancelToken("outer"))
	ctx2, resetInner := core.WithCancelToken(ctx1, core.NewCancelToken("inner"))
	resetOuter()
	if core.CurrentJobID(ctx2) != "inner" {
		t.Fatal("the outer reset uncovered the wrong token")
	}
	resetInner()
	if core.CurrentCancelToken(ctx2) != nil {
		t.Fatal("a token that was reset came back")
	}
}

func TestTokenAndJobAreIndependent(t *testing.T) {
	job := &handle{}
	ctx, resetToken := core.WithCancelToken(context.Background(), core.NewCancelToken("t"))
	ctx, resetJob := core.WithCurrentJob(ctx, job)
	resetToken()
	if core.CurrentJob(ctx) != core.JobHandle(job) || core.CurrentCancelToken(ctx) != nil {
		t.Fatal("the token's reset touched the job, or did not reach under it")
	}
	resetJob()
	if core.CurrentJob(ctx) != nil {
		t.Fatal("the job outlived its reset")
	}
}

func TestExplicitNilClearsAnInheritedToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer := core.NewCancelToken("outer")
		ctx, resetOuter := core.WithCancelToken(context.Background(), outer)
		defer resetOuter()
		cleared, reset := core.WithCancelToken(ctx, nil)
		outer.Cancel()
		synctest.Wait()
		if ctx.Err() == nil || cleared.Err() == nil {
			t.Fatal("the context did not end with its token")
		}
		if err := core.CheckCancelled(cleared); err != nil {
			t.Fatalf("an explicit nil let the outer cancel through: %v", err)
		}
		reset()
		if err := core.CheckCancelled(cleared); !errors.Is(err, core.ErrCancelled) {
			t.Fatalf("after the reset: %v", err)
		}
	})
}

func TestExplicitNilClearsAnInheritedJob(t *testing.T) {
	ctx, resetOuter := core.WithCurrentJob(context.Background(), &handle{true})
	defer resetOuter()
	cleared, reset := core.WithCurrentJob(ctx, nil)
	if err := core.CheckDCCCancelled(cleared); err != nil {
		t.Fatal(err)
	}
	reset()
	if err := core.CheckDCCCancelled(cleared); err == nil {
		t.Fatal("the reset did not uncover the outer job")
	}
}

func TestAnInnerTokenDecidesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer := core.NewCancelToken("outer")
		ctx, resetOuter := core.WithCancelToken(context.Background(), outer)
		defer resetOuter()
		ctx, reset := core.WithCancelToken(ctx, core.NewCancelToken("inner"))
		defer reset()
		outer.Cancel()
		synctest.Wait()
		if err := core.CheckCancelled(ctx); err != nil {
			t.Fatalf("the outer token was asked: %v", err)
		}
	})
}

func TestContextEndsShortlyAfterItsToken(t *testing.T) {
	token := core.NewCancelToken("job-9")
	ctx, reset := core.WithCancelToken(context.Background(), token)
	defer reset()
	derived, cancel := context.WithCancel(ctx)
	defer cancel()
	token.Cancel()
	if err := core.CheckCancelled(derived); !errors.Is(err, core.ErrCancelled) {
		t.Fatalf("a check right after Cancel: %v", err) // the context itself may take a moment
	}
	<-derived.Done()
	var cancelled *core.CancelledError
	if !errors.As(context.Cause(derived), &cancelled) || cancelled.JobID != "job-9" {
		t.Fatalf("cause %v", context.Cause(derived))
	}
	if derived.Err() != context.Canceled {
		t.Fatalf("Err %v", derived.Err())
	}
}

func TestResetFreesTheLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, end := context.WithCancel(context.Background())
		token := core.NewCancelToken("")
		ctx, reset := core.WithCancelToken(parent, token)
		reset()
		token.Cancel()
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal("the context ended with a token it was freed from")
		}
		end()
		if ctx.Err() != context.Canceled {
			t.Fatal("the context does not end with its parent")
		}
	})
}

// A goroutine that is started without the context has no token, as a Python
// thread starts with none.
func TestAGoroutineWithoutTheContextHasNone(t *testing.T) {
	_, reset := core.WithCancelToken(context.Background(), cancelledToken("t"))
	defer reset()
	result := make(chan error)
	go func() { result <- core.CheckDCCCancelled(context.Background()) }()
	if err := <-result; err != nil {
		t.Fatal(err)
	}
}

// probe is somebody else's CancellationProbe, with nothing to link to.
type probe struct{ cancelled bool }

func (p *probe) Cancelled() bool   { return p.cancelled }
func (p *probe) JobID() core.JobID { return "theirs" }

func TestAForeignProbeIsChecked(t *testing.T) {
	p := &probe{}
	ctx, reset := core.WithCancelToken(context.Background(), p)
	defer reset()
	if err := core.CheckCancelled(ctx); err != nil {
		t.Fatal(err)
	}
	p.cancelled = true
	if err := core.CheckCancelled(ctx); err == nil || err.Error() != "job theirs cancelled" {
		t.Fatalf("got %v", err)
	}
}
