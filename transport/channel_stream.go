package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"dcctop/core"
)

// cancelEvent is the data of the event "cancel".
type cancelEvent struct {
	JobID       core.JobID `json:"job_id"`
	By          string     `json:"by"`
	From        string     `json:"from"`
	Reason      string     `json:"reason"`
	RequestedAt core.Time  `json:"requested_at"`
	GraceMS     int64      `json:"grace_ms"`
}

// byeEvent is the data of the event "bye": not to come back.
type byeEvent struct {
	Reason string `json:"reason"`
}

// heard is one step of a [Channel]'s Attach.
type heard struct {
	c   core.Cancellation
	err error
}

// serveStream tells a process of the cancel of its job, until the job is over or
// one of the two ends.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request, id core.JobID, token string) {
	if !s.enter() {
		s.turnAwayFor(w, r, core.ErrClosed)
		return
	}
	defer s.wg.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer context.AfterFunc(s.ctx, cancel)()
	steps := make(chan heard)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(steps)
		for c, err := range s.o.Channel.Attach(ctx, token) {
			select {
			case steps <- heard{c, err}:
			case <-ctx.Done():
				return
			}
		}
	})
	first, ok := <-steps
	switch {
	case !ok:
		return // it left
	case first.err != nil:
		s.turnAwayFor(w, r, first.err)
		return
	}
	out := &stream{w: w, rc: http.NewResponseController(w)}
	if out.open() != nil || !out.cancelled(id, first.c) {
		return
	}
	s.follow(ctx, out, id, steps)
}

// follow writes what is to be told until the stream ends.
func (s *Server) follow(ctx context.Context, out *stream, id core.JobID, steps <-chan heard) {
	ping := time.NewTicker(ChannelPing)
	defer ping.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.leaving:
			out.bye("the dispatcher ends")
			return
		case <-ping.C:
			if out.write(": ping\n\n") != nil {
				return
			}
		case step, ok := <-steps:
			switch {
			case !ok:
				return
			case step.err != nil:
				if !errors.Is(step.err, context.Canceled) {
					out.bye(step.err.Error())
				}
				return
			}
			if !out.cancelled(id, step.c) {
				return
			}
		}
	}
}

// enter counts one more stream, unless the server is shutting down.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return false
	}
	s.wg.Add(1)
	return true
}

// stream writes server-sent events. Each write is bounded: a process that does
// not read must not hold up the end of the dispatcher.
type stream struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func (o *stream) open() error {
	h := o.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close") // its deadlines are not for another request
	return o.write(": hello\n\n")
}

func (o *stream) write(text string) error {
	_ = o.rc.SetWriteDeadline(time.Now().Add(WriteWait)) // a writer of a test has none
	if _, err := o.w.Write([]byte(text)); err != nil {
		return err
	}
	return o.rc.Flush()
}

func (o *stream) event(name string, data any) error {
	text, err := json.Marshal(data) // on one line
	if err != nil {
		return err
	}
	return o.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, text))
}

// cancelled tells of a cancel, where there is one, and reports whether the
// stream goes on.
func (o *stream) cancelled(id core.JobID, c core.Cancellation) bool {
	if c.RequestedAt == 0 {
		return true
	}
	return o.event("cancel", cancelEvent{id, c.By, c.From, c.Reason, c.RequestedAt, c.GraceMS}) == nil
}

func (o *stream) bye(reason string) { _ = o.event("bye", byeEvent{reason}) }
