package transport

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"dcctop/core"
)

// frame is one text frame on its way out.
type frame struct {
	data []byte
	at   *core.Position // set where, once it is written, the peer stands there
}

// page is a run of jobs that go into one frame.
type page struct {
	jobs  [][]byte
	bytes int
	first uint64 // the rev of its first job
}

// pages cuts jobs, in their order, into pieces of bounded size: one at least.
func (c *jobCache) pages(jobs []*core.Job) ([]page, error) {
	var all []page
	var now page
	for _, j := range jobs {
		text, err := c.encode(j)
		if err != nil {
			return nil, err
		}
		if len(now.jobs) == MaxPartJobs || (len(now.jobs) > 0 && now.bytes+len(text) > MaxPartBytes) {
			all = append(all, now)
			now = page{}
		}
		if len(now.jobs) == 0 {
			now.first = j.Rev
		}
		now.jobs = append(now.jobs, text)
		now.bytes += len(text) + 1
	}
	return append(all, now), nil
}

// snapshotFrames returns the frames of a snapshot, each made as it is asked
// for: at least one, the last of them marked.
func (c *jobCache) snapshotFrames(s *core.Snapshot) (iter.Seq[frame], error) {
	pages, err := c.pages(s.Jobs)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return func(yield func(frame) bool) {
		for i, p := range pages {
			last := i == len(pages)-1
			b := make([]byte, 0, p.bytes+256)
			b = fmt.Appendf(b, `{"jsonrpc":"2.0","method":%q,"params":{"source":%s,"epoch":%s,"at":%d,"part":%d,"last":%t,"jobs":[`,
				methodSnapshot, quote(s.Source), quote(s.Epoch), s.At, i+1, last)
			f := frame{data: append(appendJoined(b, p.jobs), "]}}"...)}
			if last {
				f.at = &core.Position{Source: s.Source, Epoch: s.Epoch, Seq: s.At}
			}
			if !yield(f) {
				return
			}
		}
	}, nil
}

// deltaFrames returns the frames of a change. One that is too large for a frame
// becomes several that follow on from each other, cut by rev: whoever has taken
// the first few holds every job that last changed up to there, so a resume from
// between them loses nothing. Tombstones go first for the same reason.
func (c *jobCache) deltaFrames(ch *core.Change) (iter.Seq[frame], error) {
	pages, err := c.pages(ch.Jobs)
	if err == nil && len(pages) > 1 {
		byRev := func(a, b *core.Job) int { return cmp.Compare(a.Rev, b.Rev) }
		pages, err = c.pages(slices.SortedStableFunc(slices.Values(ch.Jobs), byRev))
	}
	if err != nil {
		return nil, fmt.Errorf("change: %w", err)
	}
	return func(yield func(frame) bool) {
		at := core.Position{Source: ch.Source, Epoch: ch.Epoch, Seq: ch.From}
		gone := ch.Gone
		for len(gone) > maxFrameGone {
			if !yield(deltaFrame(at, at.Seq, page{}, gone[:maxFrameGone])) {
				return
			}
			gone = gone[maxFrameGone:]
		}
		for i, p := range pages {
			to := ch.To
			if i < len(pages)-1 {
				to = min(max(pages[i+1].first-1, at.Seq), ch.To)
			}
			if !yield(deltaFrame(at, to, p, gone)) {
				return
			}
			at.Seq, gone = to, nil
		}
	}, nil
}

// maxFrameGone is how many tombstones go into one frame.
const maxFrameGone = 4 * MaxPartJobs

func deltaFrame(from core.Position, to uint64, p page, gone []core.JobID) frame {
	b := make([]byte, 0, p.bytes+len(gone)*32+256)
	b = fmt.Appendf(b, `{"jsonrpc":"2.0","method":%q,"params":{"source":%s,"epoch":%s,"from":%d,"to":%d,"jobs":[`,
		methodDelta, quote(from.Source), quote(from.Epoch), from.Seq, to)
	b = append(appendJoined(b, p.jobs), ']')
	if len(gone) > 0 {
		b = append(append(b, `,"gone":`...), quote(gone)...)
	}
	from.Seq = to
	return frame{data: append(b, "}}"...), at: &from}
}

// notice returns the frame of a notification without jobs.
func notice(method string, params any) frame {
	return frame{data: fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":%s}`, method, quote(params))}
}

// syncFrame returns a feed.sync for a position.
func syncFrame(at core.Position, now core.Time) frame {
	return notice(methodSync, core.Sync{Source: at.Source, Epoch: at.Epoch, Seq: at.Seq, Now: now})
}

// quote returns the JSON of a value that always has one: strings, numbers and
// plain structs of them.
func quote(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}

func appendJoined(b []byte, parts [][]byte) []byte {
	for i, p := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, p...)
	}
	return b
}
