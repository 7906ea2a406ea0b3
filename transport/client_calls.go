package transport

import (
	"context"
	"crypto/rand"
	"fmt"

	"dcctop/core"
)

// Submit asks for a new job and returns it as it was then. See
// [Client.Cancel] for what the errors mean.
func (c *Client) Submit(ctx context.Context, s core.Submission) (*core.Job, error) {
	var j core.Job
	if err := c.call(ctx, methodSubmit, s, &j, true); err != nil {
		return nil, err
	}
	return &j, nil
}

// Rerun asks for a job that has ended to be submitted again, and returns the new
// one. The error wraps core.ErrNotEnded while the job, or an earlier rerun of it,
// has not ended; see [Client.Cancel] for what the others mean.
func (c *Client) Rerun(ctx context.Context, r core.RerunRequest) (*core.Job, error) {
	var j core.Job
	if err := c.call(ctx, methodRerun, r, &j, true); err != nil {
		return nil, err
	}
	return &j, nil
}

// Get returns a job as it is now.
func (c *Client) Get(ctx context.Context, id core.JobID) (*core.Job, error) {
	var j core.Job
	if err := c.call(ctx, methodGet, getParams{ID: id}, &j, false); err != nil {
		return nil, err
	}
	return &j, nil
}

// Log returns a piece of a job's output from an offset on, at most
// [MaxLogBytes]. Read on from Next until Data is empty.
func (c *Client) Log(ctx context.Context, id core.JobID, from int64) (core.LogChunk, error) {
	var chunk core.LogChunk
	err := c.call(ctx, methodLog, logParams{ID: id, From: from}, &chunk, false)
	return chunk, err
}

// Cancel asks for the cancel of some jobs. The actor is who the dispatcher takes
// this client for; r.By is not sent. An empty CommandID is filled in.
//
// An error that wraps core.ErrUnreachable means that nothing was sent. One that
// wraps core.ErrOutcomeUnknown means that the link was lost, or ctx ended, after
// it was: the next snapshot tells. A command is never sent twice, unless the
// dispatcher answered that it had come too soon and had done nothing.
//
// Many ids go in several requests, one after the other. When one of them fails,
// the outcomes of those before it come with the error.
func (c *Client) Cancel(ctx context.Context, r core.CancelRequest) ([]core.CancelOutcome, error) {
	if r.CommandID == "" {
		r.CommandID = rand.Text()
	}
	pieces := cutIDs(r)
	var all []core.CancelOutcome
	for i, ids := range pieces {
		part := r
		part.IDs = ids
		if len(pieces) > 1 {
			part.CommandID = fmt.Sprintf("%s/%d", r.CommandID, i+1)
		}
		var result cancelResult
		if err := c.call(ctx, methodCancel, part, &result, true); err != nil {
			return all, err
		}
		if len(result.Outcomes) != len(ids) {
			return all, fmt.Errorf("cancel: %w: %d answers for %d jobs", errBadFrame, len(result.Outcomes), len(ids))
		}
		all = append(all, result.Outcomes...)
	}
	return all, nil
}

// cutIDs returns the ids of a request in pieces that each fit a frame.
func cutIDs(r core.CancelRequest) [][]core.JobID {
	room := MaxClientFrame - 512 - len(quote(r.Reason)) - len(quote(r.CommandID))
	var pieces [][]core.JobID
	start, used := 0, 0
	for i, id := range r.IDs {
		n := len(quote(id)) + 1
		if i > start && (used+n > room || i-start == MaxIDs) {
			pieces = append(pieces, r.IDs[start:i])
			start, used = i, 0
		}
		used += n
	}
	return append(pieces, r.IDs[start:])
}
