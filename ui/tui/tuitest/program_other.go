//go:build !unix

package tuitest

import (
	"os"
	"time"
)

// Program is a program that runs on a terminal. Only Unix has such terminals.
type Program struct{ *Term }

// StartWith fails the test: there is no pseudo-terminal on this system.
func StartWith(t T, _ Options, _ Command) *Program {
	t.Helper()
	t.Fatalf("a program on a terminal needs a Unix pseudo-terminal")
	return nil
}

// PID is 0.
func (p *Program) PID() int { return 0 }

// Signal does nothing.
func (p *Program) Signal(os.Signal) {}

// Exited returns a channel that is never closed.
func (p *Program) Exited() <-chan struct{} { return nil }

// Wait returns -1.
func (p *Program) Wait(...time.Duration) int { return -1 }

// Times returns 0.
func (p *Program) Times() (user, system time.Duration) { return 0, 0 }

// Kill does nothing.
func (p *Program) Kill() error { return nil }
