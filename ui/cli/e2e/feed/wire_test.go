package feed_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// wire is the network between the clients and one dispatcher's server. It has
// latency, and can cut a link or lose a delta of it. All of it lives in one
// synctest bubble.
type wire struct {
	latency time.Duration
	relays  sync.WaitGroup

	mu    sync.Mutex // guards what follows
	ln    *listener  // the server that answers now; nil when none does
	links map[int]*link
}

// link is one client's connection.
type link struct {
	client, server net.Conn
	lose           bool // the next delta
}

func newWire(latency time.Duration) *wire { return &wire{latency: latency, links: map[int]*link{}} }

func (w *wire) listen() *listener {
	ln := &listener{accept: make(chan net.Conn), closed: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ln = ln
	return ln
}

// dialer is how client k reaches whichever server answers.
func (w *wire) dialer(k int) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		w.mu.Lock()
		ln := w.ln
		w.mu.Unlock()
		if ln == nil {
			return nil, errors.New("nobody listens")
		}
		client, near := net.Pipe()
		far, server := net.Pipe()
		select {
		case ln.accept <- server:
		case <-ln.closed:
			return nil, errors.New("nobody listens")
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		l := &link{client: near, server: far}
		w.mu.Lock()
		w.links[k] = l
		w.mu.Unlock()
		w.relays.Go(func() { w.up(l) })
		w.relays.Go(func() { w.down(l) })
		return client, nil
	}
}

func (l *link) cut() {
	_ = l.client.Close()
	_ = l.server.Close()
}

func (w *wire) cut(k int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.links[k]; l != nil {
		l.cut()
	}
}

func (w *wire) loseDelta(k int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.links[k]; l != nil {
		l.lose = true
	}
}

func (w *wire) up(l *link) {
	defer l.cut()
	_, _ = io.Copy(l.server, l.client)
}

// down carries what the server says: first its answer to the handshake, then
// frame by frame, each late by the latency.
func (w *wire) down(l *link) {
	defer l.cut()
	from := bufio.NewReader(l.server)
	for {
		line, err := from.ReadBytes('\n')
		if err != nil {
			return
		}
		if _, err := l.client.Write(line); err != nil {
			return
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
	}
	for {
		frame, err := readFrame(from)
		if err != nil {
			return
		}
		<-time.After(w.latency)
		if w.loses(l, frame) {
			continue
		}
		if _, err := l.client.Write(frame); err != nil {
			return
		}
	}
}

func (w *wire) loses(l *link, frame []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	const finalText = 0x81
	if !l.lose || frame[0] != finalText || !bytes.Contains(frame, []byte(`"feed.delta"`)) {
		return false
	}
	l.lose = false
	return true
}

// readFrame reads one unmasked WebSocket frame, header and all (RFC 6455,
// section 5.2).
func readFrame(from *bufio.Reader) ([]byte, error) {
	head := make([]byte, 2, 10)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	size, extra := uint64(head[1]&0x7f), 0
	switch size {
	case 126:
		extra = 2
	case 127:
		extra = 8
	}
	if extra > 0 {
		head = head[:2+extra]
		if _, err := io.ReadFull(from, head[2:]); err != nil {
			return nil, err
		}
		var wide [8]byte
		copy(wide[8-extra:], head[2:])
		size = binary.BigEndian.Uint64(wide[:])
	}
	frame := make([]byte, len(head)+int(size))
	copy(frame, head)
	_, err := io.ReadFull(from, frame[len(head):])
	return frame, err
}

// close cuts every link and waits for the relays.
func (w *wire) close() {
	w.mu.Lock()
	w.ln = nil
	for _, l := range w.links {
		l.cut()
	}
	w.mu.Unlock()
	w.relays.Wait()
}

// listener gives a server its end of each link.
type listener struct {
	accept chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accept:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }
