package runner

import "golang.org/x/sys/unix"

// liveGroup returns the process group of a live process, 0 for a zombie and for
// none.
func liveGroup(pid int) int {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || info.Proc.P_stat == zombie {
		return 0
	}
	return int(info.Eproc.Pgid)
}

// ignoresTerm cannot be seen here; that the process runs has to do.
func ignoresTerm(pid int) bool { return running(pid) }
