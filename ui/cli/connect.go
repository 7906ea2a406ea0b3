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
		// Not the default address: whoever listens there would get the token.
		return "", "", fmt.Errorf("no dispatcher of this user is running (no address in %s)", p.address)
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
			if err := c.Err(); errors.Is(err, core.ErrForbidden) || errors.Is(err, core.ErrInvalid) {
				return nil, err
			}
			return nil, fmt.Errorf("%w: %s", core.ErrUnreachable, u.Link.Why)
		}
	}
	return nil, fmt.Errorf("%w: no answer", core.ErrUnreachable)
}

// resolve finds the jobs that the arguments mean. A whole id needs no list, but
// its job may be gone, so the dispatcher is asked all the same.
func resolve(ctx context.Context, c *transport.Client, args []string, to purpose) ([]core.JobID, error) {
	s, err := snapshot(ctx, c)
	if err != nil {
		return nil, err
	}
	return matchIDs(s.Jobs, args, to)
}

// lostWithin is how long a command that waits for a job puts up with a lost
// link before it gives up. The client connects again by itself meanwhile.
const lostWithin = 30 * time.Second

// manyIDs is from how many jobs on all are watched: more do not fit one request.
const manyIDs = 200

// waitFor returns the jobs once all have ended, or an error that wraps
// [core.ErrNotFound] when one was purged before that was seen, or
// [core.ErrUnreachable] when the link was lost for long.
func (a *app) waitFor(ctx context.Context, c *transport.Client, ids []core.JobID) (map[core.JobID]*core.Job, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	watching, giveUp := context.WithCancel(ctx)
	defer giveUp()
	updates := c.WatchIDs(watching, ids...)
	if len(ids) > manyIDs {
		updates = c.Watch(watching)
	}
	lost := time.AfterFunc(lostWithin, giveUp)
	defer lost.Stop()
	var view core.View
	for u, err := range updates {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case watching.Err() != nil:
			return nil, fmt.Errorf("%w for %v; the jobs may well run on", core.ErrUnreachable, lostWithin)
		case err != nil:
			return nil, err
		}
		if u.Link != nil && u.Link.State == core.LinkStale {
			a.noted("the link is lost (%s); waiting for it for %v", u.Link.Why, lostWithin)
			lost.Reset(lostWithin)
		}
		if u.Snapshot == nil && u.Change == nil {
			continue
		}
		lost.Stop()
		if err := view.Apply(u); err != nil {
			return nil, err
		}
		ended, err := allEnded(view.Jobs, ids)
		if ended || err != nil {
			return view.Jobs, err
		}
	}
	return nil, errors.Join(ctx.Err(), core.ErrUnreachable)
}

func allEnded(jobs map[core.JobID]*core.Job, ids []core.JobID) (bool, error) {
	ended := true
	for _, id := range ids {
		j := jobs[id]
		if j == nil {
			return false, fmt.Errorf("job %s: %w any more", id, core.ErrNotFound)
		}
		ended = ended && j.State.Terminal()
	}
	return ended, nil
}
