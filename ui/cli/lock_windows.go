package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes the one lock on a file, or fails at once. It goes with the
// process, however that ends.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
}
