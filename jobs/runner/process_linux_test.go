package runner

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dcctop/core"
)

func TestTermReachesAStoppedProcess(t *testing.T) {
	j := run(t, CommandOptions{}, `echo up $$; kill -STOP $$; sleep 1000`)
	waitStopped(t, j.pid(t, "up"))
	if !j.Stop(core.StepTerm) {
		t.Error("the signal reached nothing")
	}
	if r := j.result(t); !r.Signalled || r.Exit.Signal != "SIGTERM" {
		t.Errorf("result: %+v", r)
	}
}

func TestTermReachesAStoppedProcessInASessionOfItsOwn(t *testing.T) {
	j := run(t, CommandOptions{JobID: uniqueID()}, `setsid sh -c 'echo own $$; kill -STOP $$; sleep 1000' & wait`)
	pid := j.pid(t, "own")
	waitStopped(t, pid)
	j.Stop(core.StepTerm)
	if r := j.result(t); !r.Signalled || r.Exit.Signal != "SIGTERM" || running(pid) { // with no StepKill
		t.Errorf("result: %+v", r)
	}
}

// waitStopped waits until a process is stopped.
func waitStopped(t *testing.T, pid int) {
	t.Helper()
	stat := filepath.Join("/proc", strconv.Itoa(pid), "stat")
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for start := time.Now(); ; <-tick.C {
		if b, err := os.ReadFile(stat); err != nil || time.Since(start) > bound {
			t.Fatal("it does not stop")
		} else if strings.Contains(string(b), ") T ") {
			return
		}
	}
}

// The dispatcher may die while it is stopped, and it must do its work then.
func TestAGuardThatSomebodyStopsGoesOnAtOnce(t *testing.T) {
	g := startGuard(t)
	pid := sleeper(t)
	if err := g.Add(pid); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		g.current().cmd.Process.Signal(unix.SIGSTOP)
	}
	abandon(t, g)
	gone(t, "the group", pid)
}

func TestWhatIsStartedByAProgramThatIsEndingEndsToo(t *testing.T) {
	j := run(t, CommandOptions{}, `trap 'sleep 1000 & echo child $!; exit 0' TERM; echo up $$; while :; do sleep 1000 & wait $!; done`)
	j.pid(t, "up")
	j.Stop(core.StepTerm)
	r := j.result(t) // with no StepKill
	if !r.Signalled || r.Exit.Code != 0 || running(j.pid(t, "child")) {
		t.Errorf("result: %+v", r)
	}
}

func TestAHelperOfAChildThatCleansUpIsNotDisturbed(t *testing.T) {
	fifo := fifo(t)
	j := run(t, CommandOptions{Env: []string{"FIFO=" + fifo}},
		`sh -c 'trap "echo cleaning; cat \$FIFO; echo clean; exit" TERM; echo up $$; while :; do sleep 1000 & wait $!; done' & wait`)
	j.pid(t, "up")
	j.Stop(core.StepTerm)
	j.leaderGone(t)
	j.until(t, "the clean-up", func() bool { return strings.Contains(j.text.String(), "cleaning\n") })
	for range 20 { // as often as the runner would in as many polls
		j.mu().Lock()
		j.proc.alive()
		j.proc.remind()
		j.mu().Unlock()
	}
	in, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits for cat to open it
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.WriteString("tidied\n"); err != nil {
		t.Errorf("the helper is gone: %v", err)
	}
	in.Close()
	if r := j.result(t); !r.Signalled || !strings.HasSuffix(j.String(), "cleaning\ntidied\nclean\n") {
		t.Errorf("result: %+v, output %q", r, j)
	}
}

// fifo returns a named pipe: who opens one end waits for who opens the other.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAGroupOfZombiesIsEmpty(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid")
	}
	// The subshell starts a child in the group and becomes a program that never
	// reaps it, in a session of its own. The child ends as what is left behind.
	j := run(t, CommandOptions{Env: []string{"FIFO=" + fifo(t)}},
		`(sleep 1000 & echo zombie $!; exec setsid sh -c 'echo reaper $$; : >$FIFO; exec sleep 1000 >/dev/null 2>&1') & : <$FIFO`)
	reaper, zombie := j.pid(t, "reaper"), j.pid(t, "zombie")
	defer unix.Kill(reaper, unix.SIGKILL)
	if r := j.result(t); r.Err != nil {
		t.Errorf("result: %+v", r)
	}
	if err := unix.Kill(zombie, 0); err != nil || !running(reaper) {
		t.Errorf("there is no zombie (%v) or nobody who does not reap it (%v): nothing was tested", err, running(reaper))
	}
}

func TestADaemonThatHoldsThePipeOpenDoesNotHoldTheJob(t *testing.T) {
	j := run(t, CommandOptions{JobID: uniqueID(), Env: []string{"FIFO=" + fifo(t)}},
		`setsid sh -c 'echo daemon $$; : >$FIFO; exec sleep 1000' & sleep 1000 & : <$FIFO`)
	daemon := j.pid(t, "daemon")
	defer unix.Kill(daemon, unix.SIGKILL)
	if r := j.result(t); r.Err != nil {
		t.Errorf("result: %+v", r)
	}
	if !running(daemon) {
		t.Error("a daemon of a command that nobody stopped was killed")
	}
}

