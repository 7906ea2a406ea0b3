//go:build linux || darwin

package runner

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dcctop/core"
)

func TestBothStreamsOfACommandComeInOrder(t *testing.T) {
	j := run(t, CommandOptions{}, `for i in 1 2 3; do echo out $i; echo err $i >&2; done; printf 'no end'`)
	if r := j.result(t); r.Err != nil || *r.Exit != (core.Exit{}) || r.Signalled {
		t.Errorf("result: %+v", r)
	}
	if want := "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nno end"; j.String() != want {
		t.Errorf("output %q, want %q", j, want)
	}
}

func TestACommandHasNoInput(t *testing.T) {
	if r := run(t, CommandOptions{Argv: []string{"cat"}}, "").result(t); r.Err != nil {
		t.Errorf("cat ended with %v", r.Err)
	}
}

func TestACommandRunsInItsDirectoryWithItsEnvironmentAndMarks(t *testing.T) {
	t.Setenv("DCCTOP_TEST_INHERITED", "yes")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	guard := startGuard(t)
	j := run(t, CommandOptions{Dir: dir, JobID: "job-1", Guard: guard,
		Env: []string{"MINE=a b", "DCCTOP_JOB_ID=forged", "DCCTOP_COOKIE=forged"}},
		`pwd; echo "$PWD"; echo $MINE $DCCTOP_TEST_INHERITED $DCCTOP_JOB_ID $DCCTOP_COOKIE`)
	j.result(t)
	if want := dir + "\n" + dir + "\na b yes job-1 " + guard.cookie + "\n"; j.String() != want {
		t.Errorf("got %q, want %q", j, want)
	}
}

func TestAFailureSaysTheStatusAndTheLastLine(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`exit 3`, "exit status 3"},
		{`echo start; printf '\033[31mError:\033[0m no camera\n\n  \n' >&2; exit 3`, "exit status 3: Error: no camera"},
		{`kill -SEGV $$`, "killed by SIGSEGV"},
		{`kill -TERM $$`, "killed by SIGTERM"}, // by another than us
	} {
		r := run(t, CommandOptions{}, c.script).result(t)
		if r.Err == nil || r.Err.Error() != c.want || r.Signalled {
			t.Errorf("%s: %+v, want the error %q", c.script, r, c.want)
		}
		if name := strings.TrimPrefix(c.want, "killed by "); name != c.want && (r.Exit.Code != -1 || r.Exit.Signal != name) {
			t.Errorf("%s: exit %+v", c.script, r.Exit)
		}
	}
}

func TestAProgramThatVanishedIsAnError(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "tool")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := NewCommand(CommandOptions{Argv: []string{tool}})
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(tool)
	if r := c.Run(t.Context(), newHeard()); r.Err == nil || r.Exit != nil || r.Signalled {
		t.Errorf("result: %+v", r)
	}
	if c.Stop(core.StepTerm) {
		t.Error("something was stopped")
	}
}

func TestProgressIsSentOnWhileTheCommandRuns(t *testing.T) {
	j := run(t, CommandOptions{Progress: `frame (\d+) of (\d+)`}, `echo frame 3 of 8; exec sleep 1000`)
	j.until(t, "the progress", func() bool { return len(j.progress) == 1 })
	if want := (core.Progress{Current: 3, Total: 8}); j.progress[0] != want {
		t.Errorf("progress %v, want %v", j.progress[0], want)
	}
}

func TestTenMegabytesWithoutANewlineComeThrough(t *testing.T) {
	j := run(t, CommandOptions{}, `head -c 10000000 /dev/zero; echo; echo ALF_PROGRESS 7%`)
	if r := j.result(t); r.Err != nil {
		t.Fatal(r.Err)
	}
	if j.text.Len() < 10_000_000 || len(j.progress) != 1 {
		t.Errorf("%d bytes, progress %v", j.text.Len(), j.progress)
	}
}

