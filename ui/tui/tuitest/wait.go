package tuitest

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Frame is one screen that was shown.
type Frame struct {
	At   time.Time // when it appeared
	Text string    // as [Term.Text]
}

// frames follows what the screen shows. The owner's lock guards it.
type frames struct {
	keep  bool
	shown []Frame
	now   string // the text, if fresh
	fresh bool
	woken chan struct{} // closed and replaced at each change
	over  bool          // there will be no more
}

func newFrames(keep bool) frames { return frames{keep: keep, woken: make(chan struct{})} }

func (f *frames) text(em *vt.Emulator) string {
	if !f.fresh {
		f.now, f.fresh = screenText(em), true
	}
	return f.now
}

func (f *frames) changed(em *vt.Emulator) {
	f.fresh = false
	if f.keep {
		text := f.text(em)
		if n := len(f.shown); n == 0 || f.shown[n-1].Text != text {
			f.shown = append(f.shown, Frame{At: time.Now(), Text: text})
		}
	}
	f.wake()
}

func (f *frames) wake() {
	close(f.woken)
	f.woken = make(chan struct{})
}

func (f *frames) end() {
	f.over = true
	f.wake()
}

// History returns every screen that was shown, oldest first; one that equals
// the one before it counts once. It is empty with [Options].NoHistory.
func (x *Term) History() []Frame {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]Frame(nil), x.log.shown...)
}

// FirstShown returns the first screen that contained text, and false when none
// ever did.
func (x *Term) FirstShown(text string) (Frame, bool) {
	for _, f := range x.History() {
		if strings.Contains(f.Text, text) {
			return f, true
		}
	}
	return Frame{}, false
}

// Await waits until the screen is such that ok returns true, and returns that
// screen. It gives up after d, or when the program has ended, and then returns
// the last screen and an error.
func (x *Term) Await(d time.Duration, ok func(screen string) bool) (string, error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		x.mu.Lock()
		text, woken, over := x.log.text(x.em), x.log.woken, x.log.over
		x.mu.Unlock()
		if ok(text) {
			return text, nil
		}
		if over {
			return text, fmt.Errorf("the program has ended")
		}
		select {
		case <-woken:
		case <-timer.C:
			return text, fmt.Errorf("not within %v", d)
		}
	}
}

// WaitFor waits until the screen is such that ok returns true, and returns that
// screen. what says in words what is waited for. The test fails with the whole
// screen when it does not come within the timeout of the options, or of within
// where that is given.
func (x *Term) WaitFor(what string, ok func(screen string) bool, within ...time.Duration) string {
	x.t.Helper()
	d := x.o.Timeout
	if len(within) > 0 {
		d = within[0]
	}
	text, err := x.Await(d, ok)
	if err != nil {
		x.t.Fatalf("waited for %s: %v\n%s", what, err, x.Framed(text))
	}
	return text
}

// WaitText waits until the screen contains text.
func (x *Term) WaitText(text string, within ...time.Duration) string {
	x.t.Helper()
	return x.WaitFor(fmt.Sprintf("%q", text), func(s string) bool { return strings.Contains(s, text) }, within...)
}

// WaitGone waits until the screen does not contain text.
func (x *Term) WaitGone(text string, within ...time.Duration) string {
	x.t.Helper()
	return x.WaitFor(fmt.Sprintf("%q to be gone", text), func(s string) bool { return !strings.Contains(s, text) }, within...)
}

// WaitLine waits until one row of the screen contains all of words, and returns
// that row.
func (x *Term) WaitLine(words ...string) string {
	x.t.Helper()
	text := x.WaitFor(fmt.Sprintf("a row with %q", words), func(s string) bool {
		_, ok := lineWith(s, words)
		return ok
	})
	line, _ := lineWith(text, words)
	return line
}

func lineWith(screen string, words []string) (string, bool) {
	for line := range strings.SplitSeq(screen, "\n") {
		all := true
		for _, w := range words {
			all = all && strings.Contains(line, w)
		}
		if all {
			return line, true
		}
	}
	return "", false
}

// Framed draws a border of the terminal's size around a screen's text, for the
// message of a failed test.
func (x *Term) Framed(screen string) string {
	w, h := x.Size()
	var b strings.Builder
	fmt.Fprintf(&b, "┌%s┐ %dx%d\n", strings.Repeat("─", w), w, h)
	lines := strings.Split(screen, "\n")
	for y := range max(h, len(lines)) {
		line := ""
		if y < len(lines) {
			line = lines[y]
		}
		fmt.Fprintf(&b, "│%s%s│\n", line, strings.Repeat(" ", max(0, w-ansi.StringWidth(line))))
	}
	fmt.Fprintf(&b, "└%s┘", strings.Repeat("─", w))
	return b.String()
}
