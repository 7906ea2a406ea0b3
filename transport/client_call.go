package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"dcctop/core"
)

// call sends one request and reads its answer into result. changes says that
// the request does something, so that a lost answer leaves its outcome unknown.
func (c *Client) call(ctx context.Context, method string, params, result any, changes bool) error {
	for {
		s, err := c.await(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		f, err := s.roundTrip(ctx, method, params, changes)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		if f.Error == nil {
			if err := json.Unmarshal(f.Result, result); err != nil {
				return fmt.Errorf("%s: %w: %v", method, errBadFrame, err)
			}
			return nil
		}
		wait, again := f.Error.retry()
		if !again || !sleep(ctx, c.ctx, wait) {
			return fmt.Errorf("%s: %w", method, f.Error)
		}
	}
}

// roundTrip sends one request on this connection and waits for its answer.
func (s *session) roundTrip(ctx context.Context, method string, params any, changes bool) (*serverFrame, error) {
	id, answer := s.expect()
	defer s.forget(id)
	data, err := encodeRequest(id, method, params)
	if err != nil {
		return nil, err
	}
	select {
	case s.out <- data:
	case <-s.done:
		return nil, fmt.Errorf("%w: link lost before it was sent", core.ErrUnreachable)
	case <-ctx.Done():
		return nil, fmt.Errorf("not sent: %w", ctx.Err())
	}
	select {
	case f := <-answer:
		return f, nil
	case <-s.done:
		err = s.why
	case <-ctx.Done():
		err = ctx.Err()
	}
	select {
	case f := <-answer: // it came at the same moment
		return f, nil
	default:
	}
	if changes {
		return nil, fmt.Errorf("%w: %w", core.ErrOutcomeUnknown, err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%w: %w", core.ErrUnreachable, err)
}

// await returns the connection. Before the first there was it waits a while,
// since a dispatcher may just be starting; once a link was lost, it does not.
func (c *Client) await(ctx context.Context) (*session, error) {
	limit := time.NewTimer(c.o.ConnectTimeout)
	defer limit.Stop()
	for {
		c.mu.Lock()
		s, link, failed, changed := c.session, c.link, c.failed, c.changed
		c.mu.Unlock()
		switch {
		case c.ctx.Err() != nil:
			return nil, fmt.Errorf("%w: client closed", core.ErrUnreachable)
		case s != nil:
			return s, nil
		case link.State == core.LinkStale:
			ago := time.Since(link.Since.Std()).Round(time.Second)
			return nil, fmt.Errorf("%w for %s: %w", core.ErrUnreachable, ago, failed)
		case errors.Is(failed, core.ErrForbidden):
			return nil, fmt.Errorf("%w: %w", core.ErrUnreachable, failed)
		}
		select {
		case <-changed:
		case <-limit.C:
			if failed == nil {
				failed = fmt.Errorf("no answer in %s", c.o.ConnectTimeout)
			}
			return nil, fmt.Errorf("%w: %w", core.ErrUnreachable, failed)
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", core.ErrUnreachable, ctx.Err())
		case <-c.ctx.Done():
		}
	}
}

// sleep waits for d, and reports whether neither context ended first.
func sleep(a, b context.Context, d time.Duration) bool {
	if end, ok := a.Deadline(); ok && time.Until(end) < d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-a.Done():
	case <-b.Done():
	}
	return false
}
