package core_test

import (
	"context"
	"sync/atomic"
	"testing"

	"dcctop/core"
)

// The contexts in which the checks are measured: under a request's usual few
// values, as code deep in a job sees them.
func measured(tb testing.TB) (context.Context, *core.CancelToken) {
	tb.Helper()
	type key int
	token := core.NewCancelToken("job")
	ctx, reset := core.WithCancelToken(tb.Context(), token)
	tb.Cleanup(reset)
	ctx, resetJob := core.WithCurrentJob(ctx, &handle{})
	tb.Cleanup(resetJob)
	for k := range key(3) {
		ctx = context.WithValue(ctx, k, k)
	}
	return ctx, token
}

func TestLiveChecksDoNotAllocate(t *testing.T) {
	ctx, token := measured(t)
	for name, check := range map[string]func(){
		"Cancelled":         func() { token.Cancelled() },
		"Cancelled, asked":  func() { token.Ask(); token.Cancelled() },
		"CheckCancelled":    func() { _ = core.CheckCancelled(ctx) },
		"CheckDCCCancelled": func() { _ = core.CheckDCCCancelled(ctx) },
	} {
		if n := testing.AllocsPerRun(1000, check); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

var sink bool

// BenchmarkCancelled holds a live check beside a bare atomic load; the goal is
// 1.5 of it.
func BenchmarkCancelled(b *testing.B) {
	b.Run("bare atomic load", func(b *testing.B) {
		var word atomic.Uint32
		for b.Loop() {
			sink = word.Load() != 0
		}
	})
	b.Run("live token", func(b *testing.B) {
		token := core.NewCancelToken("job")
		for b.Loop() {
			sink = token.Cancelled()
		}
	})
	b.Run("live token in an interface", func(b *testing.B) {
		var probe core.CancellationProbe = core.NewCancelToken("job")
		for b.Loop() {
			sink = probe.Cancelled()
		}
	})
	b.Run("live token, asked each time", func(b *testing.B) {
		token := core.NewCancelToken("job")
		for b.Loop() {
			token.Ask()
			sink = token.Cancelled()
		}
	})
}

// BenchmarkCheck holds the checks beside ctx.Err at the same depth; the goal
// for CheckDCCCancelled is 1 of it.
func BenchmarkCheck(b *testing.B) {
	ctx, _ := measured(b)
	b.Run("ctx.Err", func(b *testing.B) {
		for b.Loop() {
			sink = ctx.Err() != nil
		}
	})
	b.Run("CheckDCCCancelled", func(b *testing.B) {
		for b.Loop() {
			sink = core.CheckDCCCancelled(ctx) != nil
		}
	})
	b.Run("CheckCancelled", func(b *testing.B) {
		for b.Loop() {
			sink = core.CheckCancelled(ctx) != nil
		}
	})
	b.Run("CheckDCCCancelled outside a request", func(b *testing.B) {
		plain := context.Background()
		for b.Loop() {
			sink = core.CheckDCCCancelled(plain) != nil
		}
	})
}
