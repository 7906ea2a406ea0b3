//go:build !windows

package python

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// owned refuses a folder of another user, and one that others may write to.
func owned(folder string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to user %d; remove it", folder, stat.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s may be written by others (%v); chmod 700 it", folder, info.Mode().Perm())
	}
	return nil
}
