package tui

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// environ reads a list of KEY=value; the last one counts.
type environ []string

func (e environ) get(name string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(e[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// IsTerminal reports whether f is an [*os.File] that is a terminal. Anything
// else, nil too, is none. It is safe for concurrent use.
func IsTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && file != nil && term.IsTerminal(file.Fd())
}

// noTerminal reports whether f is a file that is no terminal. What is no file
// is taken for one: a test's.
func noTerminal(f any) bool {
	_, file := f.(*os.File)
	return file && !IsTerminal(f)
}

// checkTerminal returns an error that wraps [ErrNoTerminal] when out cannot
// show a screen, or keys would not come from a person: what a script feeds in
// must never answer a dialog.
func checkTerminal(in io.Reader, out io.Writer, env environ) error {
	const instead = "`dcctop ls` prints the jobs once, and --json makes it a document"
	switch {
	case noTerminal(out):
		return fmt.Errorf("%w: the output is not a terminal; %s", ErrNoTerminal, instead)
	case noTerminal(in):
		return fmt.Errorf("%w: the input is not a terminal, and no key may come from a file or a pipe; %s", ErrNoTerminal, instead)
	}
	switch t := env.get("TERM"); {
	case t == "dumb":
		return fmt.Errorf("%w: TERM=dumb cannot place text; %s", ErrNoTerminal, instead)
	case t == "" && runtime.GOOS != "windows":
		return fmt.Errorf("%w: TERM is not set; %s", ErrNoTerminal, instead)
	}
	return nil
}

// asciiOnly reports whether the terminal should get ASCII alone: the Linux
// console, whose font lacks most signs, or a locale that is not UTF-8. Where no
// locale is named a terminal of today is taken for UTF-8, except in tmux and
// screen, which then write an underscore for every sign.
func asciiOnly(env environ) bool {
	if env.get("TERM") == "linux" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := env.get(name); v != "" {
			v = strings.ToLower(v)
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return multiplexed(env)
}

// colours returns how many colours the terminal gets. Any NO_COLOR that is not
// empty counts.
func colours(out io.Writer, env environ) colorprofile.Profile {
	if env.get("NO_COLOR") != "" {
		return colorprofile.ASCII
	}
	if _, ok := out.(*os.File); ok {
		return colorprofile.Detect(out, env)
	}
	return colorprofile.Env(env)
}

// sift drops the messages that must not reach the renderer: in tmux synchronised
// output makes it redraw the whole pane for each frame.
func sift(env environ) func(tea.Model, tea.Msg) tea.Msg {
	tmux := multiplexed(env)
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		if r, ok := msg.(tea.ModeReportMsg); ok && tmux && r.Mode == ansi.ModeSynchronizedOutput {
			return nil
		}
		return msg
	}
}

// multiplexed reports whether tmux or screen stands between us and the terminal.
func multiplexed(env environ) bool {
	t := env.get("TERM")
	return env.get("TMUX") != "" || strings.HasPrefix(t, "tmux") || strings.HasPrefix(t, "screen")
}
