//go:build unix

package tuitest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
)

// Program is a program that runs on a terminal.
type Program struct {
	*Term
	cmd    *exec.Cmd
	master *os.File
	exited chan struct{} // closed when it has ended and all its output is on the screen
	feeder sync.WaitGroup
}

// StartWith is [Start] with everything that can differ.
func StartWith(t T, o Options, c Command) *Program {
	t.Helper()
	x := newTerm(t, o)
	if len(c.Argv) == 0 {
		t.Fatalf("no program to start")
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.environ(x)
	master, err := pty.StartWithSize(cmd, winsize(x.Size()))
	if err != nil {
		t.Fatalf("start %s: %v", c.Argv[0], err)
	}
	x.tty = func(w, h int) error { return pty.Setsize(master, winsize(w, h)) }
	p := &Program{Term: x, cmd: cmd, master: master, exited: make(chan struct{})}
	p.feeder.Go(p.feed)
	go p.run()
	t.Cleanup(p.end)
	return p
}

func winsize(w, h int) *pty.Winsize { return &pty.Winsize{Cols: uint16(w), Rows: uint16(h)} }

// feed types what waits on the keyboard. It ends when the terminal is closed.
func (p *Program) feed() {
	buf := make([]byte, 64<<10)
	for {
		n, err := p.keys.Read(buf)
		if err != nil {
			return
		}
		if _, err := p.master.Write(buf[:n]); err != nil {
			return
		}
	}
}

// lastOutput is how long the output is waited for after the program's end. It
// is there already; only something that the program left behind can keep the
// pseudo-terminal open.
const lastOutput = time.Second

// run shows the output, and ends with the program.
func (p *Program) run() {
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		p.show()
	}()
	_ = p.cmd.Wait()
	select {
	case <-shown:
	case <-time.After(lastOutput):
	}
	_ = p.master.Close()
	<-shown
	p.mu.Lock()
	p.log.end()
	p.mu.Unlock()
	close(p.exited)
}

// show writes the output to the terminal until the program's side is closed. A
// read can end within a character, and the emulator would then draw its two
// halves: such a piece waits a moment for the next one.
func (p *Program) show() {
	pieces := make(chan []byte)
	go func() {
		defer close(pieces)
		for {
			buf := make([]byte, 32<<10)
			n, err := p.master.Read(buf)
			if n > 0 {
				pieces <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	for piece := range pieces {
		for more := true; more && piece[len(piece)-1] >= utf8.RuneSelf; {
			select {
			case next, ok := <-pieces:
				piece, more = append(piece, next...), ok
			case <-time.After(5 * time.Millisecond):
				more = false
			}
		}
		_, _ = p.Write(piece)
	}
}

// PID is the program's process id, which is also its process group's.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Signal sends the program a signal.
func (p *Program) Signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatalf("send %v: %v", s, err)
	}
}

// Exited is closed once the program has ended and all it wrote is on the screen.
func (p *Program) Exited() <-chan struct{} { return p.exited }

// Wait waits for the program's end and returns its exit code, or 128 and the
// signal's number. The test fails with the screen when it does not end within
// the timeout of the options, or of within where that is given.
func (p *Program) Wait(within ...time.Duration) int {
	p.t.Helper()
	d := p.o.Timeout
	if len(within) > 0 {
		d = within[0]
	}
	select {
	case <-p.exited:
		return p.code()
	case <-time.After(d):
		p.t.Fatalf("the program has not ended within %v\n%s", d, p.Framed(p.Text()))
		return -1
	}
}

func (p *Program) code() int {
	if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}

// Times returns how much of the processors the program used, once it has ended.
func (p *Program) Times() (user, system time.Duration) {
	<-p.exited
	return p.cmd.ProcessState.UserTime(), p.cmd.ProcessState.SystemTime()
}

// end ends the program: first by what the end of its terminal does to it, then
// by force, with everything in its process group.
func (p *Program) end() {
	_ = p.Close()
	select {
	case <-p.exited:
	default:
		_ = p.cmd.Process.Signal(syscall.SIGHUP)
		select {
		case <-p.exited:
		case <-time.After(p.o.EndWithin):
			_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
			<-p.exited
		}
	}
	p.feeder.Wait()
}

// Kill ends the program and its process group at once.
func (p *Program) Kill() error {
	if err := syscall.Kill(-p.PID(), syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill process group %d: %w", p.PID(), err)
	}
	return nil
}
