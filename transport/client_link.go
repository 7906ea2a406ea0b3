package transport

import (
	"errors"
	"math/rand/v2"
	"time"

	"dcctop/core"
)

// lost is why there is no link, and when to try again.
type lost struct {
	why   string // for a person
	back  comeBack
	retry time.Duration // what the server asked for
	is    error         // core.ErrForbidden, or nil
}

func (l *lost) Error() string { return l.why }
func (l *lost) Unwrap() error { return l.is }

// endpoint is where to connect and with what.
type endpoint struct{ url, token string }

// keep holds the link until the client is closed.
func (c *Client) keep() {
	var b backoff
	for c.ctx.Err() == nil {
		to, err := c.endpoint()
		var s *session
		if err == nil {
			s, err = c.connect(to)
		}
		if err == nil {
			start := time.Now()
			err = c.hold(s, to)
			b.lived(time.Since(start))
		}
		if c.ctx.Err() != nil {
			break
		}
		l := lossOf(err)
		wait := b.next(l.back, l.retry, rand.Float64())
		c.o.Logger.Info("no link", "why", l.why, "retry_in", wait)
		c.down(to, l, time.Now().Add(wait))
		c.pause(wait, to)
	}
	c.down(endpoint{}, &lost{why: "client closed", is: core.ErrClosed}, time.Time{})
}

// endpoint asks where the dispatcher is now.
func (c *Client) endpoint() (endpoint, error) {
	to := endpoint{c.o.URL, c.o.Token}
	if c.o.Endpoint != nil {
		var err error
		if to.url, to.token, err = c.o.Endpoint(); err != nil {
			return endpoint{}, err
		}
	}
	var err error
	to.url, err = FeedURL(to.url)
	return to, err
}

// pause waits before the next attempt, but not longer than until the dispatcher
// is found somewhere else or with another token: one that was started again is
// joined within about two seconds.
func (c *Client) pause(wait time.Duration, last endpoint) {
	end := time.NewTimer(wait)
	defer end.Stop()
	for {
		look := time.NewTimer(time.Second + rand.N(time.Second))
		select {
		case <-c.ctx.Done():
			look.Stop()
			return
		case <-end.C:
			look.Stop()
			return
		case <-look.C:
			if c.o.Endpoint == nil {
				continue
			}
			if now, err := c.endpoint(); err == nil && now != last {
				return
			}
		}
	}
}

// hold runs a connection until it is lost, and returns why.
func (c *Client) hold(s *session, to endpoint) error {
	c.mu.Lock()
	c.session = s
	c.failed = nil
	c.setLink(core.Link{Source: c.link.Source, State: core.LinkLive, Since: core.At(time.Now())})
	watched := c.watch != nil
	c.mu.Unlock()
	c.o.Logger.Info("connected", "to", hostOf(to.url))
	if watched {
		s.wantSubscribe()
	}
	return s.run(c.ctx, c)
}

// down records that there is no link, and tells the watch.
func (c *Client) down(to endpoint, l *lost, retry time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	link := core.Link{Source: c.link.Source, State: core.LinkStale, Since: c.link.Since, Why: l.why, Retry: core.At(retry)}
	if link.Source == "" {
		link.Source = hostOf(to.url)
	}
	switch c.link.State {
	case core.LinkConnecting:
		link.State = core.LinkConnecting
	case core.LinkLive:
		link.Since = core.At(time.Now())
	}
	c.session, c.failed = nil, l
	c.setLink(link)
	if c.watch != nil {
		c.watch.inbox.put(core.Update{Link: &link})
	}
}

// setLink records the link and wakes who waits for it. c.mu is held.
func (c *Client) setLink(l core.Link) {
	c.link = l
	close(c.changed)
	c.changed = make(chan struct{})
}

// lossOf returns why a link was lost or not made.
func lossOf(err error) *lost {
	var l *lost
	if errors.As(err, &l) {
		return l
	}
	if errors.Is(err, errBadFrame) || errors.Is(err, core.ErrInvalid) {
		return &lost{why: err.Error(), back: comeBackSlowly}
	}
	return &lost{why: err.Error(), back: comeBackSoon}
}
