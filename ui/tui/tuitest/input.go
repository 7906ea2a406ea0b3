package tuitest

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// afterEsc is how long nothing follows a bare Esc. On a terminal without an
// unambiguous Esc a program can only tell it from the beginning of a sequence
// by the pause behind it, and no user types as fast as a test does.
const afterEsc = 150 * time.Millisecond

// keyboard is what waits to be read by the program, in the pieces in which it
// was typed.
type keyboard struct {
	wake chan struct{} // holds one token while there may be something to read

	mu     sync.Mutex // guards what follows
	pieces [][]byte
	closed bool
	until  time.Time // nothing is delivered before
}

func newKeyboard() *keyboard { return &keyboard{wake: make(chan struct{}, 1)} }

func (k *keyboard) push(p []byte) {
	if len(p) == 0 {
		return
	}
	k.mu.Lock()
	k.pieces = append(k.pieces, bytes.Clone(p))
	k.mu.Unlock()
	k.rouse()
}

func (k *keyboard) close() {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.rouse()
}

func (k *keyboard) rouse() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Read returns one piece at a time, and [io.EOF] when closed and empty.
func (k *keyboard) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		n, wait, err := k.take(p)
		if n > 0 || err != nil {
			return n, err
		}
		if wait > 0 {
			<-time.After(wait)
			continue
		}
		<-k.wake
	}
}

func (k *keyboard) take(p []byte) (n int, wait time.Duration, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.pieces) == 0 {
		if k.closed {
			k.rouse() // for any other reader
			return 0, 0, io.EOF
		}
		return 0, 0, nil
	}
	if wait := time.Until(k.until); wait > 0 && !k.closed {
		return 0, wait, nil
	}
	piece := k.pieces[0]
	if len(piece) == 1 && piece[0] == 0x1b {
		k.until = time.Now().Add(afterEsc)
	}
	n = copy(p, piece)
	if n < len(piece) {
		k.pieces[0] = piece[n:]
	} else {
		k.pieces = k.pieces[1:]
	}
	return n, 0, nil
}
