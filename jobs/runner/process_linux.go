package runner

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// waitLeader returns when the leader has exited, and leaves it to be reaped.
func (p *process) waitLeader() {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, p.id(), &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return // also where it cannot be waited for: the reaping then waits
		}
	}
}

// keepGoing returns when a child has exited, and leaves it to be reaped. Until
// then it makes the child go on whenever somebody stops it.
func keepGoing(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, &unix.Siginfo{}, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		var stop unix.Siginfo // the same once more, and taken, if it is a stop
		if err != nil || unix.Waitid(unix.P_PID, pid, &stop, unix.WSTOPPED|unix.WNOHANG, nil) != nil {
			return
		}
		if stop.Signo == int32(unix.SIGCHLD) {
			unix.Kill(pid, unix.SIGCONT)
			continue
		}
		var end unix.Siginfo
		if unix.Waitid(unix.P_PID, pid, &end, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil) != nil || end.Signo == int32(unix.SIGCHLD) {
			return
		}
	}
}

// exited reports whether the leader has exited; it need not be reaped yet.
func (p *process) exited() bool {
	// A pid of 0 in the answer is how the kernel says "not yet", and the struct
	// starts zeroed. Only si_signo is at the same place on every architecture: it
	// is SIGCHLD in the other case.
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, p.id(), &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}

// remind sends SIGTERM once more to what is left without having got it: a
// program with a handler that forks loses a signal that comes between the fork
// and the exec, and one that is just ending starts things anew. Such a process
// is told by two signs: its parent is not of the group any more, and nothing in
// it keeps SIGTERM from ending it at once. One that handles the signal is not
// sent it twice, as some programs take that for "now".
func (p *process) remind() {
	for _, pid := range p.known {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		if err != nil {
			continue
		}
		parent, defenceless := parseStatus(status)
		if defenceless && liveGroup(parent) != p.id() && p.isMember(pid) {
			send(pid, unix.SIGTERM)
		}
	}
}

// parseStatus returns the parent of a process, and whether SIGTERM would end it:
// it is neither blocked, nor ignored, nor handled.
func parseStatus(status []byte) (parent int, defenceless bool) {
	const term = 1 << (unix.SIGTERM - 1)
	masks := 0
	for line := range bytes.Lines(status) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "PPid":
			parent, _ = strconv.Atoi(value)
		case "SigBlk", "SigIgn", "SigCgt":
			mask, err := strconv.ParseUint(value, 16, 64)
			if err != nil || mask&term != 0 {
				return parent, false
			}
			masks++
		}
	}
	return parent, masks == 3
}

func allPids() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