func TestTermReachesTheWholeGroup(t *testing.T) {
	j := run(t, CommandOptions{}, `sleep 1000 & echo child $!; (sleep 1000 & echo grandchild $!; wait); wait`)
	pids := []int{j.pid(t, "child"), j.pid(t, "grandchild")}
	if !j.Stop(core.StepTerm) {
		t.Error("the signal reached nothing")
	}
	r := j.result(t)
	if !r.Signalled || r.Exit == nil || r.Exit.Signal != "SIGTERM" || r.Err.Error() != "killed by SIGTERM" {
		t.Errorf("result: %+v", r)
	}
	for _, pid := range pids {
		if running(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	if j.Stop(core.StepKill) {
		t.Error("something was killed after the end")
	}
}

func TestAnyExitAfterTheSignalIsItsAnswer(t *testing.T) {
	for _, code := range []int{0, 255} {
		script := strings.ReplaceAll(`trap 'echo bye; exit CODE' TERM; echo up $$; while :; do sleep 1000 & wait $!; done`, "CODE", strconv.Itoa(code))
		j := run(t, CommandOptions{}, script)
		j.pid(t, "up")
		if !j.Stop(core.StepTerm) {
			t.Error("the signal reached nothing")
		}
		r := j.result(t)
		if !r.Signalled || r.Exit == nil || r.Exit.Code != code || (r.Err == nil) != (code == 0) {
			t.Errorf("exit %d: result %+v", code, r)
		}
		if !strings.HasSuffix(j.String(), "bye\n") {
			t.Errorf("the last words are missing: %q", j)
		}
	}
}

func TestACommandThatIgnoresTermIsKilled(t *testing.T) {
	j := run(t, CommandOptions{}, `trap '' TERM; sleep 1000 & echo up $!; while :; do wait; done`)
	child := j.pid(t, "up")
	if !j.Stop(core.StepTerm) || !running(child) || j.over {
		t.Error("it does not ignore the signal")
	}
	if !j.Stop(core.StepKill) {
		t.Error("the signal reached nothing")
	}
	if r := j.result(t); !r.Signalled || r.Exit.Signal != "SIGKILL" || running(child) {
		t.Errorf("result: %+v", r)
	}
}

func TestAGroupWhoseLeaderObeyedWaitsForTheNextStep(t *testing.T) {
	j := run(t, CommandOptions{KillAfter: time.Nanosecond},
		`(trap '' TERM; echo stubborn; exec sleep 1000) & echo child $!; wait`)
	child := j.pid(t, "child")
	j.until(t, "the child", func() bool { return strings.Contains(j.text.String(), "stubborn\n") })
	j.Stop(core.StepTerm)
	j.leaderGone(t)
	var killAt time.Time
	for range 5 { // more looks than it would take
		j.look(&killAt)
	}
	if !killAt.IsZero() || j.killing || !running(child) {
		t.Error("the child was not given the time that the caller's ladder gives it")
	}
	if !j.Stop(core.StepKill) {
		t.Error("the second step reached nothing, but the child lives")
	}
	if r := j.result(t); !r.Signalled || r.Exit.Signal != "SIGTERM" || running(child) {
		t.Errorf("result: %+v", r)
	}
}

func TestWhatACommandLeavesBehindGetsTermAndThenKill(t *testing.T) {
	t.Run("obeys", func(t *testing.T) {
		j := run(t, CommandOptions{}, `sleep 1000 & echo child $!`)
		r := j.result(t)
		if r.Err != nil || r.Signalled || running(j.pid(t, "child")) {
			t.Errorf("result: %+v", r)
		}
	})
	t.Run("does not", func(t *testing.T) {
		j := run(t, CommandOptions{KillAfter: 20 * time.Millisecond}, `trap '' TERM; sleep 1000 & echo child $!; exit 4`)
		r := j.result(t)
		if r.Signalled || r.Exit.Code != 4 || running(j.pid(t, "child")) {
			t.Errorf("result: %+v", r)
		}
	})
}

func TestAStopThatComesAfterTheExitIsLate(t *testing.T) {
	t.Run("leader exited, not reaped", func(t *testing.T) {
		c, err := NewCommand(CommandOptions{Argv: []string{"true"}})
		if err != nil {
			t.Fatal(err)
		}
		if c.proc, err = startProcess(c.cmd(&pipes{}), newCensus()); err != nil {
			t.Fatal(err)
		}
		c.proc.waitLeader()
		for _, step := range []core.Step{core.StepTerm, core.StepKill} {
			if c.Stop(step) || c.signalled {
				t.Errorf("%s reached a process that had exited", step)
			}
		}
		if _, err := c.reap(); err != nil {
			t.Errorf("it was not there to be reaped: %v", err)
		}
	})
	t.Run("leader reaped, a child left", func(t *testing.T) {
		j := run(t, CommandOptions{}, `trap '' TERM; sleep 1000 & echo child $!; echo lost; exit 5`)
		child := j.pid(t, "child")
		j.leaderGone(t)
		if j.Stop(core.StepTerm) {
			t.Error("the signal is said to have reached the job")
		}
		if !running(child) {
			t.Error("there is no child left: nothing is tested")
		}
		if j.Stop(core.StepKill) { // hurries the child, KillAfter being an hour
			t.Error("the signal is said to have reached the job")
		}
		if r := j.result(t); r.Signalled || r.Err.Error() != "exit status 5: lost" || running(child) {
			t.Errorf("result: %+v", r)
		}
	})
	t.Run("over", func(t *testing.T) {
		j := run(t, CommandOptions{}, `exit 0`)
		if r := j.result(t); r.Signalled || r.Err != nil {
			t.Errorf("result: %+v", r)
		}
		if j.Stop(core.StepTerm) || j.Stop(core.StepKill) {
			t.Error("something was signalled")
		}
	})
}

func TestAStopBeforeTheStartStartsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "made")
	try := func(t *testing.T, ctx context.Context, stop bool) {
		c, err := NewCommand(CommandOptions{Argv: []string{"touch", file}})
		if err != nil {
			t.Fatal(err)
		}
		if stop && !c.Stop(core.StepTerm) {
			t.Error("the stop is said to have come too late")
		}
		r := c.Run(ctx, newHeard())
		if !r.Signalled || r.Exit != nil || r.Err == nil {
			t.Errorf("result: %+v", r)
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("the command ran")
		}
		if r := c.Run(ctx, newHeard()); r.Err == nil || r.Exit != nil {
			t.Errorf("a second run: %+v", r)
		}
	}
	t.Run("by Stop", func(t *testing.T) { try(t, t.Context(), true) })
	t.Run("by the context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		try(t, ctx, false)
	})
}

