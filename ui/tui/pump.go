package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
)

// The pace of repaints: at most 30 a second, and ever fewer while the terminal
// does not keep up.
const (
	frameMin = 33 * time.Millisecond
	frameMax = time.Second
)

// The wait between two watches of a feed that ends.
const (
	rewatchMin = 100 * time.Millisecond
	rewatchMax = 5 * time.Second
)

// follow folds the feed into the store until ctx ends. A client reconnects by
// itself within one watch; a watch that ends is begun again from where the view
// is, after a wait.
func follow(ctx context.Context, feed Feed, s *store, now func() time.Time) {
	wait := rewatchMin
	for ctx.Err() == nil {
		folded, err := watch(ctx, feed, s, now)
		if ctx.Err() != nil {
			return
		}
		if folded {
			wait = rewatchMin
		}
		t := now()
		s.setLink(core.Link{State: core.LinkStale, Since: core.At(t), Why: endText(err), Retry: core.At(t.Add(wait))})
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(wait*2, rewatchMax)
	}
}

func endText(err error) string {
	if err == nil {
		return "the dispatcher has ended"
	}
	return err.Error()
}

// watch folds one sequence of updates and reports whether any was folded, and
// why it ended.
func watch(ctx context.Context, feed Feed, s *store, now func() time.Time) (folded bool, err error) {
	var resume []core.Position
	if p, ok := s.position(); ok {
		resume = append(resume, p)
	}
	for u, err := range feed.Watch(ctx, resume...) {
		if err != nil {
			return folded, err
		}
		if err := s.fold(u, now()); errors.Is(err, core.ErrGap) {
			return folded, fmt.Errorf("feed: %w", err)
		}
		folded = folded || u.Snapshot != nil || u.Change != nil
	}
	return folded, nil
}

// sender is the part of a tea.Program that notify needs.
type sender interface{ Send(tea.Msg) }

// notify tells the program of changes until ctx ends. The first change after a
// pause goes at once. Send blocks while the event loop is busy, and that is how
// a terminal that falls behind is noticed.
func notify(ctx context.Context, s *store, p sender) {
	pause := frameMin
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		}
		begin := time.Now()
		p.Send(dataMsg{})
		pause = nextPause(pause, time.Since(begin))
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// nextPause doubles the pause when handing over a change took long, and halves
// it when it did not.
func nextPause(pause, took time.Duration) time.Duration {
	if took > pause/2 {
		return min(pause*2, frameMax)
	}
	return max(pause/2, frameMin)
}
