package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/ui/tui/tuitest"
)

// started is a screen on an emulated terminal.
type started struct {
	*tuitest.Term
	feed *fakeFeed
	stop context.CancelFunc
	done chan struct{}
	sum  Summary
	err  error
}

func run(t testing.TB, o tuitest.Options, more func(*Options)) *started {
	t.Helper()
	s := &started{Term: tuitest.NewWith(t, o), feed: newFakeFeed(), done: make(chan struct{})}
	w, h := s.Size()
	opts := Options{
		Feed: s.feed, Canceller: s.feed, Me: core.Actor{User: "ann", Host: "ws01"}, Where: "render-7",
		In: s.Term, Out: s.Term, Env: append(s.Env(), "LANG=en_GB.UTF-8"), Width: w, Height: h,
	}
	if more != nil {
		more(&opts)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	go func() {
		defer close(s.done)
		s.sum, s.err = Run(ctx, opts)
	}()
	t.Cleanup(func() {
		stop()
		select {
		case <-s.done:
		case <-time.After(10 * time.Second):
			t.Error("the screen did not end")
		}
	})
	return s
}

// show puts jobs on the screen, as of now.
func (s *started) show(jobs ...*core.Job) {
	s.feed.updates <- core.Update{Snapshot: &core.Snapshot{Source: "a", Epoch: "e", At: 1, Jobs: jobs}}
}

// live is a job that began now.
func live(id string) *core.Job {
	j := job(id, core.Running)
	j.CreatedAt = core.At(time.Now())
	j.StartedAt = j.CreatedAt
	return j
}

func (s *started) end(t *testing.T) {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(10 * time.Second):
		t.Fatal("the screen did not end")
	}
}

func TestAKeyPressCancelsAJobOnARealScreen(t *testing.T) {
	s := run(t, tuitest.Options{}, nil)
	s.show(live("J1"), live("J2"))
	s.WaitText("name-J2")
	s.Key("down", "c")
	s.WaitText("y cancel") // the dialog takes keys now
	s.Key("y")
	s.WaitText("accepted")
	if got := s.feed.sent(); got != "J2" {
		t.Fatalf("asked for %q", got)
	}
	j := with(live("J2"), func(j *core.Job) {
		j.State, j.Cancellation = core.Cancelling, &core.Cancellation{By: "ann", From: "ws01", RequestedAt: core.At(time.Now())}
	})
	s.feed.updates <- core.Update{Change: &core.Change{Source: "a", Epoch: "e", From: 1, To: 2, Jobs: []*core.Job{j}}}
	s.WaitLine("name-J2", "cancelling 00:00")
	if f, ok := s.FirstShown("cancelled"); ok {
		t.Errorf("cancelled before it stopped:\n%s", f.Text)
	}
	s.feed.updates <- core.Update{Change: &core.Change{Source: "a", Epoch: "e", From: 2, To: 3, Jobs: []*core.Job{with(j, func(j *core.Job) {
		j.State, j.FinishedAt = core.Cancelled, core.At(time.Now())
		j.Cancellation.SeenAt, j.Cancellation.StoppedAt = j.FinishedAt, j.FinishedAt
	})}}}
	s.WaitLine("name-J2", "cancelled")
	s.Key("q")
	s.end(t)
	if s.err != nil || s.sum.Alive != 1 {
		t.Errorf("ended with %+v, %v; want one alive", s.sum, s.err)
	}
	if s.AltScreen() {
		t.Error("the terminal was left in the alternate screen")
	}
}

func TestAHeldKeyOnARealTerminalCancelsNothing(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		s := run(t, tuitest.Options{Legacy: legacy}, nil)
		s.show(live("J1"))
		s.WaitText("name-J1")
		s.Hold("c", 20)
		s.Hold("y", 20)
		s.WaitText("y cancel")
		s.Hold("c", 5)
		if got := s.feed.sent(); got != "" {
			t.Errorf("legacy %v: asked for %q", legacy, got)
		}
		s.Key("ctrl+c")
		s.end(t)
	}
}

