package runner

import (
	"errors"
	"os"
	"strconv"

	"dcctop/core"
)

// exitOf says how a process ended, and what is wrong with that: nil after exit
// 0, else a text for a person, with the line that it printed about it.
func exitOf(state *os.ProcessState, reason func() string) (*core.Exit, error) {
	if name := signalOf(state); name != "" {
		return &core.Exit{Code: -1, Signal: name}, errors.New("killed by " + name)
	}
	code := state.ExitCode()
	exit := &core.Exit{Code: code}
	if code == 0 {
		return exit, nil
	}
	text := "exit status " + strconv.Itoa(code)
	if why := reason(); why != "" {
		text += ": " + why
	}
	return exit, errors.New(text)
}
