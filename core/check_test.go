package core_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"dcctop/core"
)

type handle struct{ cancelled bool }

func (h *handle) Cancelled() bool { return h.cancelled } // crashes on a nil *handle, as many do

func cancelledToken(id core.JobID) *core.CancelToken {
	token := core.NewCancelToken(id)
	token.Cancel()
	return token
}

func TestCheckCancelledIsNilOutsideARequest(t *testing.T) {
	if err := core.CheckCancelled(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := core.CheckDCCCancelled(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestCheckCancelledReturnsTheTokensCancel(t *testing.T) {
	token := core.NewCancelToken("job-1")
	ctx, reset := core.WithCancelToken(context.Background(), token)
	defer reset()
	if err := core.CheckCancelled(ctx); err != nil {
		t.Fatalf("live token: %v", err)
	}
	why := errors.New("disk is full")
	token.CancelCause(why)
	for name, check := range map[string]func(context.Context) error{
		"CheckCancelled": core.CheckCancelled, "CheckDCCCancelled": core.CheckDCCCancelled,
	} {
		err := fmt.Errorf("frame 12: %w", check(ctx))
		var cancelled *core.CancelledError
		if !errors.Is(err, core.ErrCancelled) || !errors.Is(err, context.Canceled) || !errors.Is(err, why) || !errors.As(err, &cancelled) {
			t.Fatalf("%s: %v", name, err)
		}
		if cancelled.JobID != "job-1" {
			t.Errorf("%s: job %q", name, cancelled.JobID)
		}
	}
}

func TestCheckCancelledPassesTheReasonOn(t *testing.T) {
	token := core.NewCancelToken("job-1")
	token.CancelCause(&core.CancelledError{Reason: "wrong camera"})
	ctx, reset := core.WithCancelToken(context.Background(), token)
	defer reset()
	if got, want := core.CheckCancelled(ctx).Error(), "job job-1 cancelled: wrong camera"; got != want {
		t.Fatalf("%q, want %q", got, want)
	}
}

func TestCheckCancelledDoesNotLookAtTheJobHandle(t *testing.T) {
	ctx, reset := core.WithCurrentJob(context.Background(), &handle{cancelled: true})
	defer reset()
	if err := core.CheckCancelled(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestCheckCancelledThenTheContextsOwnEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ctx, reset := core.WithCancelToken(ctx, core.NewCancelToken(""))
	defer reset()
	cancel()
	if err := core.CheckCancelled(ctx); err != context.Canceled {
		t.Fatalf("got %v, want the context's own end", err)
	}
	if err := core.CheckDCCCancelled(ctx); err != nil {
		t.Fatalf("the end of a context is no cancel of the job: %v", err)
	}
}

func TestADeadlineIsNotACancel(t *testing.T) {
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	ctx, reset := core.WithCancelToken(ctx, core.NewCancelToken(""))
	defer reset()
	err := core.CheckCancelled(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, core.ErrCancelled) {
		t.Fatalf("got %v", err)
	}
}

func TestCheckDCCCancelledHonoursBothLayers(t *testing.T) {
	live, dead := core.NewCancelToken("t"), cancelledToken("t")
	for _, c := range []struct {
		name   string
		token  core.CancellationProbe
		handle core.JobHandle
		want   string
	}{
		{"neither", nil, nil, ""},
		{"both live", live, &handle{}, ""},
		{"token", dead, nil, "job t cancelled"},
		{"token, handle live", dead, &handle{}, "job t cancelled"},
		{"handle", nil, &handle{true}, "cancelled: by its host"},
		{"handle, token live", live, &handle{true}, "job t cancelled: by its host"},
		{"both: the token's message wins", dead, &handle{true}, "job t cancelled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, reset := core.WithCancelToken(context.Background(), c.token)
			defer reset()
			ctx, resetJob := core.WithCurrentJob(ctx, c.handle)
			defer resetJob()
			err, got := core.CheckDCCCancelled(ctx), ""
			if err != nil {
				got = err.Error()
				if !errors.Is(err, core.ErrCancelled) {
					t.Errorf("%v is not ErrCancelled", err)
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheDeprecatedAliasIsTheSameType(t *testing.T) {
	var err error = &core.DccMcpCancelledError{JobID: "j"}
	var cancelled *core.CancelledError
	if !errors.As(err, &cancelled) || !errors.Is(err, core.ErrCancelled) {
		t.Fatal("the alias is another type")
	}
}

func TestTypedNilsAreNoTokenAndNoHandle(t *testing.T) {
	var token *core.CancelToken
	var job *handle
	ctx, reset := core.WithCancelToken(context.Background(), token)
	defer reset()
	ctx, resetJob := core.WithCurrentJob(ctx, job)
	defer resetJob()
	if core.CurrentCancelToken(ctx) != nil || core.CurrentJob(ctx) != nil {
		t.Fatal("a nil pointer was installed")
	}
	if err := core.CheckDCCCancelled(ctx); err != nil {
		t.Fatal(err)
	}
}