func TestAHostileNameHarmsNoTerminal(t *testing.T) {
	s := run(t, tuitest.Options{Width: 100, Height: 30}, nil)
	var jobs []*core.Job
	for i, c := range hostile {
		jobs = append(jobs, with(live(fmt.Sprintf("J%02d", i)), func(j *core.Job) {
			j.Name, j.User, j.Host, j.Kind = c.in+" end", c.in, c.in, c.in
		}))
	}
	s.show(jobs...)
	s.WaitText("shot 010 end")
	s.Key("G", "enter")
	s.WaitText("details")
	s.Key("esc", "g", "c")
	s.WaitText("y cancel")
	s.Key("n")
	s.WaitGone("y cancel")
	for row := range 26 {
		cells := s.Cells()[2+row]
		if got := cells[len(cells)-1].Text; !strings.Contains("│╮╯", got) {
			t.Errorf("row %d ends in %q: %s", row, got, s.Line(2+row))
		}
	}
	if s.Clipboard() != "" || s.Bells() != 0 || s.Title() != "dcctop" {
		t.Errorf("clipboard %q, %d bells, title %q", s.Clipboard(), s.Bells(), s.Title())
	}
}

func TestACopiedIdIsOnTheClipboard(t *testing.T) {
	s := run(t, tuitest.Options{}, nil)
	s.show(live("J1"))
	s.WaitText("name-J1")
	s.Key("y")
	s.WaitText("copied J1")
	if got := s.Clipboard(); got != "J1" {
		t.Errorf("the clipboard holds %q", got)
	}
}

func TestAPasteOnARealTerminalIsNoCommand(t *testing.T) {
	s := run(t, tuitest.Options{}, nil)
	s.show(live("J1"), live("J2"))
	s.WaitText("name-J1")
	s.Paste("cy\x1b[Bq")
	s.Key("/")
	s.WaitText("filter:")
	s.Paste("J2")
	s.WaitGone("name-J1")
	if got := s.feed.sent(); got != "" {
		t.Errorf("asked for %q", got)
	}
}

func TestNoColourOnATerminalMeansNone(t *testing.T) {
	s := run(t, tuitest.Options{}, func(o *Options) { o.Env = append(o.Env, "NO_COLOR=no") })
	s.show(live("J1"), job("J2", core.Cancelled), job("J3", core.Failed))
	s.WaitText("name-J3")
	reverse := 0
	for _, row := range s.Cells() {
		for _, c := range row {
			if c.Reverse {
				reverse++
				continue
			}
			if c.Fg != nil || c.Bg != nil {
				t.Fatalf("a coloured cell: %+v", c)
			}
		}
	}
	if reverse == 0 {
		t.Error("the selection is not visible")
	}
}

func TestTheBackgroundDecidesTheColours(t *testing.T) {
	colour := func(light bool) string {
		s := run(t, tuitest.Options{Light: light}, nil)
		s.show(live("J1"))
		s.WaitText("name-J1")
		got := ""
		s.WaitFor("the colours of the theme", func(string) bool {
			for _, row := range s.Cells() {
				for _, c := range row {
					if c.Text == "▸" {
						got = fmt.Sprint(c.Fg)
						return light == (got == "{31 95 196 255}")
					}
				}
			}
			return false
		})
		return got
	}
	if d, l := colour(false), colour(true); d == l {
		t.Errorf("dark and light are the same: %s", d)
	}
}

// The emulator itself keeps its size: it is of a kind that breaks when it is
// made smaller than what the program is drawing at that moment.
func TestResizingInABurstLeavesNoRests(t *testing.T) {
	sizes := make(chan Size)
	s := run(t, tuitest.Options{Width: 200, Height: 60}, func(o *Options) { o.Resize = sizes })
	s.show(farm()...)
	s.WaitText("fx_smoke")
	for i := range 100 {
		sizes <- Size{Width: 30 + (i*37)%170, Height: 8 + (i*13)%52}
		s.feed.updates <- core.Update{Change: &core.Change{Source: "a", Epoch: "e", From: uint64(i + 1), To: uint64(i + 2), Jobs: []*core.Job{live("J1")}}}
	}
	sizes <- Size{Width: 80, Height: 24}
	s.WaitFor("a whole screen", func(text string) bool {
		lines := strings.Split(text, "\n")
		if len(lines) < 24 || strings.TrimSpace(strings.Join(lines[24:], "")) != "" {
			return false
		}
		for i, l := range lines[:24] {
			l = strings.TrimRight(l, " ")
			want := map[bool]string{true: "│"}[i > 2 && i < 22]
			if !strings.HasSuffix(l, want) || width(l) > 80 || want != "" && width(l) != 80 {
				return false
			}
		}
		return strings.Contains(text, "name-J1") && strings.HasSuffix(strings.TrimSpace(lines[23]), "quit")
	})
}

