package runner

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dcctop/core"
)

// Three ways out of what a job is known by: each leaves one that stays.
const (
	noMark    = `env -i PATH="$PATH" setsid sh -c 'echo nomark $$; exec sleep 1000' >/dev/null 2>&1 & echo nomark $!; wait`
	noParent  = `(env -i PATH="$PATH" setsid sh -c 'echo noparent $$; exec sleep 1000' &); sleep 1000`
	grandTree = `setsid sh -c 'env -i PATH="$PATH" setsid sh -c "echo deep \$\$; trap : TERM; while :; do sleep 1000; done" & wait' & wait`
)

// Case 26 and more: nothing says whose process it is but who started it.
func TestAStopReachesAProcessWithoutEnvironmentInASessionOfItsOwn(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"nomark", noMark},
		{"noparent", noParent},
		{"deep", grandTree},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := run(t, CommandOptions{JobID: uniqueID()}, c.script)
			pid := j.pid(t, c.name)
			waitSession(t, pid)
			j.Stop(core.StepTerm)
			j.leaderGone(t)
			j.Stop(core.StepKill)
			if r := j.result(t); !r.Signalled {
				t.Errorf("result: %+v", r)
			}
			if running(pid) {
				t.Errorf("process %d is left", pid)
				unix.Kill(pid, unix.SIGKILL)
			}
		})
	}
}

// waitSession waits until a process leads a session.
func waitSession(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for start := time.Now(); ; <-tick.C {
		if sid, err := unix.Getsid(pid); err == nil && sid == pid {
			return
		}
		if time.Since(start) > bound {
			t.Fatalf("process %d does not make a session", pid)
		}
	}
}

func TestAnotherProcessWithTheSameNumberIsNotTheJobs(t *testing.T) {
	other := sleeper(t)
	s, ok := readStat(other)
	if !ok || s.start == 0 {
		t.Fatalf("stat of a live process: %+v, %v", s, ok)
	}
	j := run(t, CommandOptions{JobID: uniqueID()}, `echo up $$; exec sleep 1000`)
	j.pid(t, "up")
	j.mu().Lock()
	j.proc.kin = map[int]uint64{other: s.start + 1}
	j.mu().Unlock()
	j.Stop(core.StepKill)
	j.result(t)
	if !running(other) {
		t.Error("a process was killed that only has the number of one of the job's")
	}
}

// named is a sink that is told what outlives a leader.
type named struct {
	*heard
	left chan []core.Process
}

func (n named) Left(left []core.Process) { n.left <- left }

func TestWhatOutlivesTheLeaderIsNamed(t *testing.T) {
	c, err := NewCommand(CommandOptions{JobID: uniqueID(), KillAfter: time.Hour,
		Argv: []string{"sh", "-c", `setsid sh -c 'trap "" TERM; echo stubborn $$; while :; do sleep 1000; done' & wait`}})
	if err != nil {
		t.Fatal(err)
	}
	sink := named{newHeard(), make(chan []core.Process, 100)}
	j := &job{c, sink.heard, make(chan Result, 1)}
	t.Cleanup(func() { c.Stop(core.StepKill) })
	go func() { j.done <- c.Run(context.Background(), sink) }()
	pid := j.pid(t, "stubborn")
	trapped(t, pid)
	c.Stop(core.StepTerm)
	select {
	case left := <-sink.left:
		found := false
		for _, p := range left {
			found = found || p.PID == pid && p.Name == "sh"
		}
		if !found {
			t.Errorf("left: %+v, want process %d, sh", left, pid)
		}
	case <-time.After(bound):
		t.Error("nothing is named")
	}
	c.Stop(core.StepKill)
	j.result(t)
}

// Case 11, with twenty trees: each three deep, deaf to SIGTERM, one in a session
// of its own, one without environment.
func TestTwentyTreesOfAKilledDispatcherAreGone(t *testing.T) {
	d := startDispatcher(t, slicesOf(twenty, deepTree), twenty*deepTreeProcs)
	d.kill()
	d.gone(t)
}

const (
	twenty   = 20
	deepTree = `trap "" TERM HUP INT; echo leader $$
sh -c 'trap "" TERM; setsid sh -c "echo own \$\$; while :; do sleep 1000; done" & while :; do sleep 1000; done' &
env -i PATH="$PATH" setsid sh -c 'trap "" TERM; echo bare $$; while :; do sleep 1000; done' &
while :; do sleep 1000; done`
	deepTreeProcs = 3 // that say their name
)

// BenchmarkGoneAfterKill9 is how long what a killed dispatcher ran is still there:
// for twenty trees, and for one process to compare it with.
func BenchmarkGoneAfterKill9(b *testing.B) {
	for _, c := range []struct {
		name    string
		scripts []string
		procs   int
	}{
		{"one process", []string{`echo up $$; exec sleep 1000`}, 1},
		{"twenty trees", slicesOf(twenty, deepTree), twenty * deepTreeProcs},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				d := startDispatcher(b, c.scripts, c.procs)
				b.StartTimer()
				d.kill()
				d.gone(b)
			}
		})
	}
}

func slicesOf(n int, s string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = s
	}
	return all
}

func TestTheNameOfAProcessIsOneCleanWord(t *testing.T) {
	path := t.TempDir() + "/a\x1b[31m\tb"
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(sleep, path); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	if name := processName(cmd.Process.Pid); name != "a b" || strings.ContainsAny(name, "\x1b\t") {
		t.Errorf("name %q", name)
	}
}

// A command that listens ends by itself, without a Stop.
func TestWhatACancelledCommandLeavesInASessionOfItsOwnIsEnded(t *testing.T) {
	fifo := fifo(t)
	c, err := NewCommand(CommandOptions{JobID: uniqueID(), Env: []string{"FIFO=" + fifo},
		Argv: []string{"sh", "-c", `setsid sh -c 'echo own $$; exec sleep 1000' & ` + strings.TrimSuffix(noMark, "; wait") + `; read line <"$FIFO"`}})
	if err != nil {
		t.Fatal(err)
	}
	j := &job{c, newHeard(), make(chan Result, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	t.Cleanup(func() { c.Stop(core.StepKill) })
	go func() { j.done <- c.Run(ctx, j.heard) }()
	own, bare := j.pid(t, "own"), j.pid(t, "nomark")
	waitSession(t, own)
	waitSession(t, bare)
	cancel()
	for { // until the cancel has arrived
		j.mu().Lock()
		tree := c.proc.tree
		j.mu().Unlock()
		if tree {
			break
		}
	}
	in, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if r := j.result(t); r.Signalled {
		t.Errorf("result: %+v", r)
	}
	if running(own) || running(bare) {
		t.Errorf("left: in a session of its own %v, without environment %v", running(own), running(bare))
		unix.Kill(own, unix.SIGKILL)
		unix.Kill(bare, unix.SIGKILL)
	}
}
