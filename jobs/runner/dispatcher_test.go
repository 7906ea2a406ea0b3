//go:build linux || darwin

package runner

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dcctop/core"
)

// dispatcherMain is a small dispatcher: it runs the scripts in its arguments as
// jobs, passes on what they print, and lives until it is killed.
func dispatcherMain() {
	guard, err := StartGuard(os.Args[1])
	if err != nil {
		fmt.Println("error", err)
		return
	}
	for i, script := range os.Args[2:] {
		c, err := NewCommand(CommandOptions{Argv: []string{"sh", "-c", script}, JobID: core.JobID(fmt.Sprint("job-", i)), Guard: guard})
		if err != nil {
			fmt.Println("error", err)
			return
		}
		go c.Run(context.Background(), stdout{})
	}
	tick := time.NewTicker(time.Millisecond)
	for last := 0; ; <-tick.C {
		if h := guard.current(); h != nil && h.cmd.Process.Pid != last {
			last = h.cmd.Process.Pid
			fmt.Println("guard", last) // which has been told all by now
		}
	}
}

// current returns the helper.
func (g *Guard) current() *helper {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.helper
}

type stdout struct{ discard }

func (stdout) Write(p []byte) (int, error) { return os.Stdout.Write(p) }

// killed is a dispatcher in a process of its own.
type killed struct {
	cmd   *exec.Cmd
	lines chan announced
	procs []announced
	guard int // the last helper that knows all
}

// announced is a line "name pid".
type announced struct {
	name string
	pid  int
}

// startDispatcher starts one with the scripts as jobs, and waits for its guard and
// as many processes as say their name.
func startDispatcher(t testing.TB, scripts []string, procs int) *killed {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k := &killed{cmd: exec.Command(self, append([]string{rand.Text()}, scripts...)...), lines: make(chan announced, 1000)}
	k.cmd.Env = append(os.Environ(), "DCCTOP_TEST_PART=dispatcher")
	k.cmd.Stderr = os.Stderr
	out, err := k.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := k.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the dispatcher
		defer close(k.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var s announced
			fmt.Sscan(lines.Text(), &s.name, &s.pid)
			k.lines <- s
		}
	}()
	t.Cleanup(k.kill)
	for len(k.procs) < procs || k.guard == 0 {
		k.next(t)
	}
	for _, p := range k.procs {
		if !running(p.pid) {
			t.Errorf("%s does not run: nothing is tested", p.name)
		}
	}
	return k
}

// next takes the next line.
func (k *killed) next(t testing.TB) {
	t.Helper()
	select {
	case s := <-k.lines:
		switch {
		case s.pid == 0:
			t.Fatalf("the dispatcher says %q, or has ended; up are %v", s.name, k.procs)
		case s.name == "guard":
			k.guard = s.pid
		default:
			k.procs = append(k.procs, s)
		}
	case <-time.After(bound):
		t.Fatalf("only %v came up", k.procs)
	}
}

func (k *killed) kill() {
	k.cmd.Process.Signal(unix.SIGKILL)
	k.cmd.Wait()
}

func (k *killed) gone(t testing.TB) {
	t.Helper()
	for _, p := range k.procs {
		gone(t, p.name, p.pid)
	}
}
