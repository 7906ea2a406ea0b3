package transport

import (
	"context"
	"time"

	"dcctop/core"
)

// commandTime bounds one request at the dispatcher.
const commandTime = 30 * time.Second

// serve runs one request of the client and answers it. A command that has begun
// goes on when its client leaves; once the connection is ending, nothing more is
// begun.
func (c *conn) serve(data []byte) {
	select {
	case <-c.ending:
		return
	default:
	}
	req, bad := decodeRequest(data)
	if bad != nil {
		c.log.Debug("refused a frame", "why", bad.Message)
		c.answer(req.ID, nil, bad, nil)
		return
	}
	if wait, limited := c.limit(req.Method); limited {
		ms := wait.Milliseconds() + 1
		err := invalid(codeLimited, "", "too many commands; at most %d a second, try again in %d ms", CommandRate, ms)
		err.Data = &ErrorData{RetryMS: ms}
		c.answer(req.ID, nil, err, nil)
		return
	}
	if p, ok := req.Params.(*subscribeParams); ok {
		c.subscribe(req.ID, p)
		return
	}
	ctx, cancel := context.WithTimeout(c.s.ctx, commandTime)
	defer cancel()
	result, err := c.do(ctx, req.Params)
	c.answer(req.ID, result, err, nil)
}

// limit takes one command off the connection's allowance, or tells how long to
// wait for the next. Reading is not a command.
func (c *conn) limit(method string) (time.Duration, bool) {
	if method == methodGet || method == methodLog {
		return 0, false
	}
	r := c.orders.Reserve()
	wait := r.Delay()
	if wait > 0 {
		r.Cancel()
	}
	return wait, wait > 0
}

// do runs one request at the dispatcher. The actor is the connection's.
func (c *conn) do(ctx context.Context, params any) (any, error) {
	switch p := params.(type) {
	case *core.CancelRequest:
		p.By = c.actor
		outcomes, err := c.s.d.Cancel(ctx, *p)
		if err == nil {
			c.log.Info("cancel", "ids", len(p.IDs), "force", p.Force)
		}
		return cancelResult{Outcomes: outcomes}, err
	case *core.Submission:
		p.By = c.actor
		return c.s.d.Submit(ctx, *p)
	case *core.RerunRequest:
		p.By = c.actor
		j, err := c.s.d.Rerun(ctx, *p)
		if err == nil {
			c.log.Info("rerun", "of", string(p.ID), "as", string(j.ID))
		}
		return j, err
	case *getParams:
		return c.s.d.Get(ctx, p.ID)
	case *logParams:
		chunk, err := c.s.d.Log(ctx, p.ID, p.From)
		return clipLog(chunk), err
	}
	return nil, invalid(codeMethod, "method", "not served")
}

// clipLog keeps a piece of output to what fits a frame; the reader goes on from
// Next.
func clipLog(chunk core.LogChunk) core.LogChunk {
	if len(chunk.Data) > MaxLogBytes {
		chunk.Data = chunk.Data[:MaxLogBytes]
		chunk.Next = chunk.From + MaxLogBytes
		chunk.End = false
	}
	return chunk
}
