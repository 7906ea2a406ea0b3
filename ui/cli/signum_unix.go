//go:build unix

package cli

import "golang.org/x/sys/unix"

// signalNumber is what a shell adds to 128, 0 for an unknown name.
func signalNumber(name string) int { return int(unix.SignalNum(name)) }
