//go:build linux || darwin

package runner

import (
	"crypto/rand"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// gone waits until a process is, however long that takes on a busy machine.
func gone(t testing.TB, what string, pid int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for start := time.Now(); running(pid); <-tick.C {
		if time.Since(start) > bound {
			t.Errorf("%s, process %d, is left", what, pid)
			return
		}
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
	d := startDispatcher(t, scripts, wanted)
	start := time.Now()
	d.kill()
	d.gone(t)
	t.Logf("%d processes gone %s after kill -9", len(d.procs), time.Since(start).Round(time.Millisecond))
}

// Case 11 again, with its helper killed before and nothing submitted since.
func TestADispatcherThatIsKilledAfterItsGuardLeavesNoProcess(t *testing.T) {
	d := startDispatcher(t, []string{`trap '' TERM HUP INT; echo stubborn $$; while :; do sleep 1000; done`}, 1)
	for range 3 {
		unix.Kill(d.guard, unix.SIGKILL)
		for old := d.guard; d.guard == old; {
			d.next(t)
		}
	}
	d.kill()
	d.gone(t)
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
// for its end. No other helper follows it: the dispatcher is dead.
func abandon(t *testing.T, g *Guard) {
	t.Helper()
	g.mu.Lock()
	h := g.helper
	g.helper, g.closed = nil, true
	h.stdin.Close()
	g.mu.Unlock()
	select {
	case <-h.gone:
	case <-time.After(bound):
		h.cmd.Process.Kill()
		t.Fatal("the helper does not end")
	}
}

// another waits for a helper in place of an old one.
func another(t *testing.T, g *Guard, old *helper) *helper {
	t.Helper()
	timeout := time.After(bound)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if h := g.current(); h != nil && h != old {
			return h
		}
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatal("no other helper was started")
		}
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
	gone(t, "the group", kept)
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
	helper := g.current()
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
	old := g.current()
	old.cmd.Process.Kill()
	<-old.gone
	if !running(first) {
		t.Error("the death of the guard killed the group")
	}
	if err := g.Add(second); err != nil {
		t.Fatal(err)
	}
	if g.current() == old {
		t.Fatal("no other helper was started")
	}
	abandon(t, g)
	gone(t, "the group of before", first)
	gone(t, "the group of after", second)
}

func TestAGuardThatWasKilledIsReplacedThoughNothingNewIsStarted(t *testing.T) {
	g := startGuard(t)
	pid := sleeper(t)
	if err := g.Add(pid); err != nil {
		t.Fatal(err)
	}
	for range 4 { // one after the other
		old := g.current()
		old.cmd.Process.Kill()
		another(t, g, old)
	}
	abandon(t, g)
	gone(t, "the group", pid)
}

func TestAGuardThatKeepsDyingIsReplacedLessAndLessOften(t *testing.T) {
	g := &Guard{}
	if first, second := g.mourn(time.Second), g.mourn(time.Second); first != 0 || second != guardFirst {
		t.Errorf("pauses of %s and %s, want none and %s", first, second, guardFirst)
	}
	for range 100 {
		g.mourn(0)
	}
	if pause := g.mourn(0); pause != guardMost {
		t.Errorf("in the end a pause of %s, want %s", pause, guardMost)
	}
	if pause := g.mourn(guardSteady); pause != 0 {
		t.Errorf("a pause of %s after one that lived long", pause)
	}
}

func TestAGuardIsClosedWhileAnotherHelperIsWaitedFor(t *testing.T) {
	g := startGuard(t)
	if err := g.Add(sleeper(t)); err != nil {
		t.Fatal(err)
	}
	g.mu.Lock()
	g.pause = time.Hour
	old := g.helper
	g.mu.Unlock()
	old.cmd.Process.Kill()
	<-old.gone
	if err := g.Close(); err != nil { // waits for all that it started
		t.Error(err)
	}
}

// A helper that takes nothing: the pipe to it is full in the end.
func TestAGuardThatDoesNotListenDoesNotStopTheJobs(t *testing.T) {
	g := startGuard(t)
	pid := sleeper(t)
	deaf := deafHelper(t)
	g.mu.Lock()
	g.helper = deaf
	g.mu.Unlock()
	for start := time.Now(); g.current() == deaf && time.Since(start) < bound; {
		if err := g.Add(pid); err != nil {
			t.Fatal(err)
		}
	}
	if g.current() == deaf {
		t.Fatal("no other helper was started")
	}
	abandon(t, g)
	gone(t, "the group", pid)
}

func deafHelper(t *testing.T) *helper {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &helper{cmd: cmd, stdin: w, gone: make(chan struct{})}
	go func() {
		defer close(h.gone)
		cmd.Wait()
	}()
	t.Cleanup(func() {
		h.kill()
		r.Close()
	})
	return h
}

func TestNoCtrlCReachesTheGuard(t *testing.T) {
	g := startGuard(t)
	pid := sleeper(t)
	if err := g.Add(pid); err != nil {
		t.Fatal(err)
	}
	helper := g.current().cmd.Process
	if sid, err := unix.Getsid(helper.Pid); err != nil || sid != helper.Pid {
		t.Errorf("its session is %d, %v, not its own", sid, err)
	}
	trapped(t, helper.Pid)
	for _, sig := range []syscall.Signal{unix.SIGINT, unix.SIGHUP, unix.SIGTERM, unix.SIGQUIT} {
		helper.Signal(sig)
	}
	abandon(t, g)
	gone(t, "the group", pid)
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
