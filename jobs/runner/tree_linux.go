package runner

import (
	"bytes"
	"maps"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// procStat is where a live process stands. The start tells it from a later one
// with its number.
type procStat struct {
	parent, group int
	start         uint64 // in ticks since the boot
}

// readStat returns false for a zombie and for none.
func readStat(pid int) (procStat, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, false
	}
	return parseStat(stat)
}

// parseStat reads "pid (name) state parent group …". The name is the program's
// to choose: it may hold blanks and brackets.
func parseStat(stat []byte) (s procStat, ok bool) {
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(f) < 3 || len(f[0]) != 1 || bytes.Contains([]byte("ZXx"), f[0]) {
		return s, false
	}
	var err error
	if s.group, err = strconv.Atoi(string(f[2])); err != nil {
		return s, false
	}
	s.parent, _ = strconv.Atoi(string(f[1]))
	if len(f) > 19 {
		s.start, _ = strconv.ParseUint(string(f[19]), 10, 64)
	}
	return s, true
}

// liveGroup returns the process group of a live process, 0 for a zombie and for
// none.
func liveGroup(pid int) int {
	s, _ := readStat(pid)
	return s.group
}

// outsiders returns the live processes of the job that are not in its group, and
// remembers them. A child in a session of its own is still the job's. It is
// known by the marks in its environment or, where it was started without one
// (env -i), by the job's output, which it still holds open, or by an ancestor
// that is known. Only one that has none of the three is not found: without
// environment and output, in a session of its own, and its parent gone before
// anybody looked.
func (p *process) outsiders() []int { return p.family(p.census.thorough()) }

// noteKin remembers the outsiders that descend from the leader, which cannot be
// told any more once that is gone. It is quick, as a signal waits for it.
func (p *process) noteKin() {
	kin := make(map[int]uint64)
	for line := []int{p.id()}; len(line) > 0; line = line[1:] {
		children, err := childrenOf(line[0])
		if err != nil { // a kernel that does not list them
			p.family(p.census.quick())
			return
		}
		for _, pid := range children {
			if s, ok := readStat(pid); ok {
				line = append(line, pid)
				if s.group != p.id() {
					kin[pid] = s.start
				}
			}
		}
	}
	maps.Copy(kin, p.kin)
	p.kin = kin
}

// childrenOf returns the children of a process that is alive. The error says that
// they cannot be told; none for a process that has gone.
func childrenOf(pid int) ([]int, error) {
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	threads, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil
	}
	var pids []int
	for _, thread := range threads {
		list, err := os.ReadFile(dir + "/" + thread.Name() + "/children")
		if err != nil {
			if _, gone := os.Stat(dir + "/" + thread.Name()); gone != nil {
				continue
			}
			return nil, err
		}
		for field := range bytes.FieldsSeq(list) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids, nil
}

// family finds the outsiders in a table.
func (p *process) family(t *table) []int {
	var found []int // of the job, whether in the group or not
	for pid, s := range t.procs {
		if s.group == p.id() || p.remembers(pid, s.procStat) || s.carries(p.marks) || s.prints(p.pipes) {
			found = append(found, pid)
		}
	}
	kin := make(map[int]uint64)
	var out []int
	for seen := make(map[int]struct{}, len(found)); len(found) > 0; found = found[1:] {
		pid := found[0]
		if _, ok := seen[pid]; ok {
			continue
		}
		seen[pid] = struct{}{}
		found = append(found, t.children[pid]...)
		if s := t.procs[pid]; s.group != p.id() {
			kin[pid] = s.start
			out = append(out, pid)
		}
	}
	p.kin = kin
	return out
}

func (p *process) remembers(pid int, s procStat) bool {
	start, ok := p.kin[pid]
	return ok && start == s.start
}

// members returns the live processes of the group.
func (p *process) members() ([]int, error) {
	t := p.census.quick()
	if t.err != nil {
		return nil, t.err
	}
	var pids []int
	for pid, s := range t.procs {
		if s.group == p.id() {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// pipeName is how /proc shows a pipe that a process holds open; "" for none.
func pipeName(f *os.File) string {
	conn, err := f.SyscallConn() // Fd would take the deadlines from it
	if err != nil {
		return ""
	}
	var st unix.Stat_t
	ok := false
	err = conn.Control(func(fd uintptr) { ok = unix.Fstat(int(fd), &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO })
	if err != nil || !ok {
		return ""
	}
	return "pipe:[" + strconv.FormatUint(st.Ino, 10) + "]"
}

// isMember reports whether a process that was found before is alive and still
// the same.
func (p *process) isMember(pid int) bool {
	s, ok := readStat(pid)
	return ok && (s.group == p.id() || p.tree && p.remembers(pid, s))
}

// processName returns the name of a process's program, cut to 15 bytes by the
// kernel.
func processName(pid int) string {
	name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return ""
	}
	return plain(strings.TrimSuffix(string(name), "\n"), maxProcessName)
}
