//go:build linux || darwin

package runner

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// guardScript is what the helper runs. It is plain POSIX shell, so that nothing
// has to be installed, and it shares no file with the dispatcher's program,
// which may be replaced while it runs.
//
//go:embed guard.sh
var guardScript string

// How long the helper is waited for.
const (
	guardTell  = time.Second     // for it to take a line
	guardClose = 2 * time.Second // for it to end when told to
)

// helper is one run of the script. Its methods, nil receiver included, are
// called under the guard's lock.
type helper struct {
	cmd    *exec.Cmd
	stdin  *os.File
	broken bool          // it could not be told something
	gone   chan struct{} // closed when it is reaped
}

func startHelper(mark string) (*helper, error) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command(sh, "-c", guardScript, "dcctop-guard")
	cmd.Stdin = r
	cmd.Dir = "/"
	// Nothing of the dispatcher's environment: it may itself be a job of another
	// dispatcher, whose guard would then take this one for a part of it and kill
	// it before it has done its work.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, err
	}
	h := &helper{cmd: cmd, stdin: w, gone: make(chan struct{})}
	go func() { // ends with the helper; close and kill wait for it
		defer close(h.gone)
		keepGoing(cmd.Process.Pid)
		cmd.Wait()
	}()
	if err := h.write(mark + "\n"); err != nil {
		h.kill()
		return nil, err
	}
	return h, nil
}

func (h *helper) alive() bool {
	if h == nil || h.broken {
		return false
	}
	select {
	case <-h.gone:
		return false
	default:
		return true
	}
}

// dead is closed when the helper has ended, in whatever way. It is called without
// the lock too.
func (h *helper) dead() <-chan struct{} { return h.gone }

func (h *helper) tell(verb string, pgid int) error {
	return h.write(fmt.Sprintf("%s %d\n", verb, pgid))
}

// write is bounded: a helper that somebody has stopped must not stop the jobs.
func (h *helper) write(line string) error {
	h.stdin.SetWriteDeadline(time.Now().Add(guardTell))
	if _, err := h.stdin.WriteString(line); err != nil {
		h.broken = true
		return fmt.Errorf("helper does not listen: %w", err)
	}
	return nil
}

// kill ends the helper without letting it do its work.
func (h *helper) kill() {
	if h == nil {
		return
	}
	h.cmd.Process.Kill()
	<-h.gone
	h.stdin.Close()
}

func (h *helper) close() error {
	if h == nil {
		return nil
	}
	err := h.write("bye 0\n")
	if err != nil {
		h.kill() // the end of its input must not look like the end of the dispatcher
		return nil
	}
	timer := time.AfterFunc(guardClose, func() { h.cmd.Process.Kill() })
	defer timer.Stop()
	<-h.gone
	return h.stdin.Close()
}
