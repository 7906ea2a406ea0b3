//go:build linux || darwin

package runner

import (
	"os"
	"os/exec"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"dcctop/core"
)

// process is a started command: its leader, and the group of that number. Its
// methods are called under the command's lock, but for waitLeader.
type process struct {
	cmd   *exec.Cmd
	marks []string // what the environment of each process of the job holds
	pipes []string // its output, as /proc names what a process holds open
	tree  bool     // it was cancelled: what left the group, for a session of its own, counts too
	known []int    // pids of the job that were found alive

	kin map[int]uint64 // what was found outside of the group: pid and start

	census *census // where it is looked for
}

func startProcess(cmd *exec.Cmd, all *census) (*process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd: cmd, census: all}, nil
}

// id is the number of the group.
func (p *process) id() int { return p.cmd.Process.Pid }

// signal sends the step's signal to the group, and to the rest of the tree where
// that counts. It reports whether it arrived anywhere.
func (p *process) signal(step core.Step) bool {
	sig := unix.SIGTERM
	if step == core.StepKill {
		sig = unix.SIGKILL
	}
	if p.tree {
		p.noteKin()
	}
	arrived := send(-p.id(), sig)
	if p.tree {
		for _, pid := range p.outsiders() {
			arrived = send(pid, sig) || arrived
			if !slices.Contains(p.known, pid) {
				p.known = append(p.known, pid) // to be waited for
			}
		}
	}
	return arrived
}

// send signals a process, or a group by its negative number, and reports whether
// that was there. A stopped process takes SIGTERM only when it goes on.
func send(pid int, sig syscall.Signal) bool {
	arrived := unix.Kill(pid, sig) == nil
	if sig == unix.SIGTERM {
		unix.Kill(pid, unix.SIGCONT)
	}
	return arrived
}

// alive reports whether a process of the group is left, zombies not counted: a
// group can hold one for ever where its parent, or process 1, does not reap.
func (p *process) alive() bool {
	empty := unix.Kill(-p.id(), 0) == unix.ESRCH
	if empty && !p.tree {
		return false
	}
	// A look at all processes is dear; most looks find again what the last found.
	for _, pid := range p.known {
		if p.isMember(pid) {
			return true
		}
	}
	members, err := p.members()
	if err != nil {
		return !empty
	}
	if p.tree {
		members = append(members, p.outsiders()...)
	}
	p.known = members
	return len(members) > 0
}

// left returns what still runs of the job, in the order of their numbers.
func (p *process) left() []core.Process {
	pids, err := p.members()
	if err != nil {
		return nil
	}
	if p.tree {
		pids = append(pids, p.outsiders()...)
	}
	slices.Sort(pids)
	var left []core.Process
	for _, pid := range slices.Compact(pids) {
		left = append(left, core.Process{PID: pid, Name: processName(pid)})
	}
	return left
}

func (p *process) close() {}

func signalOf(state *os.ProcessState) string {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	return unix.SignalName(ws.Signal())
}
