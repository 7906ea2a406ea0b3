package runner

import (
	"bytes"
	"os"
	"slices"
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

// groupMembers returns the live processes of a group.
func groupMembers(pgid int) ([]int, error) {
	pids, err := allPids()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(pids, func(pid int) bool { return liveGroup(pid) != pgid }), nil
}

// outsiders returns the live processes that carry all the marks and are not in
// the group: a child that made a session of its own is still the job's.
func outsiders(pgid int, marks []string) []int {
	if len(marks) == 0 {
		return nil
	}
	pids, err := allPids()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(pids, func(pid int) bool {
		if !carries(pid, marks) {
			return true
		}
		group := liveGroup(pid)
		return group == 0 || group == pgid
	})
}

// isMember reports whether a process that was found before is alive and still
// the same. One that is just ending has no environment any more, and may go on
// for a while giving back its memory.
func (p *process) isMember(pid int) bool {
	group := liveGroup(pid)
	if group == 0 || group == p.id() || !p.tree || len(p.marks) == 0 {
		return group == p.id()
	}
	env, err := environ(pid)
	return err == nil && (len(env) == 0 || hasEntries(env, p.marks))
}

// liveGroup returns the process group of a live process, 0 for a zombie and for
// none.
func liveGroup(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	return parseStat(stat)
}

// parseStat reads "pid (name) state parent group …". The name is the program's
// to choose: it may hold blanks and brackets.
func parseStat(stat []byte) (group int) {
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(f) < 3 || len(f[0]) != 1 || bytes.Contains([]byte("ZXx"), f[0]) {
		return 0
	}
	group, err := strconv.Atoi(string(f[2]))
	if err != nil {
		return 0
	}
	return group
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

func carries(pid int, marks []string) bool {
	env, err := environ(pid)
	return err == nil && hasEntries(env, marks)
}

// environ returns the environment of a process, as it was at its start.
func environ(pid int) ([]byte, error) {
	return os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
}

// hasEntries reports whether an environment, as the kernel shows it, holds every
// entry as it is.
func hasEntries(env []byte, entries []string) bool {
	env = slices.Concat([]byte{0}, env, []byte{0})
	for _, e := range entries {
		if !bytes.Contains(env, []byte("\x00"+e+"\x00")) {
			return false
		}
	}
	return true
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