// Case 26: a grandchild in a session of its own.
func TestAStopReachesWhatLeftTheGroup(t *testing.T) {
	j := run(t, CommandOptions{JobID: uniqueID()},
		`setsid sh -c 'echo meek $$; exec sleep 1000' & setsid sh -c 'trap "" TERM; echo stubborn $$; while :; do sleep 1000; done' & wait`)
	meek, stubborn := j.pid(t, "meek"), j.pid(t, "stubborn")
	j.Stop(core.StepTerm)
	j.leaderGone(t)
	if !running(stubborn) {
		t.Fatal("it does not ignore the signal")
	}
	select {
	case r := <-j.done:
		t.Errorf("over while a process of it lives: %+v", r)
		j.done <- r
	default:
	}
	j.Stop(core.StepKill)
	if r := j.result(t); !r.Signalled {
		t.Errorf("result: %+v", r)
	}
	if running(meek) || running(stubborn) {
		t.Error("a process is left")
	}
}

func TestOneJobsStopDoesNotReachAnother(t *testing.T) {
	guard, id := startGuard(t), uniqueID()
	for _, ids := range [][2]core.JobID{{id, id + "b"}, {"", ""}} {
		a := run(t, CommandOptions{JobID: ids[0], Guard: guard}, `echo up $$; exec sleep 1000`)
		b := run(t, CommandOptions{JobID: ids[1], Guard: guard}, `echo up $$; exec sleep 1000`)
		a.pid(t, "up")
		other := b.pid(t, "up")
		a.Stop(core.StepKill)
		a.result(t)
		if !running(other) {
			t.Errorf("stopping %q ended %q", ids[0], ids[1])
		}
	}
}

func TestTheStatOfAProcessIsReadWhateverItsName(t *testing.T) {
	for _, c := range []struct {
		stat  string
		group int
	}{
		{"12 (sh) S 1 34 34 0", 34},
		{"12 (a) Z 9 (b) R 1 34 34 0", 34},
		{"12 (sh) Z 1 34 34 0", 0},
		{"12 (sh) X 1 34 34 0", 0},
		{"12 (sh) S 1", 0},
		{"12 (sh) S 1 x 34", 0},
		{"", 0},
	} {
		if got, ok := parseStat([]byte(c.stat)); got.group != c.group || ok != (c.group != 0) {
			t.Errorf("%q: group %d, %v, want %d", c.stat, got.group, ok, c.group)
		}
	}
}

func TestAMarkIsAWholeEntry(t *testing.T) {
	env := []byte("A=1\x00DCCTOP_JOB_ID=job-1\x00B=DCCTOP_JOB_ID=job-2\x00DCCTOP_COOKIE=x\x00")
	for _, c := range []struct {
		marks []string
		want  bool
	}{
		{[]string{"DCCTOP_JOB_ID=job-1"}, true},
		{[]string{"DCCTOP_JOB_ID=job-1", "DCCTOP_COOKIE=x"}, true},
		{nil, false},
		{[]string{"DCCTOP_JOB_ID=job"}, false},
		{[]string{"DCCTOP_JOB_ID=job-2"}, false},
		{[]string{"DCCTOP_JOB_ID=job-1", "DCCTOP_COOKIE=y"}, false},
	} {
		p := proc{marks: marksIn(env)}
		if got := p.carries(c.marks); got != c.want {
			t.Errorf("%q: %v", c.marks, got)
		}
	}
}

func TestWhatSigtermWouldEnd(t *testing.T) {
	for _, c := range []struct {
		status      string
		parent      int
		defenceless bool
	}{
		{"Name:\tsh\nPPid:\t7\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000010002\n", 7, true},
		{"PPid:\t7\nSigBlk:\t0000000000004000\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000000000\n", 7, false},
		{"PPid:\t7\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000004000\nSigCgt:\t0000000000000000\n", 7, false},
		{"PPid:\t7\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000004000\n", 7, false},
		{"PPid:\t7\nSigBlk:\t0\n", 7, false},
		{"", 0, false},
	} {
		if parent, defenceless := parseStatus([]byte(c.status)); parent != c.parent || defenceless != c.defenceless {
			t.Errorf("%q: %d %v", c.status, parent, defenceless)
		}
	}
}

func ignoresTerm(pid int) bool {
	status, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	for line := range strings.Lines(string(status)) {
		if mask, ok := strings.CutPrefix(line, "SigIgn:"); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			return err == nil && n&(1<<(unix.SIGTERM-1)) != 0
		}
	}
	return false
}

// uniqueID is not that of a job of another test that runs at the same time, in
// another process too: a Stop would reach that.
func uniqueID() core.JobID { return core.JobID("test-" + rand.Text()) }

func TestJobsLeaveNoOpenFilesBehind(t *testing.T) {
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	guard := startGuard(t)
	try := func(stop bool) {
		c, err := NewCommand(CommandOptions{Argv: []string{"true"}, Guard: guard})
		if err != nil {
			t.Fatal(err)
		}
		if stop {
			c.Stop(core.StepTerm)
		}
		c.Run(t.Context(), newHeard())
	}
	try(false) // the guard and what the runtime keeps for itself
	before := open()
	for range 20 {
		try(false)
		try(true)
	}
	if after := open(); after > before {
		t.Errorf("%d open files before, %d after", before, after)
	}
}
