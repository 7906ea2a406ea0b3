package transport

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"dcctop/core"
)

// subscription is the running feed of one connection. It has one goroutine,
// which reads the dispatcher's Watch and hands frames to the writer.
type subscription struct {
	c     *conn
	stop  context.CancelFunc
	ended chan struct{}

	keep   map[core.JobID]bool // nil: every job
	at     core.Position       // where the client stands
	read   core.Position       // where the dispatcher's Watch stands: ahead of at where a filter spared the client
	synced bool
}

// subscribe starts the feed, in place of the one that runs. The answer comes
// before the first frame of the new feed and after the last of the old.
func (c *conn) subscribe(id json.RawMessage, p *subscribeParams) {
	c.stopFeed()
	hello := subscribeResult{
		Protocol: Protocol, Version: c.s.o.Version,
		User: c.actor.User, Host: c.actor.Host, Now: core.At(time.Now()),
	}
	if !c.answer(id, hello, nil, &core.Position{}) {
		return
	}
	ctx, stop := context.WithCancel(c.s.ctx)
	sub := &subscription{c: c, stop: stop, ended: make(chan struct{})}
	if p.Filter != nil {
		sub.keep = make(map[core.JobID]bool, len(p.Filter.IDs))
		for _, id := range p.Filter.IDs {
			sub.keep[id] = true
		}
	}
	c.feed = sub
	go func() {
		defer close(sub.ended)
		sub.run(ctx, p.Resume)
	}()
}

// stopFeed ends the running feed, if there is one, and waits for it.
func (c *conn) stopFeed() {
	if c.feed != nil {
		c.feed.stop()
		<-c.feed.ended
		c.feed = nil
	}
}

// run sends updates until ctx ends or the dispatcher does.
func (b *subscription) run(ctx context.Context, resume []core.Position) {
	b.c.s.cache.acquire()
	defer b.c.s.cache.release()
	var failed error
	for u, err := range b.c.s.d.Watch(ctx, resume...) {
		if failed = err; err != nil {
			break
		}
		if failed = b.send(ctx, u); failed != nil {
			break
		}
	}
	switch {
	case ctx.Err() != nil || errors.Is(failed, errWriterGone):
		return
	case failed == nil || errors.Is(failed, core.ErrClosed):
		b.c.end(closeOf(codeShutdown), retryAfterShutdown())
	default:
		b.c.log.Warn("feed ended", "err", failed)
		b.c.end(closeOf(codeFeedEnded), 0)
	}
}

// errWriterGone ends a feed whose connection is closing.
var errWriterGone = errors.New("connection is closing")

// send puts one update on the wire, and after the first the time.
func (b *subscription) send(ctx context.Context, u core.Update) error {
	frames, err := b.frames(u)
	if err != nil || frames == nil {
		return err
	}
	for f := range frames {
		if !b.c.hand(ctx, f) {
			return errWriterGone
		}
		if f.at != nil {
			b.at = *f.at
		}
	}
	if !b.synced && b.at.Epoch != "" {
		b.synced = true
		if !b.c.hand(ctx, syncFrame(b.at, core.At(time.Now()))) {
			return errWriterGone
		}
	}
	return nil
}

// frames returns what one update is on the wire; nil for nothing.
func (b *subscription) frames(u core.Update) (iter.Seq[frame], error) {
	switch {
	case u.Snapshot != nil:
		s := *u.Snapshot
		b.read = core.Position{Source: s.Source, Epoch: s.Epoch, Seq: s.At}
		s.Jobs = b.kept(s.Jobs)
		return b.c.s.cache.snapshotFrames(&s)
	case u.Change != nil:
		return b.change(*u.Change)
	case u.Link != nil:
		return one(notice(methodSource, sourceParams{u.Link.Source, string(u.Link.State)})), nil
	}
	return nil, nil // a dispatcher's Sync is its link's own; ours has our clock
}

// change returns the frames of a change, less what a filter keeps back. A client
// that has been spared some changes is told of the next as if it had seen them.
func (b *subscription) change(ch core.Change) (iter.Seq[frame], error) {
	b.c.s.cache.forget(ch.Gone)
	follows := b.read.Follows(&ch) == nil
	b.read = core.Position{Source: ch.Source, Epoch: ch.Epoch, Seq: ch.To}
	if b.keep == nil {
		return b.c.s.cache.deltaFrames(&ch)
	}
	ch.Jobs = b.kept(ch.Jobs)
	ch.Gone = slices.DeleteFunc(slices.Clone(ch.Gone), func(id core.JobID) bool { return !b.keep[id] })
	if follows {
		if len(ch.Jobs) == 0 && len(ch.Gone) == 0 {
			return nil, nil
		}
		ch.From = b.at.Seq
	}
	return b.c.s.cache.deltaFrames(&ch)
}

// kept returns those of jobs that the client asked for.
func (b *subscription) kept(jobs []*core.Job) []*core.Job {
	if b.keep == nil {
		return jobs
	}
	var kept []*core.Job
	for _, j := range jobs {
		if b.keep[j.ID] {
			kept = append(kept, j)
		}
	}
	return kept
}

// sourceParams are the parameters of feed.source.
type sourceParams struct {
	Source string `json:"source"`
	State  string `json:"state"`
}

func one(f frame) iter.Seq[frame] {
	return func(yield func(frame) bool) { yield(f) }
}
