package runner

import (
	"errors"
	"os"
	"strconv"

	"dcctop/core"
)

// exitOf says how a process ended, and what is wrong with that: nil after exit
// 0, else a text for a person, with the last line that was printed, as this is
// where most programs say why.
func exitOf(state *os.ProcessState, last string) (*core.Exit, error) {
	if name := signalOf(state); name != "" {
		return &core.Exit{Code: -1, Signal: name}, errors.New("killed by " + name)
	}
	code := state.ExitCode()
	exit := &core.Exit{Code: code}
	if code == 0 {
		return exit, nil
	}
	text := "exit status " + strconv.Itoa(code)
	if last != "" {
		text += ": " + last
	}
	return exit, errors.New(text)
}
