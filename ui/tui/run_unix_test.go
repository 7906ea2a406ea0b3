//go:build unix

package tui

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"dcctop/ui/tui/tuitest"
)

func TestASignalEndsTheScreenAndSaysWhich(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT} {
		s := run(t, tuitest.Options{}, nil)
		s.show(live("J1"))
		s.WaitText("name-J1")
		if err := syscall.Kill(os.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		s.end(t)
		var e *SignalError
		if !errors.As(s.err, &e) || e.Signal != sig {
			t.Errorf("%v: ended with %v", sig, s.err)
		}
		if s.AltScreen() || s.feed.sent() != "" {
			t.Errorf("%v: the terminal was not restored, or something was sent", sig)
		}
	}
}
