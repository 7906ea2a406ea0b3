package transport

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"dcctop/core"

	"github.com/gorilla/websocket"
)

// Dispatcher is what a server serves: jobs.Dispatcher, or a [Client] of another
// one. Its methods are safe for concurrent use. A Watch that is read slowly
// merges meanwhile, and delays nobody.
type Dispatcher interface {
	Submit(ctx context.Context, s core.Submission) (*core.Job, error)
	Rerun(ctx context.Context, r core.RerunRequest) (*core.Job, error)
	Cancel(ctx context.Context, r core.CancelRequest) ([]core.CancelOutcome, error)
	Get(ctx context.Context, id core.JobID) (*core.Job, error)
	Log(ctx context.Context, id core.JobID, from int64) (core.LogChunk, error)
	Watch(ctx context.Context, resume ...core.Position) iter.Seq2[core.Update, error]
}

// ServerOptions say whom a server lets in and what it tells of itself.
type ServerOptions struct {
	// Token is what a client must send. Needed unless Identify is set.
	Token string
	// Actor is who gives the commands of a client with the token.
	Actor core.Actor
	// Identify says who is asking, instead of Token and Actor. An error that
	// wraps core.ErrForbidden is answered with 403, any other with 401; its
	// text goes to the person who asked.
	Identify func(*http.Request) (core.Actor, error)

	AllowedOrigins []string     // web origins that may connect, e.g. "https://farm.example"; default none
	Hosts          []string     // names in a Host header that are right, beside loopback's
	Version        string       // of the program, told to clients
	Logger         *slog.Logger // default: discards

	// Channel serves the processes of jobs, at ChannelPath; nil for none.
	Channel Channel
}

func (o *ServerOptions) validate() error {
	if o.Token == "" && o.Identify == nil {
		return fmt.Errorf("%w server options: no Token and no Identify; a feed without either would be open to every user of the machine", core.ErrInvalid)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// Server serves the feed of one dispatcher. All its methods are safe for
// concurrent use.
type Server struct {
	d        Dispatcher
	o        ServerOptions
	cache    jobCache
	upgrader websocket.Upgrader

	ctx    context.Context // ends when connections are cut
	cancel context.CancelFunc
	wg     sync.WaitGroup // one for each connection and stream

	leaving chan struct{} // closed when a shutdown begins

	mu    sync.Mutex // guards what follows
	conns map[*conn]struct{}
	https map[*http.Server]struct{}
	down  bool // no new connection or stream
}

// NewServer returns a server that is not listening yet.
func NewServer(d Dispatcher, o ServerOptions) (*Server, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Server{d: d, o: o, conns: map[*conn]struct{}{}, https: map[*http.Server]struct{}{}, leaving: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.upgrader = websocket.Upgrader{
		ReadBufferSize:   1 << 10,
		WriteBufferSize:  1 << 10,
		HandshakeTimeout: WriteWait,
		Subprotocols:     []string{Protocol},
		CheckOrigin:      func(r *http.Request) bool { return s.checkOrigin(r) == nil },
	}
	return s, nil
}

// Serve answers on ln until ctx ends or the server is shut down, and then
// returns nil; it closes ln. When ctx ends, clients are told and given five
// seconds. A listener that other machines can reach is refused: the feed is not
// encrypted.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if tcp, ok := ln.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		return errors.Join(ln.Close(), fmt.Errorf("%w listen address %s: other machines can reach it and the feed is not encrypted; listen on 127.0.0.1", core.ErrInvalid, ln.Addr()))
	}
	hs := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: FirstFrameWait,
		IdleTimeout:       ReadWait,
		MaxHeaderBytes:    MaxClientFrame,
		ErrorLog:          slog.NewLogLogger(s.o.Logger.Handler(), slog.LevelDebug),
	}
	s.mu.Lock()
	down := s.down
	s.https[hs] = struct{}{}
	s.mu.Unlock()
	if down {
		return errors.Join(ln.Close(), core.ErrClosed)
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		bounded, cancel := context.WithTimeout(context.Background(), WriteWait)
		defer cancel()
		_ = s.Shutdown(bounded)
	})
	err := hs.Serve(ln)
	if !stop() {
		<-stopped
	}
	s.mu.Lock()
	delete(s.https, hs)
	s.mu.Unlock()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve the feed: %w", err)
}

// admit registers a connection, if there is room.
func (s *Server) admit(c *conn) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.down:
		return &refusal{http.StatusServiceUnavailable, "shutting down"}
	case len(s.conns) >= MaxConnections:
		return &refusal{http.StatusServiceUnavailable, fmt.Sprintf("%d connections are open, no more are taken; try again later", MaxConnections)}
	}
	s.conns[c] = struct{}{}
	s.wg.Add(1)
	return nil
}

func (s *Server) leave(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}
