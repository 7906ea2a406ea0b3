package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"dcctop/core"
	"dcctop/transport"
)

const (
	defaultListen = "127.0.0.1:7720"
	// answerWithin bounds how long a command that ends by itself waits for the
	// dispatcher. A dispatcher on the same machine answers in milliseconds.
	answerWithin = 10 * time.Second
)

// endpoint says where the dispatcher is and what opens it. It is asked before
// each attempt, so a dispatcher that comes up later, elsewhere or with a new
// token is found.
func (a *app) endpoint() (url, token string, err error) {
	p := findPlaces()
	url = a.server
	if url == "" {
		url = a.getenv("DCCTOP_SERVER")
	}
	if url == "" {
		if url, err = p.readAddress(); err != nil {
			return "", "", err
		}
	}
	if url == "" {
		url = defaultListen
	}
	path := a.tokenFile
	if path == "" {
		path = p.token
	}
	token, err = transport.ReadToken(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", fmt.Errorf("no dispatcher of this user has run here yet (no token in %s)", path)
	case err != nil:
		return "", "", err
	}
	return url, token, nil
}

// connect returns a client for one command, which the caller closes.
func (a *app) connect() (*transport.Client, error) {
	return transport.Dial(transport.ClientOptions{Endpoint: a.endpoint})
}

// withClient runs do with a client and closes it.
func (a *app) withClient(do func(c *transport.Client) error) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	return errors.Join(do(c), c.Close())
}

// snapshot returns every job of the dispatcher. A link that fails is an error
// here: a command does not wait for a dispatcher that is not there.
func snapshot(ctx context.Context, c *transport.Client) (*core.Snapshot, error) {
	bounded, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	for u, err := range c.Watch(bounded) {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case bounded.Err() != nil:
			return nil, fmt.Errorf("%w: no answer within %v", core.ErrUnreachable, answerWithin)
		case err != nil:
			return nil, err
		case u.Snapshot != nil:
			return u.Snapshot, nil
		case u.Link != nil && u.Link.State != core.LinkLive && u.Link.Why != "":
			return nil, fmt.Errorf("%w: %s", core.ErrUnreachable, u.Link.Why)
		}
	}
	return nil, fmt.Errorf("%w: no answer", core.ErrUnreachable)
}

// resolve finds the jobs that the arguments mean. A whole id needs no list, but
// its job may be gone, so the dispatcher is asked all the same.
func resolve(ctx context.Context, c *transport.Client, args []string) ([]core.JobID, error) {
	s, err := snapshot(ctx, c)
	if err != nil {
		return nil, err
	}
	return matchIDs(s.Jobs, args)
}

// waitFor returns the jobs once all have ended, or an error that wraps
// [core.ErrNotFound] when one was purged before that was seen.
func waitFor(ctx context.Context, c *transport.Client, ids []core.JobID) (map[core.JobID]*core.Job, error) {
	var view core.View
	for u, err := range c.WatchIDs(ctx, ids...) {
		if err != nil {
			return nil, err
		}
		if err := view.Apply(u); err != nil {
			return nil, err
		}
		if u.Snapshot == nil && u.Change == nil {
			continue
		}
		done := true
		for _, id := range ids {
			j := view.Jobs[id]
			if j == nil {
				return nil, fmt.Errorf("job %s: %w any more", id, core.ErrNotFound)
			}
			done = done && j.State.Terminal()
		}
		if done {
			return view.Jobs, nil
		}
	}
	return nil, ctx.Err()
}
