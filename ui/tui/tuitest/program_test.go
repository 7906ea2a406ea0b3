//go:build unix

package tuitest

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"go.uber.org/goleak"
)

// TestMain makes this test binary a probe when it is started as one, so that
// there is a real program for a real pseudo-terminal.
func TestMain(m *testing.M) {
	if os.Getenv("TUITEST_PROBE") != "" {
		if _, err := tea.NewProgram(probe{}, tea.WithColorProfile(colorprofile.TrueColor)).Run(); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	// The goroutine that all of a process's signals come from must not be born in
	// the bubble of a test, whichever comes first.
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
	code := m.Run()
	// Bubble Tea leaves its reader behind when a key arrives as it ends.
	leaks := goleak.Find(goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.(*Program).readLoop"))
	if code == 0 && leaks != nil {
		fmt.Fprintln(os.Stderr, leaks)
		code = 1
	}
	os.Exit(code)
}

func start(t *testing.T, w, h int) *Program {
	t.Helper()
	return Start(t, w, h, []string{"TUITEST_PROBE=1"}, os.Args[0])
}

func TestARealProgramIsTypedToResizedAndEnds(t *testing.T) {
	p := start(t, 72, 20)
	p.WaitText("size 72x20")
	p.WaitText("dark true")
	p.WaitText("level 3")
	if !p.AltScreen() || p.Title() != "probe" {
		t.Errorf("alt screen %v, title %q", p.AltScreen(), p.Title())
	}
	p.WaitText("渲染_鏡頭010|é|👨‍👩‍👧|🇫🇮|")
	p.Resize(100, 30)
	p.WaitText("size 100x30")
	p.Key("up", "esc", "f9")
	p.Type("y")
	p.WaitText("keys up esc f9 y")
	p.Paste("two\nlines")
	p.WaitText("paste two")
	p.WaitFor("the clipboard", func(string) bool { return p.Clipboard() == "01J9ZX" })
	p.Type("q")
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if p.AltScreen() {
		t.Error("the alternate screen is still there after the end")
	}
}

func TestAWaitEndsWithTheProgram(t *testing.T) {
	f := &failing{T: t}
	p := Start(f, 20, 3, nil, "sh", "-c", "echo gone; exit 7")
	p.WaitText("never")
	if !strings.Contains(f.message, "the program has ended") || !strings.Contains(f.message, "│gone  ") {
		t.Errorf("message %q", f.message)
	}
	if code := p.Wait(); code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
}

func TestASignalEndsAProgram(t *testing.T) {
	p := Start(t, 20, 3, nil, "sh", "-c", "echo ready; cat")
	p.WaitText("ready")
	p.Signal(syscall.SIGTERM)
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
	if code := p.Wait(); code != 128+15 && code != 128+9 {
		t.Errorf("exit code %d, want that of a signal", code)
	}
}

func TestAProgramThatIgnoresTheEndIsKilled(t *testing.T) {
	var p *Program
	t.Run("test", func(t *testing.T) {
		p = StartWith(t, Options{EndWithin: 50 * time.Millisecond},
			Command{Argv: []string{"sh", "-c", "trap '' HUP; echo ready; exec tail -f /dev/null"}})
		p.WaitText("ready")
	})
	select {
	case <-p.Exited():
	default:
		t.Error("it outlived its test")
	}
}

func TestTheEnvironmentSaysWhichTerminalItIs(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	t.Setenv("TMUX", "/tmp/x")
	t.Setenv("TUITEST_KEEP", "kept")
	p := StartWith(t, Options{Width: 60}, Command{
		Argv: []string{"sh", "-c", `echo "$TERM $COLORTERM [$NO_COLOR$TMUX] $TUITEST_KEEP $MORE"; stty size`},
		Env:  []string{"MORE=more"},
	})
	p.WaitText("xterm-256color truecolor [] kept more")
	p.WaitText("24 60")
	p.Wait(time.Minute)
}
