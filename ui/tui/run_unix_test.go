//go:build unix

package tui

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"dcctop/ui/tui/tuitest"
)

func TestASignalThatWasIgnoredFromTheStartStaysIgnored(t *testing.T) {
	got := make(chan os.Signal, 9)
	heed(got, func(s os.Signal) bool { return s == syscall.SIGHUP }) // as nohup does
	t.Cleanup(func() { signal.Stop(got) })
	other := make(chan os.Signal, 9) // keeps this process alive, and says when it came
	signal.Notify(other, syscall.SIGHUP, syscall.SIGTERM)
	t.Cleanup(func() { signal.Stop(other) })
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		<-other
	}
	if s := <-got; s != syscall.SIGTERM {
		t.Errorf("%v was heeded", s)
	}
}

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
