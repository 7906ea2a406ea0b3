package tuitest

import (
	"os"
	"strings"
)

// Command is a real program to run on a terminal.
type Command struct {
	Argv []string // the program and its arguments
	Dir  string   // default: where this process is
	// Env is set on top of this process's own environment, from which
	// everything that says something about a terminal has been taken. A name
	// without "=" is unset.
	Env []string
}

// Start runs a program on a terminal of width by height cells, and ends it, if
// need be by force, when the test ends.
func Start(t T, width, height int, env []string, argv ...string) *Program {
	t.Helper()
	return StartWith(t, Options{Width: width, Height: height}, Command{Argv: argv, Env: env})
}

// environ returns the environment of a program on terminal x.
func (c Command) environ(x *Term) []string {
	drop := func(name string) bool {
		switch name {
		case "TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "STY", "NO_COLOR",
			"FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "COLORFGBG", "WT_SESSION":
			return true
		}
		return strings.HasPrefix(name, "SSH_")
	}
	env := map[string]string{}
	var names []string
	set := func(kv string) {
		name, value, ok := strings.Cut(kv, "=")
		if !ok {
			delete(env, name)
			return
		}
		if _, known := env[name]; !known {
			names = append(names, name)
		}
		env[name] = value
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !drop(name) {
			set(kv)
		}
	}
	for _, kv := range append(x.Env(), c.Env...) {
		set(kv)
	}
	out := make([]string, 0, len(names))
	for _, name := range names {
		if value, ok := env[name]; ok {
			out = append(out, name+"="+value)
			delete(env, name)
		}
	}
	return out
}
