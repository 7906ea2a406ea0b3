package cli

import (
	"context"
	"errors"

	"dcctop/core"
	"dcctop/jobs/skill"
	"dcctop/ui/tui"
)

// The exit codes, as in README's table.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2 // also: no terminal
	exitUnreachable = 3
	exitNotFound    = 4
	exitForbidden   = 5
	exitNothing     = 6 // nothing to cancel: already finished
	exitInterrupted = 130
)

// usageError is a command line that says nothing sensible.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// commandExit passes on the exit code of a job's own command.
type commandExit struct{ code int }

func (e commandExit) Error() string { return "" }

// errNothingToCancel: every job asked for had already finished.
var errNothingToCancel = errors.New("nothing to cancel")

func exitCode(err error) int {
	var badUsage *usageError
	var command commandExit
	var bySignal *tui.SignalError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &command):
		return command.code
	case errors.As(err, &badUsage), errors.Is(err, tui.ErrNoTerminal),
		errors.Is(err, skill.ErrParams), errors.Is(err, skill.ErrAmbiguous):
		return exitUsage
	case errors.Is(err, core.ErrForbidden): // also where that is why it cannot be reached
		return exitForbidden
	case errors.Is(err, core.ErrUnreachable), errors.Is(err, core.ErrOutcomeUnknown):
		return exitUnreachable
	case errors.Is(err, core.ErrNotFound), errors.Is(err, skill.ErrNoTool):
		return exitNotFound
	case errors.Is(err, errNothingToCancel):
		return exitNothing
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled), errors.As(err, &bySignal):
		return exitInterrupted
	}
	return exitError
}

// explain is the text for a person; "" where all has been said.
func explain(err error) string {
	switch {
	case errors.Is(err, core.ErrForbidden):
		return err.Error() + "\nis the token that of this dispatcher? see --token-file"
	case errors.Is(err, core.ErrUnreachable):
		return err.Error() + "\nstart one with: dcctop serve   (or try: dcctop demo)"
	case errors.Is(err, tui.ErrNoTerminal):
		return "no terminal to show the monitor on; for scripts: dcctop ls, dcctop ls --json"
	case errors.Is(err, errInterrupted):
		return ""
	}
	return err.Error()
}
