package tuitest

import (
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// T is what a terminal needs of a test; a [testing.TB] is one.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Options is how a terminal differs from the usual one. The zero value of each
// field is the usual.
type Options struct {
	Width, Height int // in cells; default 80 by 24

	// Light makes it answer a question for its colours as a light theme does.
	Light bool

	// Legacy makes it a terminal of the older kind: no synchronised output, no
	// unambiguous keys, no question about grapheme clusters answered.
	Legacy bool

	// NoHistory keeps no record of the screens that were shown. For long runs
	// and for measuring.
	NoHistory bool

	// Timeout bounds each wait that names no bound of its own; default 10 s.
	Timeout time.Duration

	// EndWithin is how long a program of [Start] may take to end when its test
	// is over, before it is killed; default 5 s.
	EndWithin time.Duration
}

func (o Options) withDefaults() Options {
	if o.Width <= 0 {
		o.Width = 80
	}
	if o.Height <= 0 {
		o.Height = 24
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.EndWithin <= 0 {
		o.EndWithin = 5 * time.Second
	}
	return o
}

// Term is a terminal. A program reads what is typed from it and writes its
// output to it; a test does the rest. All methods are safe for concurrent use,
// except that only one program at a time reads.
type Term struct {
	t    T
	o    Options
	tty  func(width, height int) error // how the program learns of a new size; nil: in-band
	keys *keyboard
	done chan struct{} // closed when replies has returned

	// mu guards everything below. The emulator calls back into this type only
	// from within Write, Resize and the typing methods, with mu held.
	mu        sync.Mutex
	em        *vt.Emulator
	modes     map[ansi.Mode]bool
	kitty     []int // the stack of keyboard flags; the last one counts
	clipboard string
	title     string
	bells     int
	bytes     int64
	onResize  []func(width, height int)
	held      bool // between the begin and the end of a synchronised update
	log       frames
	untold    bool // the program has not been told its size yet
	closed    bool
}

// New returns a terminal of width by height cells for a program in this
// process. It is closed when the test ends.
func New(t T, width, height int) *Term {
	return NewWith(t, Options{Width: width, Height: height})
}

// NewWith is [New] with everything that can differ.
func NewWith(t T, o Options) *Term {
	x := newTerm(t, o)
	x.mu.Lock()
	defer x.mu.Unlock()
	// A program that is not on a tty writes "\n" for a new line, as there is
	// usually a line discipline that adds the "\r". Here there is none.
	_, _ = x.em.WriteString(ansi.SetModeLineFeedNewLine)
	x.untold = true
	return x
}

func newTerm(t T, o Options) *Term {
	o = o.withDefaults()
	x := &Term{
		t:     t,
		o:     o,
		keys:  newKeyboard(),
		done:  make(chan struct{}),
		em:    vt.NewEmulator(o.Width, o.Height),
		modes: make(map[ansi.Mode]bool),
		log:   newFrames(!o.NoHistory),
	}
	x.em.SetScrollbackSize(1)
	th := x.Theme()
	x.em.SetDefaultForegroundColor(th.Fg)
	x.em.SetDefaultBackgroundColor(th.Bg)
	x.em.SetDefaultCursorColor(th.Fg)
	x.register()
	go x.replies()
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// replies moves what the emulator sends to the program. The emulator writes
// into a pipe and stops dead when nobody reads it.
func (x *Term) replies() {
	defer close(x.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := x.em.Read(buf)
		x.keys.push(buf[:n])
		if err != nil {
			x.keys.close()
			return
		}
	}
}

// Read is the program's input. It blocks until something is typed or replied,
// and returns [io.EOF] once the terminal is closed.
func (x *Term) Read(p []byte) (int, error) { return x.keys.Read(p) }

// Write is the program's output.
func (x *Term) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return 0, io.ErrClosedPipe
	}
	x.bytes += int64(len(p))
	n, err := x.em.Write(p)
	if x.untold {
		// Not before: Bubble Tea tells itself that an output that is no tty
		// is 0 by 0, from a goroutine, and the last one to speak is believed.
		x.untold = false
		x.tellSize()
	}
	if !x.held {
		x.log.changed(x.em)
	}
	return n, err
}

// Close ends the program's input. The screen can still be read. It may be
// called more than once.
func (x *Term) Close() error {
	x.mu.Lock()
	if !x.closed {
		x.closed = true
		// Not em.Close: it writes a flag that em.Read reads without a lock.
		if c, ok := x.em.InputPipe().(io.Closer); ok {
			_ = c.Close()
		}
	}
	x.mu.Unlock()
	<-x.done
	return nil
}

// Resize gives the terminal another size and tells the program.
func (x *Term) Resize(width, height int) {
	x.t.Helper()
	x.mu.Lock()
	x.em.Resize(width, height)
	x.log.changed(x.em)
	told := x.modes[ansi.ModeInBandResize]
	if x.tty == nil && !told {
		x.tellSize()
	}
	hooks := x.onResize
	x.mu.Unlock()
	if x.tty != nil {
		if err := x.tty(width, height); err != nil {
			x.t.Fatalf("resize to %dx%d: %v", width, height, err)
		}
	}
	for _, f := range hooks {
		f(width, height)
	}
}

// OnResize has f called after each [Term.Resize], for a program that does not
// take its size from its input.
func (x *Term) OnResize(f func(width, height int)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.onResize = append(x.onResize, f)
}

// tellSize reports the size in-band. Called with mu held.
func (x *Term) tellSize() { x.send(ansi.InBandResize(x.em.Height(), x.em.Width(), 0, 0)) }

// send gives the program bytes, in order with the emulator's own replies.
// Called with mu held.
func (x *Term) send(s string) {
	if x.closed || s == "" {
		return
	}
	_, _ = io.WriteString(x.em.InputPipe(), s)
}
