package transport

import (
	"fmt"

	"dcctop/core"
)

// follower turns the frames of one feed into updates, and knows when they do
// not follow on from each other. It is pure, and outlives connections: the
// position and the staged view are what a resume starts from.
type follower struct {
	at     core.Position
	staged []*core.Job // parts of a snapshot that is not whole yet
	parts  int
}

// resume returns the positions to resume from, and drops what was staged: a
// snapshot is taken whole or not at all.
func (f *follower) resume() []core.Position {
	f.staged, f.parts = nil, 0
	if f.at.Epoch == "" {
		return nil
	}
	return []core.Position{f.at}
}

// frame takes one notification, and returns the update that it completes, if
// any. An error that wraps core.ErrGap asks for a resume.
func (f *follower) frame(method string, p *feedParams) (core.Update, error) {
	switch method {
	case methodSnapshot:
		return f.snapshot(p)
	case methodDelta:
		return f.delta(p)
	case methodSync:
		return f.sync(p)
	}
	return core.Update{}, nil // of a later version; not for us
}

func (f *follower) snapshot(p *feedParams) (core.Update, error) {
	if p.Part == 1 {
		f.staged, f.parts = nil, 0
	}
	if p.Part != f.parts+1 {
		return core.Update{}, fmt.Errorf("%w: part %d of a snapshot after part %d", core.ErrGap, p.Part, f.parts)
	}
	if err := whole(p); err != nil {
		return core.Update{}, err
	}
	f.parts = p.Part
	f.staged = append(f.staged, p.Jobs...)
	if !p.Last {
		return core.Update{}, nil
	}
	s := &core.Snapshot{Source: p.Source, Epoch: p.Epoch, At: p.At, Jobs: f.staged}
	f.at = core.Position{Source: p.Source, Epoch: p.Epoch, Seq: p.At}
	f.staged, f.parts = nil, 0
	return core.Update{Snapshot: s}, nil
}

func (f *follower) delta(p *feedParams) (core.Update, error) {
	c := &core.Change{Source: p.Source, Epoch: p.Epoch, From: p.From, To: p.To, Jobs: p.Jobs, Gone: p.Gone}
	if err := f.at.Follows(c); err != nil {
		return core.Update{}, err
	}
	if err := whole(p); err != nil {
		return core.Update{}, err
	}
	f.at.Seq = p.To
	return core.Update{Change: c}, nil
}

// sync also says where we should stand: anywhere else means that something was
// missed.
func (f *follower) sync(p *feedParams) (core.Update, error) {
	if p.Epoch != f.at.Epoch || p.Source != f.at.Source || p.Seq != f.at.Seq {
		return core.Update{}, fmt.Errorf("%w: we stand at %d of epoch %q, the dispatcher says %d of %q", core.ErrGap, f.at.Seq, f.at.Epoch, p.Seq, p.Epoch)
	}
	return core.Update{Sync: &core.Sync{Source: p.Source, Epoch: p.Epoch, Seq: p.Seq, Now: p.Now}}, nil
}

// whole refuses what no server of ours sends: a job that is null or has no id.
func whole(p *feedParams) error {
	if p.Epoch == "" {
		return fmt.Errorf("%w: no epoch", errBadFrame)
	}
	for i, j := range p.Jobs {
		if j == nil || j.ID == "" {
			return fmt.Errorf("%w: jobs[%d] has no id", errBadFrame, i)
		}
	}
	return nil
}
