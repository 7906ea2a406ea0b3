package runner

import (
	"os"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

// waitLeader returns when the leader has exited, and leaves it to be reaped.
// waitid cannot be used here: it also returns for a stopped process.
func (p *process) waitLeader() {
	kq, err := unix.Kqueue()
	if err != nil {
		return // the reaping then waits
	}
	defer unix.Close(kq)
	unix.CloseOnExec(kq)
	var event unix.Kevent_t
	unix.SetKevent(&event, p.id(), unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	event.Fflags = unix.NOTE_EXIT
	got := make([]unix.Kevent_t, 1)
	for {
		// One that has already exited cannot be watched: an error, and so the end.
		if _, err := unix.Kevent(kq, []unix.Kevent_t{event}, got, nil); err != unix.EINTR {
			return
		}
	}
}

// keepGoing does nothing: that a child was stopped is not to be had here without
// reaping one that has ended.
func keepGoing(int) {}

// exited reports whether the leader has exited; it need not be reaped yet.
func (p *process) exited() bool {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", p.id())
	return err != nil || info.Proc.P_stat == zombie
}

// members returns the live processes of the group.
func (p *process) members() ([]int, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", p.id())
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, info := range all {
		if info.Proc.P_stat != zombie {
			pids = append(pids, int(info.Proc.P_pid))
		}
	}
	return pids, nil
}

// outsiders returns nothing: the environment of a process is not to be had here.
func (p *process) outsiders() []int { return nil }

// noteKin does nothing: nothing outside of the group is looked for.
func (p *process) noteKin() {}

// isMember returns false, so that each look asks for the whole group, which is
// one cheap call here.
func (p *process) isMember(int) bool { return false }

// remind does nothing: which processes the signal did not reach is not to be
// seen here. They wait for StepKill.
func (p *process) remind() {}

// pipeName returns "": who holds a pipe open is not to be had either.
func pipeName(*os.File) string { return "" }

// processName returns the name of a process's program.
func processName(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return ""
	}
	return plain(unix.ByteSliceToString(info.Proc.P_comm[:]), maxProcessName)
}
