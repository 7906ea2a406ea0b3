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
			unix.Kill(pid, unix.SIGTERM)
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
