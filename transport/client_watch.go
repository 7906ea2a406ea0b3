package transport

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"dcctop/core"
)

// watch is what a client knows of the one feed that it follows. It outlives
// connections. It is guarded by the client's mutex.
type watch struct {
	filter *filter
	inbox  *inbox
	follow follower

	subID uint64 // of the feed.subscribe that was sent last
	acked bool   // that one was answered: frames from here on are its
	live  bool   // data has come since
}

// Watch follows the feed, across any number of connections, until ctx ends, the
// client is closed or the reader breaks. It yields
//
//   - a Snapshot first, or a Change from resume where the dispatcher can honour
//     that; later another Snapshot whenever continuity cannot be proven;
//   - Changes, merged while the reader is busy;
//   - a Sync with the dispatcher's clock, after the first data and then every
//     15 s;
//   - a Link whenever the link is lost or back: live comes just before the first
//     data that is current again.
//
// A client has one watch at a time: a second one yields [ErrWatching] and ends.
// The error of what ended the sequence is yielded last: that of ctx, or one that
// wraps core.ErrClosed.
func (c *Client) Watch(ctx context.Context, resume ...core.Position) iter.Seq2[core.Update, error] {
	return c.updates(ctx, nil, resume)
}

// WatchIDs is [Client.Watch] kept to some jobs: the dispatcher sends nothing of
// others.
func (c *Client) WatchIDs(ctx context.Context, ids ...core.JobID) iter.Seq2[core.Update, error] {
	return c.updates(ctx, &filter{IDs: ids}, nil)
}

func (c *Client) updates(ctx context.Context, only *filter, resume []core.Position) iter.Seq2[core.Update, error] {
	return func(yield func(core.Update, error) bool) {
		w := &watch{filter: only, inbox: newInbox()}
		if len(resume) > 0 {
			w.follow.at = resume[0]
		}
		if err := c.startWatch(w); err != nil {
			yield(core.Update{}, fmt.Errorf("watch: %w", err))
			return
		}
		defer c.stopWatch(w)
		for {
			if err := ctx.Err(); err != nil {
				yield(core.Update{}, err)
				return
			}
			if u, ok := w.inbox.take(); ok {
				if !yield(u, nil) {
					return
				}
				continue
			}
			select {
			case <-w.inbox.ready:
			case <-ctx.Done():
			case <-c.ctx.Done():
				yield(core.Update{}, fmt.Errorf("watch: client closed: %w", core.ErrClosed))
				return
			}
		}
	}
}

// startWatch makes w the client's watch, and asks for the feed if there is a
// link.
func (c *Client) startWatch(w *watch) error {
	if w.filter != nil {
		if err := checkIDs("ids", w.filter.IDs); err != nil {
			return err
		}
		if len(quote(w.filter)) > MaxClientFrame-2<<10 {
			return fmt.Errorf("%w ids: %d do not fit one request; watch fewer, or all", core.ErrInvalid, len(w.filter.IDs))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ctx.Err() != nil:
		return core.ErrClosed
	case c.watch != nil:
		return ErrWatching
	}
	c.watch = w
	if c.session != nil {
		c.session.wantSubscribe()
	} else {
		link := c.link
		w.inbox.put(core.Update{Link: &link})
	}
	return nil
}

// stopWatch leaves the feed running at the dispatcher, unread, until the next
// watch takes its place or the client is closed.
func (c *Client) stopWatch(w *watch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watch == w {
		c.watch = nil
	}
}

// subscribeFrame returns the request that starts or resumes the feed, nil when
// there is no watch. What comes before its answer belongs to an older one.
func (c *Client) subscribeFrame(s *session) []byte {
	id, _ := s.expect()
	s.forget(id) // subscribed takes the answer
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watch
	if w == nil {
		return nil
	}
	data, err := encodeRequest(id, methodSubscribe, subscribeParams{Resume: w.follow.resume(), Filter: w.filter})
	if err != nil {
		c.o.Logger.Error("cannot ask for the feed", "err", err)
		return nil
	}
	w.subID, w.acked, w.live = id, false, false
	return data
}

// subscribed takes the answer to a feed.subscribe, and reports whether it was
// one.
func (c *Client) subscribed(s *session, id uint64, refusal *Error) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watch
	if w == nil || c.session != s || w.subID != id || w.acked {
		return false, nil
	}
	if refusal != nil {
		retry, _ := refusal.retry()
		return true, &lost{why: refusal.Message, back: comeBackSoon, retry: retry}
	}
	w.acked = true
	return true, nil
}

// notified takes one notification of the feed.
func (c *Client) notified(s *session, f *serverFrame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watch
	if w == nil || c.session != s || !w.acked {
		return nil
	}
	if f.Method == methodSource {
		w.inbox.put(core.Update{Link: &core.Link{Source: f.Params.Source, State: core.LinkState(f.Params.State)}})
		return nil
	}
	u, err := w.follow.frame(f.Method, &f.Params)
	switch {
	case errors.Is(err, core.ErrGap):
		c.o.Logger.Info("gap in the feed, resuming", "why", err)
		w.acked = false
		s.wantSubscribe()
		return nil
	case err != nil:
		return err
	case u == (core.Update{}):
		return nil
	}
	if !w.live && u.Sync == nil {
		w.live = true
		c.link.Source = f.Params.Source
		w.inbox.put(core.Update{Link: &core.Link{Source: f.Params.Source, State: core.LinkLive, Since: core.At(time.Now())}}, u)
		return nil
	}
	w.inbox.put(u)
	return nil
}
