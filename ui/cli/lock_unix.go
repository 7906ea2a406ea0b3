//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the one lock on a file, or fails at once. It goes with the
// process, however that ends.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
