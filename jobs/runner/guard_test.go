//go:build linux || darwin

package runner

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
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
	select {}
}

type stdout struct{ discard }

func (stdout) Write(p []byte) (int, error) { return os.Stdout.Write(p) }

// gone waits until a process is, at most until the deadline.
func gone(t *testing.T, what string, pid int, deadline time.Time) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for running(pid) {
		if time.Now().After(deadline) {
			t.Errorf("%s, process %d, is left", what, pid)
			return
		}
		<-tick.C
	}
}

// Case 11: kill -9 the dispatcher.
func TestADispatcherThatIsKilledLeavesNoProcess(t *testing.T) {
	scripts := []string{
		`sleep 1000 & echo child $!; echo leader $$; wait`,
		`trap '' TERM HUP INT; echo stubborn $$; while :; do sleep 1000; done`,
	}
	wanted := 3
	if _, err := exec.LookPath("setsid"); err == nil && runtime.GOOS == "linux" {
		scripts = append(scripts, `setsid sh -c 'trap "" TERM; echo daemon $$; while :; do sleep 1000; done' & wait`)
		wanted++
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dispatcher := exec.Command(self, append([]string{rand.Text()}, scripts...)...)
	dispatcher.Env = append(os.Environ(), "DCCTOP_TEST_PART=dispatcher")
	dispatcher.Stderr = os.Stderr
	out, err := dispatcher.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := dispatcher.Start(); err != nil {
		t.Fatal(err)
	}
	timeout := time.AfterFunc(bound, func() { dispatcher.Process.Kill() })
	defer timeout.Stop()
	pids := make(map[string]int)
	for lines := bufio.NewScanner(out); len(pids) < wanted && lines.Scan(); {
		var name string
		var pid int
		if n, _ := fmt.Sscan(lines.Text(), &name, &pid); n != 2 {
			t.Errorf("dispatcher: %s", lines.Text())
			break
		}
		pids[name] = pid
	}
	for name, pid := range pids {
		if !running(pid) {
			t.Errorf("%s does not run: nothing is tested", name)
		}
	}
	start := time.Now()
	dispatcher.Process.Signal(unix.SIGKILL)
	dispatcher.Wait()
	if len(pids) < wanted {
		t.Fatalf("only %v came up", pids)
	}
	for name, pid := range pids {
		gone(t, name, pid, start.Add(2*time.Second))
	}
	t.Logf("%d processes gone %s after kill -9", len(pids), time.Since(start).Round(time.Millisecond))
}

// sleeper starts a process in a group of its own and ends it after the test.
func sleeper(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid
}

func startGuard(t *testing.T) *Guard {
	t.Helper()
	g, err := StartGuard(rand.Text())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// abandon ends the helper's input as the death of the dispatcher does, and waits
// for its end.
func abandon(t *testing.T, g *Guard) {
	t.Helper()
	g.helper.stdin.Close()
	select {
	case <-g.helper.gone:
	case <-time.After(bound):
		t.Fatal("the helper does not end")
	}
}

func TestTheGuardKillsTheGroupsThatItKnows(t *testing.T) {
	g := startGuard(t)
	kept, removed := sleeper(t), sleeper(t)
	for _, pid := range []int{kept, removed} {
		if err := g.Add(pid); err != nil {
			t.Fatal(err)
		}
	}
	g.Remove(removed)
	abandon(t, g)
	gone(t, "the group", kept, time.Now().Add(bound))
	if !running(removed) {
		t.Error("a group that was removed was killed")
	}
}

func TestAnOrderlyCloseOfTheGuardKillsNothing(t *testing.T) {
	g := startGuard(t)
	pid := sleeper(t)
	if err := g.Add(pid); err != nil {
		t.Fatal(err)
	}
	helper := g.helper
	for range 2 {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
	select {
	case <-helper.gone:
		if !helper.cmd.ProcessState.Success() {
			t.Errorf("the helper did not go by itself: %v", helper.cmd.ProcessState)
		}
	default:
		t.Error("the helper is left")
	}
	if !running(pid) {
		t.Error("the group was killed")
	}
	if err := g.Add(pid); err == nil {
		t.Error("a closed guard claims to guard")
	}
}

func TestAGuardThatWasKilledIsReplacedWithAllThatRuns(t *testing.T) {
	g := startGuard(t)
	first, second := sleeper(t), sleeper(t)
	if err := g.Add(first); err != nil {
		t.Fatal(err)
	}
	old := g.helper
	old.cmd.Process.Kill()
	<-old.gone
	if !running(first) {
		t.Error("the death of the guard killed the group")
	}
	if err := g.Add(second); err != nil {
		t.Fatal(err)
	}
	if g.helper == old {
		t.Fatal("no other helper was started")
	}
	abandon(t, g)
	gone(t, "the group of before", first, time.Now().Add(bound))
	gone(t, "the group of after", second, time.Now().Add(bound))
}

func TestAGuardThatWasStoppedDoesNotStopTheJobs(t *testing.T) {
	g := startGuard(t)
	pid := sleeper(t)
	if err := g.Add(pid); err != nil {
		t.Fatal(err)
	}
	old := g.helper
	old.cmd.Process.Signal(unix.SIGSTOP)
	start := time.Now()
	for g.helper == old && time.Since(start) < bound { // until its pipe is full
		if err := g.Add(pid); err != nil {
			t.Fatal(err)
		}
	}
	if g.helper == old {
		t.Fatal("no other helper was started")
	}
	abandon(t, g)
	gone(t, "the group", pid, time.Now().Add(bound))
}

func TestNoCtrlCReachesTheGuard(t *testing.T) {
	g := startGuard(t)
	pid := sleeper(t)
	if err := g.Add(pid); err != nil {
		t.Fatal(err)
	}
	helper := g.helper.cmd.Process
	if sid, err := unix.Getsid(helper.Pid); err != nil || sid != helper.Pid {
		t.Errorf("its session is %d, %v, not its own", sid, err)
	}
	trapped(t, helper.Pid)
	for _, sig := range []syscall.Signal{unix.SIGINT, unix.SIGHUP, unix.SIGTERM, unix.SIGQUIT} {
		helper.Signal(sig)
	}
	abandon(t, g)
	gone(t, "the group", pid, time.Now().Add(bound))
}

func TestACookieThatCouldMatchAnythingIsRefused(t *testing.T) {
	for _, cookie := range []string{"", "short", "with a blank in it", "a-cookie\nadd 1", strings.Repeat("x", 65)} {
		if _, err := StartGuard(cookie); err == nil {
			t.Errorf("%q was taken", cookie)
		}
	}
}

func TestNoGuardGuardsNothing(t *testing.T) {
	var g *Guard
	if err := g.Add(1); err != nil {
		t.Error(err)
	}
	g.Remove(1)
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
