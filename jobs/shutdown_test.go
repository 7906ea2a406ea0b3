package jobs

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
)

func TestShutdownMayBeCalledAgainAndByMany(t *testing.T) {
	noLeak(t)
	d := start(t, Options{})
	submitFunc(t, d, core.Submission{}, obedient)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := d.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := d.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := d.SubmitFunc(core.Submission{Name: "x"}, nothing); !errors.Is(err, core.ErrClosed) {
		t.Errorf("submit after the shutdown: %v", err)
	}
	if n := len(d.List()); n != 1 {
		t.Errorf("%d jobs to be seen after the shutdown", n)
	}
}

func TestShutdownWaitsForTheGraceOfACommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{Grace: 7 * time.Second})
		p := newProcess(core.StepKill)
		id := submitRunner(t, d, core.Submission{Name: "cmd"}, p)
		begin := time.Now()
		if err := d.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 7*time.Second {
			t.Errorf("took %s", took)
		}
		if j := get(t, d, id); j.State != core.Interrupted {
			t.Errorf("%s", j.State)
		}
	})
}

func TestShutdownThatMayNotWaitKills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := newProcess(core.StepKill)
		command := submitRunner(t, d, core.Submission{Name: "cmd"}, p)
		f := make(deaf)
		parent := group(t, d, "", obedient)
		stuck := submitFunc(t, d, core.Submission{Parent: parent}, f.run)
		waitState(t, d, stuck, core.Running)
		ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
		defer stop()
		begin := time.Now()
		err = d.Shutdown(ctx)
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("took %s", took)
		}
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), string(stuck)) || strings.Contains(err.Error(), string(command)) {
			t.Errorf("error %v, want one that names %s alone", err, stuck)
		}
		for _, id := range []core.JobID{command, parent, stuck} {
			if j := get(t, d, id); j.State != core.Interrupted {
				t.Errorf("%s is %s", j.Name, j.State)
			}
		}
		if c := get(t, d, command).Cancellation; c.Step != core.StepKill {
			t.Errorf("the command: %+v", c)
		}
		last := get(t, d, stuck)
		f <- nil // it returns in the end, and moves nothing
		synctest.Wait()
		if get(t, d, stuck) != last {
			t.Error("a job that was given up came back")
		}
	})
}

func TestShutdownInterruptsAPendingTreeChildrenFirst(t *testing.T) {
	d := start(t, Options{Slots: 1})
	f := make(deaf)
	submitFunc(t, d, core.Submission{}, f.run)
	parent := submitFunc(t, d, core.Submission{}, nothing)
	child := submitFunc(t, d, core.Submission{Parent: parent}, nothing)
	over := make(chan error)
	go func() { over <- d.Shutdown(context.Background()) }()
	p := waitOver(t, d, parent)
	c := waitOver(t, d, child)
	if p.State != core.Interrupted || c.State != core.Interrupted || c.Rev > p.Rev || c.StartedAt != 0 {
		t.Errorf("parent %s at %d, child %s at %d", p.State, p.Rev, c.State, c.Rev)
	}
	f <- core.ErrCancelled
	if err := <-over; err != nil {
		t.Error(err)
	}
}
