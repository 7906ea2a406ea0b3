package transport

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"dcctop/core"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"
)

// conn is one connection of a client. Its reader is the goroutine of the HTTP
// handler, which also runs the client's requests, one after the other; its
// writer is the only one that writes text frames. A feed has a goroutine of its
// own, which hands the writer one frame at a time and queues none: what changes
// while a client is slow is merged by the dispatcher's watcher.
type conn struct {
	s      *Server
	actor  core.Actor
	log    *slog.Logger
	ws     *websocket.Conn
	out    chan frame    // to the writer; unbuffered
	gone   chan struct{} // closed when the writer has ended
	frames *rate.Limiter // any frame: above it reading pauses
	orders *rate.Limiter // commands: above it they are refused

	feed *subscription // of the reader alone

	mu     sync.Mutex // guards what follows
	ending chan struct{}
	why    closeReason
	retry  time.Duration
	ended  bool
}

func newConn(s *Server, actor core.Actor, peer string) *conn {
	return &conn{
		s: s, actor: actor,
		log:    s.o.Logger.With("peer", peer, "user", actor.User),
		out:    make(chan frame),
		gone:   make(chan struct{}),
		frames: rate.NewLimiter(FrameRate, FrameBurst),
		orders: rate.NewLimiter(CommandRate, CommandBurst),
		ending: make(chan struct{}),
	}
}

// end asks the writer to say goodbye and close. The first reason counts.
func (c *conn) end(why closeReason, retry time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.ended, c.why, c.retry = true, why, retry
	close(c.ending)
}

// run owns the connection until it is closed and all its goroutines have ended.
func (c *conn) run(ws *websocket.Conn) {
	c.ws = ws
	if tcp, ok := ws.NetConn().(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(64 << 10) // else megabytes wait in the kernel for a slow client
	}
	c.log.Info("connected")
	cut := context.AfterFunc(c.s.ctx, func() { _ = ws.Close() })
	defer cut()
	read := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(c.gone)
		c.write(read)
	})
	c.read()
	close(read)
	c.stopFeed()
	c.end(closeOf(websocket.CloseNormalClosure), 0)
	wg.Wait()
	c.log.Info("disconnected", "code", c.why.Code, "why", c.why.Text)
}

// read takes frames until the connection ends.
func (c *conn) read() {
	renew := func() { _ = c.ws.SetReadDeadline(time.Now().Add(ReadWait)) }
	silent := closeOf(codeNoFirstFrame)
	heard := func() {
		silent = closeOf(codeSilent)
		renew()
	}
	pong := c.ws.PingHandler()
	c.ws.SetPingHandler(func(data string) error { heard(); return pong(data) })
	c.ws.SetPongHandler(func(string) error { heard(); return nil })
	c.ws.SetCloseHandler(func(int, string) error { return nil }) // the writer closes
	c.ws.SetReadLimit(MaxClientFrame)
	_ = c.ws.SetReadDeadline(time.Now().Add(FirstFrameWait))
	for {
		kind, data, err := c.ws.ReadMessage()
		var timeout net.Error
		switch {
		case errors.Is(err, websocket.ErrReadLimit):
			c.end(closeOf(codeTooBig), 0)
			return
		case errors.As(err, &timeout) && timeout.Timeout():
			c.end(silent, 0)
			return
		case err != nil:
			c.end(closeOfError(err), 0)
			return
		case kind != websocket.TextMessage:
			c.end(closeOf(codeBinary), 0)
			return
		}
		_ = c.frames.Wait(c.s.ctx) // fails only when the server cuts the connection, and then reading does
		c.serve(data)
		heard()
	}
}

// hand gives the writer one frame, and reports whether it took it.
func (c *conn) hand(ctx context.Context, f frame) bool {
	select {
	case c.out <- f:
		return true
	case <-c.ending:
	case <-c.gone:
	case <-ctx.Done():
	}
	return false
}

// answer sends a result or, where err is not nil, a refusal.
func (c *conn) answer(id json.RawMessage, result any, err error, at *core.Position) bool {
	r := response{Version: "2.0", ID: id, Result: result}
	if id == nil {
		r.ID = json.RawMessage("null")
	}
	if err != nil {
		r.Result, r.Error = nil, errorOf(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		c.log.Error("encode an answer", "err", err)
		return false
	}
	return c.hand(c.s.ctx, frame{data: data, at: at})
}
