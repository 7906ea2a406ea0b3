package jobs

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

func TestLadder(t *testing.T) {
	t0 := time.Unix(1_700_000_000, 0)
	const grace, killAfter = 30 * time.Second, 10 * time.Second
	at := func(l ladder) (steps []core.Step, secs []float64) {
		for _, r := range l.rungs {
			steps = append(steps, r.step)
			secs = append(secs, r.at.Sub(t0).Seconds())
		}
		return steps, secs
	}
	for _, c := range []struct {
		name  string
		by    core.StopsBy
		kills bool
		do    func(*ladder)
		steps []core.Step
		secs  []float64
	}{
		{"a Go function", core.StopsByToken, false, nil, nil, nil},
		{"a plain process", core.StopsBySignal, true, nil, []core.Step{core.StepTerm, core.StepKill}, []float64{0, 30}},
		{"an attached process", core.StopsByToken, true, nil, []core.Step{core.StepTerm, core.StepKill}, []float64{30, 40}},
		{"a shorter grace", core.StopsByToken, true, func(l *ladder) { l.shorten(t0, t0.Add(5*time.Second)) },
			[]core.Step{core.StepTerm, core.StepKill}, []float64{5, 15}},
		{"a longer grace", core.StopsByToken, true, func(l *ladder) { l.shorten(t0, t0.Add(time.Hour)) },
			[]core.Step{core.StepTerm, core.StepKill}, []float64{30, 40}},
		{"a shorter grace of a plain process", core.StopsBySignal, true, func(l *ladder) { l.shorten(t0, t0.Add(5*time.Second)) },
			[]core.Step{core.StepTerm, core.StepKill}, []float64{0, 5}},
		{"force on an attached process", core.StopsByToken, true, func(l *ladder) { l.force(t0.Add(3 * time.Second)) },
			[]core.Step{core.StepTerm, core.StepKill}, []float64{3, 13}},
		{"force on a plain process", core.StopsBySignal, true, func(l *ladder) { l.took(core.StepTerm, t0); l.force(t0.Add(time.Second)) },
			[]core.Step{core.StepKill}, []float64{1}},
		{"force at the top", core.StopsBySignal, true, func(l *ladder) { l.rungs = nil; l.force(t0.Add(time.Minute)) },
			[]core.Step{core.StepKill}, []float64{60}},
		{"force on a Go function", core.StopsByToken, false, func(l *ladder) { l.force(t0) }, nil, nil},
		{"a script that has not attached", core.StopsBySignal, true, func(l *ladder) { l.await(t0.Add(5 * time.Second)) },
			[]core.Step{core.StepTerm, core.StepKill}, []float64{5, 35}},
		{"a script that attaches", core.StopsBySignal, true, func(l *ladder) { l.await(t0.Add(5 * time.Second)); l.attached() },
			[]core.Step{core.StepTerm, core.StepKill}, []float64{30, 40}},
		{"a script that attaches after a shorter grace was asked for", core.StopsBySignal, true, func(l *ladder) {
			l.await(t0.Add(5 * time.Second))
			l.shorten(t0, t0.Add(12*time.Second))
			l.attached()
		}, []core.Step{core.StepTerm, core.StepKill}, []float64{12, 22}},
		{"a process that attaches after its SIGTERM", core.StopsBySignal, true, func(l *ladder) { l.took(core.StepTerm, t0); l.attached() },
			[]core.Step{core.StepKill}, []float64{30}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLadder(c.by, c.kills, t0, grace, killAfter)
			if c.do != nil {
				c.do(&l)
			}
			if steps, secs := at(l); !slices.Equal(steps, c.steps) || !slices.Equal(secs, c.secs) {
				t.Errorf("steps %v at %v s, want %v at %v s", steps, secs, c.steps, c.secs)
			}
		})
	}
}

// stepsOf returns the steps that p was given, and when, in seconds.
func stepsOf(p *process, from time.Time) (steps []core.Step, secs []float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.stopped {
		secs = append(secs, s.Sub(from).Seconds())
	}
	return slices.Clone(p.stops), secs
}

