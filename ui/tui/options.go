package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"dcctop/core"
)

// Feed is where the jobs come from: a dispatcher in this process or a client of
// one elsewhere; the screen cannot tell them apart.
type Feed interface {
	// Watch yields a snapshot (or, from a position that can be resumed, a
	// change), then changes, until ctx ends.
	Watch(ctx context.Context, resume ...core.Position) iter.Seq2[core.Update, error]
	// Log returns what a job printed from an offset on.
	Log(ctx context.Context, id core.JobID, from int64) (core.LogChunk, error)
}

// Canceller takes the operator's cancels. An error that wraps
// [core.ErrUnreachable] says that nothing was sent, one that wraps
// [core.ErrOutcomeUnknown] that it may or may not have arrived.
type Canceller interface {
	Cancel(ctx context.Context, r core.CancelRequest) ([]core.CancelOutcome, error)
}

// Rerunner submits a job that has ended again, as a new one whose record it
// returns. An error that wraps [core.ErrNotEnded] says that it would have worked
// beside the old one and was not started; for the others see [Canceller].
type Rerunner interface {
	Rerun(ctx context.Context, r core.RerunRequest) (*core.Job, error)
}

// Options says what the screen shows and where. Feed and Canceller are needed;
// the rest has defaults.
type Options struct {
	Feed      Feed
	Canceller Canceller
	Rerunner  Rerunner // nil: the dispatcher cannot run a job again

	Me    core.Actor // who the dispatcher takes us for, to say "by you"
	Where string     // what the header calls the dispatcher
	Hint  string     // what to type when no dispatcher is found
	Note  string     // one line for the frame of the table, e.g. "frames in DIR"

	// JobsEnd says that the jobs end with the screen, as in a demo: the help
	// tells so.
	JobsEnd bool

	In  io.Reader // default: standard input
	Out io.Writer // default: standard output
	Env []string  // default: os.Environ()

	// Width and Height are the first size, in cells, where Out is not a
	// terminal that can be asked. Resize then tells of later ones.
	Width, Height int
	Resize        <-chan Size

	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Size is the size of a terminal in cells.
type Size struct{ Width, Height int }

// Summary is what is left to say when the screen is gone.
type Summary struct {
	Alive int // jobs that had not ended when it was left
}

// ErrNoTerminal means that there is no terminal to draw on, or none to type on. The message says
// why and what to use instead.
var ErrNoTerminal = errors.New("no terminal to draw on")

// ErrStalled means that the terminal took no output for two seconds after the
// program was told to end. The goroutine that writes to it is still blocked:
// the process should end now.
var ErrStalled = errors.New("terminal is stalled")

// SignalError says that a signal ended the screen.
type SignalError struct{ Signal os.Signal }

// Error implements error.
func (e *SignalError) Error() string { return "ended by " + e.Signal.String() }

func (o Options) withDefaults() Options {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Width == 0 && o.Height == 0 {
		o.Width, o.Height = 80, 24
	}
	return o
}

func (o Options) validate() error {
	switch {
	case o.Feed == nil:
		return fmt.Errorf("options: Feed is nil: give a dispatcher or a client: %w", core.ErrInvalid)
	case o.Canceller == nil:
		return fmt.Errorf("options: Canceller is nil: give a dispatcher or a client: %w", core.ErrInvalid)
	case o.Width < 0 || o.Height < 0:
		return fmt.Errorf("options: size %dx%d: must not be negative: %w", o.Width, o.Height, core.ErrInvalid)
	}
	return nil
}
