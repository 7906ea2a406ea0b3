package transport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// Shutdown takes no more connections, tells every client when to come back,
// and waits until they are gone. When ctx ends first it cuts them and returns
// the error of ctx. It may be called more than once; each call waits.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	if !s.down {
		close(s.leaving)
	}
	s.down = true
	var https []*http.Server
	for hs := range s.https {
		https = append(https, hs)
	}
	for c := range s.conns {
		c.end(closeOf(codeShutdown), retryAfterShutdown())
	}
	s.mu.Unlock()

	var wg sync.WaitGroup
	for _, hs := range https { // closes the listeners at once
		wg.Go(func() {
			if hs.Shutdown(ctx) != nil {
				_ = hs.Close()
			}
		})
	}
	gone := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(gone)
	}()
	var err error
	select {
	case <-gone:
	case <-ctx.Done():
		err = fmt.Errorf("shut down the feed: %w", ctx.Err())
	}
	s.cancel() // cuts what is left
	select {
	case <-gone:
	case <-time.After(WriteWait):
		return errors.Join(err, errors.New("shut down the feed: a request is stuck at the dispatcher"))
	}
	wg.Wait()
	return err
}

// Close cuts every connection without a word and waits for them.
func (s *Server) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// retryAfterShutdown spreads the clients of a restarted dispatcher over a second
// and a half.
func retryAfterShutdown() time.Duration {
	return 500*time.Millisecond + rand.N(1500*time.Millisecond)
}
