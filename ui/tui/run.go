package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// stallAfter is how long a terminal may take to go back to what it was.
const stallAfter = 2 * time.Second

// framesASecond is how often the renderer looks for something to write, also on
// an idle screen: each look wakes the processor, and Bubble Tea has no way to
// stop it. Of 40, 60 and 120 it is the one that keeps an idle screen below 1 % of
// a core; a key is on the screen within two frames.
const framesASecond = 40

// Run shows the screen until the operator leaves it or ctx ends; ctx ending is
// no error. It returns an error that wraps [ErrNoTerminal] where there is
// nothing to draw on or no keyboard, a [*SignalError] when SIGINT, SIGTERM or
// SIGHUP, unless it was ignored from the start, ended it,
// and [ErrStalled] when the terminal did not take its last words. Leaving never
// cancels a job. Run may be called from any goroutine, by one at a time for a
// terminal.
func Run(ctx context.Context, o Options) (Summary, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return Summary{}, err
	}
	out := o.Out
	if out == nil {
		out = os.Stdout
	}
	in := o.In
	if in == nil {
		in = os.Stdin
	}
	env := environ(o.Env)
	if err := checkTerminal(in, out, env); err != nil {
		return Summary{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	s := newStore()
	m := newModel(ctx, o, s, asciiOnly(env), colours(out, env))
	alive, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	p := tea.NewProgram(m, append(o.program(m, out, env), tea.WithContext(alive))...)

	sigs := make(chan os.Signal, 1)
	heed(sigs, signal.Ignored)
	defer signal.Stop(sigs)

	g := &guarded{kill: kill}
	g.run(func() { follow(ctx, o.Feed, s, o.Now) })
	g.run(func() { notify(ctx, s, p) })
	if o.Resize != nil {
		g.run(func() { resize(ctx, o.Resize, p) })
	}
	restore := savedTerminal(out)
	done := make(chan error, 1)
	go func() {
		_, err := p.Run()
		done <- err
	}()
	err := supervise(ctx, p, sigs, done)
	if errors.Is(err, ErrStalled) {
		restore()
		return Summary{}, err // its goroutines still hold the model
	}
	finish(m.inFlight)
	cancel()
	g.wait()
	if b, ok := s.take(); ok {
		m.index.apply(b)
	}
	if perr := g.err(); perr != nil {
		err = perr
	}
	return m.summary(), err
}

// heed has the signals that end a program sent to c. One that was ignored when
// the program began, as nohup does with SIGHUP, stays so.
func heed(c chan<- os.Signal, ignored func(os.Signal) bool) {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// program is the options of the tea.Program.
func (o Options) program(m *model, out io.Writer, env environ) []tea.ProgramOption {
	opts := []tea.ProgramOption{
		tea.WithOutput(out), tea.WithEnvironment(env), tea.WithFPS(framesASecond), tea.WithFilter(sift(env)),
		tea.WithColorProfile(m.profile), tea.WithoutSignalHandler(), tea.WithWindowSize(o.Width, o.Height),
	}
	if o.In != nil {
		opts = append(opts, tea.WithInput(o.In))
	}
	return opts
}

// supervise waits for the program to end. When ctx ends or a signal comes it
// ends the program, and gives up on it after stallAfter.
func supervise(ctx context.Context, p *tea.Program, sigs <-chan os.Signal, done <-chan error) error {
	var got error
	select {
	case err := <-done:
		return programError(err)
	case <-ctx.Done():
	case s := <-sigs:
		got = &SignalError{Signal: s}
	}
	go p.Quit() // blocks while the event loop does
	t := time.NewTimer(stallAfter)
	defer t.Stop()
	select {
	case err := <-done:
		if got == nil {
			got = programError(err)
		}
		return got
	case <-t.C:
		if got != nil {
			return fmt.Errorf("%w: %w", ErrStalled, got)
		}
		return ErrStalled
	}
}

// finish gives a cancel that was just confirmed the time to leave.
func finish(inFlight *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		inFlight.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(stallAfter):
	}
}

func programError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("screen: %w", err)
}

// savedTerminal remembers the modes of out and returns what puts them back
// without writing to it.
func savedTerminal(out io.Writer) func() {
	f, ok := out.(*os.File)
	if !ok {
		return func() {}
	}
	state, err := term.GetState(f.Fd())
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(f.Fd(), state) }
}

// resize passes on the sizes of a terminal that cannot be asked.
func resize(ctx context.Context, sizes <-chan Size, p sender) {
	for {
		select {
		case <-ctx.Done():
			return
		case s, ok := <-sizes:
			if !ok {
				return
			}
			p.Send(tea.WindowSizeMsg{Width: s.Width, Height: s.Height})
		}
	}
}

// guarded runs goroutines of ours. A panic in one would leave the terminal in
// raw mode: it is kept, and the program is killed. (By its context: Kill itself
// races with a program that is only starting.)
type guarded struct {
	kill func()
	wg   sync.WaitGroup

	mu    sync.Mutex // guards first
	first error
}

func (g *guarded) run(f func()) {
	g.wg.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				g.mu.Lock()
				if g.first == nil {
					g.first = fmt.Errorf("screen: panic: %v", r)
				}
				g.mu.Unlock()
				g.kill()
			}
		}()
		f()
	})
}

func (g *guarded) wait() { g.wg.Wait() }

func (g *guarded) err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.first
}