func TestTheTokenStepAndTheEndOfTheContextSignalNothing(t *testing.T) {
	c, err := NewCommand(CommandOptions{Argv: []string{"sh", "-c", `echo up $$; exec sleep 1000`}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	h, done := newHeard(), make(chan Result, 1)
	go func() { done <- c.Run(ctx, h) }()
	pid := h.pid(t, "up")
	cancel()
	if c.Stop(core.StepToken) || !running(pid) || c.proc.exited() {
		t.Error("the process was signalled")
	}
	c.Stop(core.StepKill)
	if r := <-done; !r.Signalled || r.Exit.Signal != "SIGKILL" {
		t.Errorf("result: %+v", r)
	}
}

// Case 7: a cancel that crosses the end. Whichever was first, the answer of Stop
// and the result agree, and no process is left.
func TestAStopThatCrossesTheEndHasOneAnswer(t *testing.T) {
	const runs = 200
	var reached, late int
	for i := range runs {
		c, err := NewCommand(CommandOptions{Argv: []string{"true"}})
		if err != nil {
			t.Fatal(err)
		}
		h, done, answer := newHeard(), make(chan Result, 1), make(chan bool)
		timer := time.AfterFunc(time.Duration(i)*10*time.Microsecond, func() { answer <- c.Stop(core.StepTerm) })
		done <- c.Run(t.Context(), h)
		said, r := <-answer, <-done
		timer.Stop()
		if said {
			reached++
		} else {
			late++
		}
		if said != r.Signalled || !r.Signalled && r.Err != nil {
			t.Errorf("stop answered %v, result %+v", said, r)
		}
		if c.proc != nil && unix.Kill(-c.proc.id(), 0) != unix.ESRCH {
			t.Errorf("the group %d is left", c.proc.id())
		}
	}
	t.Logf("%d of %d stops came in time, %d too late", reached, runs, late)
}

// running reports whether a process is alive; a zombie is not.
func running(pid int) bool { return unix.Kill(pid, 0) == nil && liveGroup(pid) != 0 }
