package transport

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// session is one connection of a client, from handshake to loss. The client's
// link goroutine is its reader; one other goroutine writes.
type session struct {
	ws        *websocket.Conn
	log       *slog.Logger
	out       chan []byte   // to the writer; unbuffered, so that what was not taken was not sent
	subscribe chan struct{} // holds one when a feed.subscribe is wanted
	done      chan struct{} // closed when the link is lost

	mu      sync.Mutex // guards what follows
	why     error
	nextID  uint64
	waiting map[uint64]chan *serverFrame // each holds one
}

func newSession(ws *websocket.Conn, log *slog.Logger) *session {
	return &session{
		ws: ws, log: log,
		out:       make(chan []byte),
		subscribe: make(chan struct{}, 1),
		done:      make(chan struct{}),
		waiting:   map[uint64]chan *serverFrame{},
	}
}

// end closes the connection. The first reason counts.
func (s *session) end(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why != nil {
		return
	}
	s.why = why
	close(s.done)
	_ = s.ws.Close()
}

// wantSubscribe makes the writer ask for the feed. It does not wait.
func (s *session) wantSubscribe() {
	select {
	case s.subscribe <- struct{}{}:
	default:
	}
}

// expect returns the id of a new request and where its answer will come.
func (s *session) expect() (uint64, <-chan *serverFrame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	answer := make(chan *serverFrame, 1)
	s.waiting[s.nextID] = answer
	return s.nextID, answer
}

// forget drops a request that nobody waits for.
func (s *session) forget(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, id)
}

// answered hands an answer to the request that waits for it, if any does.
func (s *session) answered(id uint64, f *serverFrame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer, ok := s.waiting[id]; ok {
		delete(s.waiting, id)
		answer <- f
	}
}

// run reads until the link is lost or ctx ends, and returns why.
func (s *session) run(ctx context.Context, c *Client) error {
	var wg sync.WaitGroup
	wg.Go(func() { s.write(ctx, c) })
	s.end(s.read(c))
	wg.Wait()
	return s.why
}

// read takes frames. Any frame renews the deadline; without one the link is
// half open, whatever the socket says.
func (s *session) read(c *Client) error {
	renew := func() { _ = s.ws.SetReadDeadline(time.Now().Add(ReadWait)) }
	pong := s.ws.PingHandler()
	s.ws.SetPingHandler(func(data string) error { renew(); return pong(data) })
	s.ws.SetPongHandler(func(string) error { renew(); return nil })
	s.ws.SetReadLimit(MaxServerFrame)
	renew()
	for {
		kind, data, err := s.ws.ReadMessage()
		if err != nil {
			return lossOfRead(err)
		}
		renew()
		if kind != websocket.TextMessage {
			return fmt.Errorf("%w: not text", errBadFrame)
		}
		f, err := decodeFrame(data)
		if err != nil {
			return err
		}
		if err := s.dispatch(c, f); err != nil {
			return err
		}
	}
}

// dispatch gives one frame to whom it is for.
func (s *session) dispatch(c *Client, f *serverFrame) error {
	switch {
	case f.Method == methodBye:
		r := closeOf(f.Params.Code)
		why := fmt.Sprintf("%s (%d)", r.Text, r.Code)
		return &lost{why: why, back: r.Back, retry: time.Duration(f.Params.RetryMS) * time.Millisecond}
	case f.Method != "":
		return c.notified(s, f)
	case len(f.ID) == 0 || string(f.ID) == "null":
		s.log.Warn("answer to nobody", "err", f.Error)
		return nil
	}
	id, err := strconv.ParseUint(string(f.ID), 10, 64)
	if err != nil {
		return fmt.Errorf("%w: answer with an id that is not ours", errBadFrame)
	}
	if mine, err := c.subscribed(s, id, f.Error); mine {
		return err
	}
	s.answered(id, f)
	return nil
}

// write sends what it is handed until the link is lost.
func (s *session) write(ctx context.Context, c *Client) {
	// A first frame at once: without one the dispatcher hangs up.
	if err := s.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(WriteWait)); err != nil {
		s.end(fmt.Errorf("send: %w", plain(err)))
		return
	}
	for {
		var data []byte
		select {
		case <-s.done:
			return
		case <-ctx.Done():
			_ = s.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
			s.end(ctx.Err())
			return
		case <-s.subscribe:
			data = c.subscribeFrame(s)
		case data = <-s.out:
		}
		if data == nil {
			continue
		}
		_ = s.ws.SetWriteDeadline(time.Now().Add(WriteWait))
		if err := s.ws.WriteMessage(websocket.TextMessage, data); err != nil {
			s.end(fmt.Errorf("send: %w", plain(err)))
			return
		}
	}
}