func TestNotATerminalIsSaidAndNothingIsWritten(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	f := newFakeFeed()
	_, err = Run(t.Context(), Options{Feed: f, Canceller: f, Out: w, Env: []string{"TERM=xterm"}})
	if !errors.Is(err, ErrNoTerminal) || !strings.Contains(err.Error(), "dcctop ls") || !strings.Contains(err.Error(), "--json") {
		t.Errorf("to a pipe: %v", err)
	}
	_ = w.Close()
	buf := make([]byte, 10)
	if n, _ := r.Read(buf); n != 0 {
		t.Errorf("the pipe got %q", buf[:n])
	}
	for name, in := range map[string]*os.File{"a pipe": r, "standard input of a test": nil} {
		o := Options{Feed: f, Canceller: f, Out: &strings.Builder{}, Env: []string{"TERM=xterm"}}
		if in != nil {
			o.In = in
		} else if IsTerminal(os.Stdin) {
			continue // somebody looks on
		}
		ctx, stop := context.WithCancel(t.Context())
		stop() // a screen that did begin would end at once
		_, err = Run(ctx, o)
		if !errors.Is(err, ErrNoTerminal) || !strings.Contains(err.Error(), "the input is not a terminal") || !strings.Contains(err.Error(), "dcctop ls") {
			t.Errorf("keys from %s: %v", name, err)
		}
	}
	for _, term := range []string{"TERM=dumb", "TERM="} {
		_, err = Run(t.Context(), Options{Feed: f, Canceller: f, In: strings.NewReader(""), Out: &strings.Builder{}, Env: []string{term}})
		if !errors.Is(err, ErrNoTerminal) {
			t.Errorf("%s: %v", term, err)
		}
	}
	if _, err = Run(t.Context(), Options{Canceller: f}); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), "Feed") {
		t.Errorf("without a feed: %v", err)
	}
}

// stuck is a terminal that stops taking output.
type stuck struct{ begun, release chan struct{} }

func (s *stuck) Write(p []byte) (int, error) {
	select {
	case s.begun <- struct{}{}:
	default:
	}
	<-s.release
	return len(p), nil
}

func TestAStalledTerminalDoesNotKeepTheProgramAlive(t *testing.T) {
	f, out := newFakeFeed(), &stuck{begun: make(chan struct{}, 1), release: make(chan struct{})}
	t.Cleanup(func() { close(out.release) })
	ctx, stop := context.WithCancel(t.Context())
	result := make(chan error, 1)
	in, _ := io.Pipe()
	go func() {
		_, err := Run(ctx, Options{Feed: f, Canceller: f, In: in, Out: out, Env: []string{"TERM=xterm"}})
		result <- err
	}()
	<-out.begun
	stop()
	select {
	case err := <-result:
		if !errors.Is(err, ErrStalled) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the program hangs on its terminal")
	}
}

// panicFeed panics once it is watched.
type panicFeed struct{ *fakeFeed }

func (panicFeed) Watch(context.Context, ...core.Position) iter.Seq2[core.Update, error] {
	return func(func(core.Update, error) bool) { panic("a defect") }
}

func TestAPanicInAGoroutineRestoresTheTerminal(t *testing.T) {
	s := run(t, tuitest.Options{}, func(o *Options) { o.Feed = panicFeed{} })
	s.end(t)
	if s.err == nil || !strings.Contains(s.err.Error(), "a defect") {
		t.Errorf("ended with %v", s.err)
	}
	if s.AltScreen() {
		t.Error("the terminal was left in the alternate screen")
	}
}

func TestACancelConfirmedRightBeforeLeavingIsStillSent(t *testing.T) {
	s := run(t, tuitest.Options{}, nil)
	asked, answered := make(chan struct{}), make(chan struct{})
	var whole atomic.Bool
	s.feed.answer = func(r core.CancelRequest) ([]core.CancelOutcome, error) {
		close(asked)
		<-answered
		whole.Store(true)
		return nil, nil
	}
	s.show(live("J1"))
	s.WaitText("name-J1")
	s.Key("c")
	s.WaitText("y cancel")
	s.Type("yq")
	<-asked
	s.WaitFor("the screen to be left", func(string) bool { return !s.AltScreen() })
	select {
	case <-s.done:
		t.Error("it did not wait for the request")
	case <-time.After(50 * time.Millisecond):
	}
	close(answered)
	s.end(t)
	if !whole.Load() || s.err != nil {
		t.Errorf("answered %v, ended with %v", whole.Load(), s.err)
	}
}
