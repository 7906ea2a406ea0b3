package demo

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
)

func TestNoMoreJobsComputeAtOnceThanThereAreCores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(2)
		var mu sync.Mutex // guards now and most
		var now, most int
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			now += n
			most = max(most, now)
		}
		work := func() {
			count(1)
			<-time.After(10 * time.Millisecond)
			count(-1)
		}
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				for range 20 {
					if err := b.burn(t.Context(), work); err != nil {
						t.Error(err)
					}
				}
			})
			wg.Go(func() {
				for range 20 {
					b.sip(nil, work)
				}
			})
		}
		wg.Wait()
		if most != 2 {
			t.Errorf("%d at once, want 2", most)
		}
	})
}

func TestASmallJobBurnsATenthOfACore(t *testing.T) {
	for _, c := range []struct {
		name       string
		work, want time.Duration
	}{
		{"a short slice", 8 * time.Millisecond, 80 * time.Millisecond},
		{"a slice held up by a busy machine", 4 * time.Second, 4*time.Second + maxRest},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				newBudget(1).sip(nil, func() { <-time.After(c.work) })
				if took := time.Since(start); took != c.want {
					t.Errorf("took %v, want %v", took, c.want)
				}
			})
		})
	}
}

func TestACancelEndsTheRestOfASmallJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		close(done)
		start := time.Now()
		newBudget(1).sip(done, func() { <-time.After(8 * time.Millisecond) })
		if took := time.Since(start); took != 8*time.Millisecond {
			t.Errorf("took %v, want no rest", took)
		}
	})
}

func TestACancelEndsTheWaitForACore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, token := newBudget(1), core.NewCancelToken("J1")
		b.cores <- struct{}{} // somebody computes and does not stop
		ctx, reset := core.WithCancelToken(t.Context(), token)
		defer reset()
		got := make(chan error)
		go func() { got <- b.burn(ctx, func() { t.Error("it worked without a core") }) }()
		synctest.Wait()
		token.Cancel()
		if err := <-got; !errors.Is(err, core.ErrCancelled) {
			t.Errorf("got %v, want a cancel", err)
		}
	})
}

func TestAJobWhoseContextEndedDoesNotGoOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newBudget(1).burn(ctx, func() { t.Error("it worked") }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
