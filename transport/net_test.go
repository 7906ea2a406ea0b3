package transport

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dcctop/core"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wire is a network of pipes with one server on it, whose links can be cut, or
// go silent without either end being told. It works in a synctest bubble.
type wire struct {
	mu     sync.Mutex
	accept chan net.Conn // nil while nobody listens
	closed chan struct{}
	links  []*link
	dials  []time.Time
}

// link is the client's end of one connection.
type link struct {
	net.Conn
	silent atomic.Bool
}

func (l *link) Read(p []byte) (int, error) {
	for {
		n, err := l.Conn.Read(p)
		if err != nil || !l.silent.Load() {
			return n, err
		}
	}
}

func (l *link) Write(p []byte) (int, error) {
	if l.silent.Load() {
		return len(p), nil
	}
	return l.Conn.Write(p)
}

// listen makes the wire answer, and returns the listener for the server.
func (w *wire) listen() net.Listener {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.accept, w.closed = make(chan net.Conn), make(chan struct{})
	return &wireListener{w: w, accept: w.accept, closed: w.closed}
}

func (w *wire) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	w.mu.Lock()
	w.dials = append(w.dials, time.Now())
	accept, closed := w.accept, w.closed
	w.mu.Unlock()
	if accept == nil {
		return nil, errors.New("connection refused")
	}
	near, far := net.Pipe()
	select {
	case accept <- far:
		l := &link{Conn: near}
		w.mu.Lock()
		w.links = append(w.links, l)
		w.mu.Unlock()
		return l, nil
	case <-closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// last returns the newest link.
func (w *wire) last() *link {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.links[len(w.links)-1]
}

// dialled returns when the attempts to connect were made.
func (w *wire) dialled() []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]time.Time(nil), w.dials...)
}

type wireListener struct {
	w      *wire
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *wireListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accept:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *wireListener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.w.mu.Lock()
		defer l.w.mu.Unlock()
		if l.w.accept == l.accept {
			l.w.accept = nil
		}
	})
	return nil
}

func (l *wireListener) Addr() net.Addr { return wireAddr{} }

type wireAddr struct{}

func (wireAddr) Network() string { return "pipe" }
func (wireAddr) String() string  { return "pipe" }

const testToken = "open-sesame"

// start serves d on ln until stop is called, or the test ends.
func start(t testing.TB, d Dispatcher, ln net.Listener) (s *Server, stop func()) {
	t.Helper()
	s, err := NewServer(d, ServerOptions{Token: testToken, Actor: core.Actor{User: "ann", Host: "ws1"}, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return s, serve(t, s, ln)
}

func serve(t testing.TB, s *Server, ln net.Listener) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("serve: %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

// dial returns a client of the server on w.
func dial(t testing.TB, w *wire) *Client {
	t.Helper()
	return dialWith(t, w, ClientOptions{URL: "127.0.0.1:7720", Token: testToken})
}

func dialWith(t testing.TB, w *wire, o ClientOptions) *Client {
	t.Helper()
	o.DialContext = w.dial
	c, err := Dial(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// monitor watches a client and folds what it gets.
type monitor struct {
	mu    sync.Mutex
	view  core.View
	links []core.Link
	syncs []core.Sync
	snaps int
	kinds []string // what came, in order
	err   error
	moved chan struct{} // closed and replaced with each update
	stop  func()
}

func watchAll(t testing.TB, c *Client, ids ...core.JobID) *monitor {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	m := &monitor{moved: make(chan struct{})}
	ended := make(chan struct{})
	m.stop = func() { cancel(); <-ended }
	t.Cleanup(m.stop)
	seq := c.Watch(ctx)
	if len(ids) > 0 {
		seq = c.WatchIDs(ctx, ids...)
	}
	go func() {
		defer close(ended)
		for u, err := range seq {
			m.take(u, err)
		}
	}()
	return m
}

func (m *monitor) take(u core.Update, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil:
		m.err = err
	case u.Link != nil:
		m.links = append(m.links, *u.Link)
		m.kinds = append(m.kinds, string(u.Link.State))
	case u.Sync != nil:
		m.syncs = append(m.syncs, *u.Sync)
		m.kinds = append(m.kinds, "sync")
	case u.Snapshot != nil:
		m.snaps++
		m.kinds = append(m.kinds, "snapshot")
	default:
		m.kinds = append(m.kinds, "change")
	}
	if err := m.view.Apply(u); err != nil {
		m.err = err
	}
	close(m.moved)
	m.moved = make(chan struct{})
}

// until waits for the monitor to show what is wanted.
func (m *monitor) until(t testing.TB, what string, ok func(m *monitor) bool) {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		m.mu.Lock()
		good, moved := ok(m), m.moved
		m.mu.Unlock()
		if good {
			return
		}
		select {
		case <-moved:
		case <-limit:
			m.mu.Lock()
			defer m.mu.Unlock()
			t.Fatalf("never saw %s; jobs %v, came %v, err %v", what, values(m.view.Jobs), m.kinds, m.err)
		}
	}
}

func (m *monitor) look(f func(m *monitor)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m)
}

// has returns a condition: the job is there in this state.
func has(id core.JobID, state core.State) func(*monitor) bool {
	return func(m *monitor) bool { j := m.view.Jobs[id]; return j != nil && j.State == state }
}

// linked returns a condition: the last link update says so.
func linked(state core.LinkState) func(*monitor) bool {
	return func(m *monitor) bool { return len(m.links) > 0 && m.links[len(m.links)-1].State == state }
}

// stock is a WebSocket client that knows nothing of this package.
func stock(t testing.TB, w *wire) *websocket.Conn {
	t.Helper()
	d := websocket.Dialer{NetDialContext: w.dial, Subprotocols: []string{Protocol}}
	ws, answer, err := d.Dial("ws://127.0.0.1:7720"+Path, map[string][]string{"Authorization": {"Bearer " + testToken}})
	if err != nil {
		t.Fatalf("dial: %v (%v)", err, answer)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

// pass lets time go by in a synctest bubble, where it costs none.
func pass(d time.Duration) { <-time.After(d) }