func TestProcessThatIgnoresTermIsKilledAfterItsGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		p := newProcess(core.StepKill)
		id := submitRunner(t, d, core.Submission{Name: "blender", GraceMS: ptr(int64(12_000))}, p)
		begin := time.Now()
		cancelOK(t, d, id)
		synctest.Wait()
		c := get(t, d, id).Cancellation
		if c.Step != core.StepTerm || c.GraceMS != 12_000 || c.NextStepAt != core.At(begin.Add(12*time.Second)) {
			t.Errorf("after the cancel: %+v", c)
		}
		j := waitOver(t, d, id)
		if c := j.Cancellation; j.State != core.Cancelled || c.Step != core.StepKill || c.NextStepAt != 0 || c.SeenAt != 0 || c.Late {
			t.Errorf("in the end: %s, %+v", j.State, c)
		}
		if steps, secs := stepsOf(p, begin); !slices.Equal(steps, []core.Step{core.StepTerm, core.StepKill}) || !slices.Equal(secs, []float64{0, 12}) {
			t.Errorf("steps %v at %v s", steps, secs)
		}
	})
}

func TestProcessThatObeysTermIsNotKilled(t *testing.T) {
	d := start(t, Options{})
	p := newProcess(core.StepTerm)
	id := submitRunner(t, d, core.Submission{Name: "ffmpeg"}, p)
	cancelOK(t, d, id)
	j := waitOver(t, d, id)
	if j.State != core.Cancelled || j.Cancellation.Step != core.StepTerm || j.Exit == nil || j.Exit.Signal != "SIGTERM" {
		t.Errorf("%s, %+v, exit %+v", j.State, j.Cancellation, j.Exit)
	}
}

// The process is not there yet, or cannot be signalled for a moment.
func TestStepThatReachesNothingIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		p := newProcess(core.StepTerm)
		p.refuse = 3
		id := submitRunner(t, d, core.Submission{Name: "cmd"}, p)
		begin := time.Now()
		cancelOK(t, d, id)
		synctest.Wait()
		if c := get(t, d, id).Cancellation; c.Step != core.StepToken {
			t.Errorf("a step that reached nothing is on the record: %+v", c)
		}
		if j := waitOver(t, d, id); j.State != core.Cancelled || time.Since(begin) > time.Second {
			t.Errorf("%s after %s", j.State, time.Since(begin))
		}
	})
}

func TestSecondCancelMayShortenTheGraceAndNeverLengthensIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		p := newProcess(core.StepKill)
		id := submitRunner(t, d, core.Submission{Name: "cmd"}, p)
		begin := time.Now()
		cancelOK(t, d, id)
		<-time.After(2 * time.Second)
		ask := func(grace time.Duration) {
			t.Helper()
			out, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{id}, GraceMS: ptr(grace.Milliseconds()), By: ana})
			if err != nil || out[0].Answer != core.AlreadyRequested {
				t.Fatal(out, err)
			}
		}
		ask(time.Hour)
		if c := get(t, d, id).Cancellation; c.NextStepAt != core.At(begin.Add(30*time.Second)) || c.GraceMS != 30_000 {
			t.Errorf("after asking for more time: %+v", c)
		}
		ask(3 * time.Second)
		if c := get(t, d, id).Cancellation; c.NextStepAt != core.At(begin.Add(5*time.Second)) || c.GraceMS != 5000 {
			t.Errorf("after asking for less: %+v", c)
		}
		waitOver(t, d, id)
		if _, secs := stepsOf(p, begin); !slices.Equal(secs, []float64{0, 5}) {
			t.Errorf("steps at %v s", secs)
		}
	})
}

func TestForceGoesOneStepUpAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		p := newProcess() // nothing ends it
		id := submitRunner(t, d, core.Submission{Name: "cmd"}, p)
		begin := time.Now()
		cancelOK(t, d, id)
		<-time.After(time.Second)
		force := func() {
			t.Helper()
			if _, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{id}, Force: true, By: ana}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		force()
		if c := get(t, d, id).Cancellation; c.Step != core.StepKill || c.NextStepAt != 0 {
			t.Errorf("after the force: %+v", c)
		}
		<-time.After(time.Second)
		force() // again, at the top
		if steps, secs := stepsOf(p, begin); !slices.Equal(steps, []core.Step{core.StepTerm, core.StepKill, core.StepKill}) || !slices.Equal(secs, []float64{0, 1, 2}) {
			t.Errorf("steps %v at %v s", steps, secs)
		}
		p.exit <- runner.Result{Signalled: true}
		waitOver(t, d, id)
	})
}

func TestForcedFirstCancelKillsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		p := newProcess(core.StepKill)
		id := submitRunner(t, d, core.Submission{Name: "cmd"}, p)
		begin := time.Now()
		if _, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{id}, Force: true, By: ana}); err != nil {
			t.Fatal(err)
		}
		waitOver(t, d, id)
		if steps, _ := stepsOf(p, begin); !slices.Equal(steps, []core.Step{core.StepTerm, core.StepKill}) || time.Since(begin) > time.Second {
			t.Errorf("steps %v after %s", steps, time.Since(begin))
		}
	})
}

func TestGoFunctionHasNoNextStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		f := make(deaf)
		id := submitFunc(t, d, core.Submission{}, f.run)
		cancelOK(t, d, id)
		<-time.After(time.Minute)
		synctest.Wait()
		j := get(t, d, id)
		if c := j.Cancellation; j.State != core.Cancelling || c.Step != core.StepToken || c.NextStepAt != 0 || c.GraceMS != 0 {
			t.Errorf("%s, %+v: nothing can be killed here", j.State, c)
		}
		f <- nil
		waitOver(t, d, id)
	})
}

// attached is a process that looks at its token from the first.
type attached struct{ *process }

func (attached) StopsBy() core.StopsBy { return core.StopsByToken }
func (attached) HasProcess() bool      { return true }

func TestAttachedProcessGetsItsGraceThenTermThenKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{Grace: 5 * time.Second, KillAfter: 2 * time.Second})
		p := attached{newProcess(core.StepKill)}
		id := submitRunner(t, d, core.Submission{Name: "script"}, p)
		begin := time.Now()
		cancelOK(t, d, id)
		if c := get(t, d, id).Cancellation; c.NextStepAt != core.At(begin.Add(5*time.Second)) {
			t.Errorf("next step: %+v", c)
		}
		waitOver(t, d, id)
		if steps, secs := stepsOf(p.process, begin); !slices.Equal(steps, []core.Step{core.StepTerm, core.StepKill}) || !slices.Equal(secs, []float64{5, 7}) {
			t.Errorf("steps %v at %v s", steps, secs)
		}
	})
}

// A dispatcher that was held up takes nothing from the time that a process has
// between two steps.
func TestALateStepPutsOffTheNextOne(t *testing.T) {
	start := time.Now()
	l := newLadder(core.StopsByToken, true, start, 3*time.Second, 10*time.Second)
	now := start.Add(14 * time.Second) // both are overdue
	if got := l.due(now); len(got) != 2 {
		t.Fatalf("due: %v", got)
	}
	l.took(core.StepTerm, now)
	if got := l.due(now); len(got) != 0 {
		t.Errorf("due at once after a late SIGTERM: %v", got)
	}
	if r, ok := l.next(); !ok || r.step != core.StepKill || r.at.Sub(now) != 10*time.Second {
		t.Errorf("next: %+v, %v", r, ok)
	}

	l = newLadder(core.StopsBySignal, true, start, 30*time.Second, 0)
	l.force(start) // asks for the lot at once
	l.took(core.StepTerm, start.Add(time.Millisecond))
	if got := l.due(start.Add(time.Millisecond)); len(got) != 1 || got[0] != core.StepKill {
		t.Errorf("a forced cancel waits: %v", got)
	}
}
