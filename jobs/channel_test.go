package jobs

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

func wantSteps(t *testing.T, p *process, from time.Time, secs ...float64) {
	t.Helper()
	all := []core.Step{core.StepTerm, core.StepKill}
	steps, at := stepsOf(p, from)
	if !slices.Equal(steps, all[:len(secs)]) || !slices.Equal(at, secs) {
		t.Errorf("steps %v at %v s, want %v s", steps, at, secs)
	}
}

func TestAProcessThatListensIsAskedFirstAndGetsItsGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker(core.StepKill)
		id, token := submitSpeaker(t, d, core.Submission{GraceMS: ptr(int64(12_000)), KillAfterMS: ptr(int64(3000))}, p)
		if j := get(t, d, id); j.StopsBy != core.StopsBySignal {
			t.Errorf("before it attached it stops by %s", j.StopsBy)
		}
		ear := attachTo(t, d, token).attached()
		if j := get(t, d, id); j.StopsBy != core.StopsByToken {
			t.Errorf("attached, it stops by %s", j.StopsBy)
		}
		begin := time.Now()
		if _, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{id}, By: ana, Reason: "wrong camera"}); err != nil {
			t.Fatal(err)
		}
		if s := ear.next(); s.c.By != "ana" || s.c.From != "ws12" || s.c.Reason != "wrong camera" || s.c.GraceMS != 12_000 || s.c.RequestedAt != core.At(begin) {
			t.Errorf("told %+v, %v", s.c, s.err)
		}
		if c := get(t, d, id).Cancellation; c.Step != core.StepToken || c.NextStepAt != core.At(begin.Add(12*time.Second)) || c.SeenAt != 0 {
			t.Errorf("after the cancel: %+v", c)
		}
		j := waitEnd(t, d, id)
		if j.State != core.Cancelled || j.Cancellation.Step != core.StepKill || j.StopsBy != core.StopsByToken {
			t.Errorf("in the end: %s, %+v", j.State, j.Cancellation)
		}
		wantSteps(t, p.process, begin, 12, 15)
	})
}

func TestACancelThatIsSeenIsOnTheRecordAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker()
		id, token := submitSpeaker(t, d, core.Submission{}, p)
		ear := attachTo(t, d, token).attached()
		<-time.After(time.Second)
		if err := d.Checkpoint(token, 0, ptr(time.Duration(0))); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), "seen_age_ms") {
			t.Errorf("a cancel that nobody asked for was seen: %v", err)
		}
		begin := time.Now()
		cancelOK(t, d, id)
		ear.next()
		<-time.After(300 * time.Millisecond)
		if err := d.Checkpoint(token, 10*time.Millisecond, ptr(80*time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if c := get(t, d, id).Cancellation; c.SeenAt != core.At(begin.Add(220*time.Millisecond)) {
			t.Errorf("seen at %v, asked at %v", c.SeenAt, core.At(begin))
		}
		if err := d.Checkpoint(token, 0, ptr(time.Hour)); err != nil { // only the first counts
			t.Fatal(err)
		}
		p.exit <- runner.Result{Err: errors.New("exit status 1"), Exit: &core.Exit{Code: 1}}
		j := waitEnd(t, d, id)
		if j.State != core.Cancelled || j.Cancellation.Late || j.Cancellation.SeenAt != core.At(begin.Add(220*time.Millisecond)) ||
			j.LastCheckpointAt != core.At(begin.Add(300*time.Millisecond)) || j.Cancellation.Step != core.StepToken {
			t.Errorf("in the end: %s, %+v, last checkpoint %v", j.State, j.Cancellation, j.LastCheckpointAt)
		}
		if s := ear.next(); !errors.Is(s.err, core.ErrEnded) {
			t.Errorf("the stream ended with %v", s.err)
		}
	})
}

func TestASeenTimeFromBeforeTheCancelIsNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker(core.StepTerm)
		id, token := submitSpeaker(t, d, core.Submission{}, p)
		attachTo(t, d, token).attached()
		<-time.After(time.Minute)
		cancelOK(t, d, id)
		if err := d.Checkpoint(token, time.Hour, ptr(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if c := get(t, d, id).Cancellation; c.SeenAt != c.RequestedAt {
			t.Errorf("asked at %v, seen at %v", c.RequestedAt, c.SeenAt)
		}
	})
}

func TestAProcessThatDoesNotListenGetsTermAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker(core.StepKill)
		id, _ := submitSpeaker(t, d, core.Submission{}, p)
		begin := time.Now()
		cancelOK(t, d, id)
		waitEnd(t, d, id)
		wantSteps(t, p.process, begin, 0, 30)
	})
}

// Python takes a moment to come up.
func TestAScriptThatDoesNotListenYetHasAMomentToDoSo(t *testing.T) {
	for _, c := range []struct {
		name   string
		grace  int64
		attach time.Duration // 0: never
		steps  []float64
	}{
		{"it never does", 30_000, 0, []float64{5, 35}},
		{"its grace is shorter than the moment", 2000, 0, []float64{2, 4}},
		{"it does", 30_000, 2 * time.Second, []float64{30, 40}},
		{"it does, too late", 30_000, 6 * time.Second, []float64{5, 35}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := startChannel(t, Options{})
				p := newSpeaker(core.StepKill)
				p.hopes = true
				id, token := submitSpeaker(t, d, core.Submission{GraceMS: &c.grace}, p)
				begin := time.Now()
				cancelOK(t, d, id)
				if at := get(t, d, id).Cancellation.NextStepAt; at != core.At(begin.Add(time.Duration(c.grace)*time.Millisecond)) && at != core.At(begin.Add(attachWithin)) {
					t.Errorf("next step at %v", at)
				}
				if c.attach > 0 {
					<-time.After(c.attach)
					if s := attachTo(t, d, token).next(); s.err != nil || s.c.By != "ana" {
						t.Errorf("told first: %+v, %v", s.c, s.err)
					}
				}
				waitEnd(t, d, id)
				wantSteps(t, p.process, begin, c.steps...)
			})
		})
	}
}

func TestAGraceShortenedBeforeAScriptListensStaysShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker(core.StepKill)
		p.hopes = true
		id, token := submitSpeaker(t, d, core.Submission{}, p)
		begin := time.Now()
		cancelOK(t, d, id)
		for _, grace := range []int64{8000, 60_000} {
			if _, err := d.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{id}, GraceMS: &grace, By: ana}); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Second)
		attachTo(t, d, token)
		waitEnd(t, d, id)
		wantSteps(t, p.process, begin, 8, 18)
	})
}

func TestAStreamThatIsCutAndComesBackChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker(core.StepKill)
		id, token := submitSpeaker(t, d, core.Submission{}, p)
		attachTo(t, d, token).attached().cut()
		<-time.After(backWithin - time.Second)
		begin := time.Now()
		cancelOK(t, d, id) // within the gap
		synctest.Wait()
		if j := get(t, d, id); j.StopsBy != core.StopsByToken || j.Cancellation.Step != core.StepToken {
			t.Errorf("in the gap: stops by %s, %+v", j.StopsBy, j.Cancellation)
		}
		for range 2 { // each stream is told, also the next
			ear := attachTo(t, d, token)
			if s := ear.next(); s.c.By != "ana" {
				t.Errorf("told %+v, %v", s.c, s.err)
			}
			<-time.After(time.Second)
			ear.cut()
		}
		attachTo(t, d, token)
		waitEnd(t, d, id)
		wantSteps(t, p.process, begin, 30, 40)
	})
}

func TestAStreamThatStaysCutMakesAPlainProcessAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker(core.StepKill)
		id, token := submitSpeaker(t, d, core.Submission{}, p)
		attachTo(t, d, token).attached().cut()
		<-time.After(20 * time.Second)
		synctest.Wait()
		if j := get(t, d, id); j.StopsBy != core.StopsBySignal || j.DeafSince != 0 {
			t.Errorf("stops by %s, deaf since %v", j.StopsBy, j.DeafSince)
		}
		begin := time.Now()
		cancelOK(t, d, id)
		waitEnd(t, d, id)
		wantSteps(t, p.process, begin, 0, 30)
	})
}

func TestACancelGoesOnWithTermWhenItsStreamStaysCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker(core.StepKill)
		id, token := submitSpeaker(t, d, core.Submission{}, p)
		ear := attachTo(t, d, token).attached()
		begin := time.Now()
		cancelOK(t, d, id)
		ear.next()
		<-time.After(time.Second)
		ear.cut()
		<-time.After(backWithin)
		synctest.Wait()
		if j := get(t, d, id); j.StopsBy != core.StopsBySignal || j.Cancellation.Step != core.StepTerm {
			t.Errorf("stops by %s, %+v", j.StopsBy, j.Cancellation)
		}
		waitEnd(t, d, id)
		wantSteps(t, p.process, begin, 6, 16)
	})
}

// A script whose workers are processes of their own has several streams.
func TestAJobIsAttachedUntilItsLastStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p := newSpeaker(core.StepTerm)
		id, token := submitSpeaker(t, d, core.Submission{}, p)
		first, second := attachTo(t, d, token).attached(), attachTo(t, d, token).attached()
		first.cut()
		<-time.After(time.Minute)
		if j := get(t, d, id); j.StopsBy != core.StopsByToken {
			t.Errorf("with one stream left it stops by %s", j.StopsBy)
		}
		cancelOK(t, d, id)
		if s := second.next(); s.c.By != "ana" {
			t.Errorf("told %+v, %v", s.c, s.err)
		}
	})
}

func TestTheNumberOfStreamsIsBounded(t *testing.T) {
	d := startChannel(t, Options{})
	_, token := submitSpeaker(t, d, core.Submission{}, newSpeaker(core.StepTerm))
	for range maxStreams {
		attachTo(t, d, token).attached()
	}
	if s := attachTo(t, d, token).next(); !errors.Is(s.err, core.ErrTooMany) {
		t.Errorf("one more: %+v, %v", s.c, s.err)
	}
}

// Case 6, of a process.
func TestAProcessIsDeafWhenItListensAndDoesNotCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startChannel(t, Options{})
		p, never := newSpeaker(core.StepTerm), newSpeaker(core.StepTerm)
		id, token := submitSpeaker(t, d, core.Submission{}, p)
		plain, _ := submitSpeaker(t, d, core.Submission{}, never)
		<-time.After(30 * time.Second)
		attachTo(t, d, token).attached()
		attached := core.At(time.Now())
		<-time.After(8 * time.Second)
		synctest.Wait()
		if j := get(t, d, id); j.DeafSince != 0 {
			t.Errorf("deaf after 8 s: %v", j.DeafSince)
		}
		<-time.After(4 * time.Second)
		synctest.Wait()
		if j := get(t, d, id); j.DeafSince != attached {
			t.Errorf("deaf since %v, want since it attached, %v", j.DeafSince, attached)
		}
		if err := d.Checkpoint(token, 200*time.Millisecond, nil); err != nil {
			t.Fatal(err)
		}
		checked := core.At(time.Now().Add(-200 * time.Millisecond))
		<-time.After(2 * time.Second)
		synctest.Wait()
		if j := get(t, d, id); j.DeafSince != 0 || j.LastCheckpointAt != checked {
			t.Errorf("heard again: deaf since %v, last checkpoint %v, want %v", j.DeafSince, j.LastCheckpointAt, checked)
		}
		<-time.After(10 * time.Second)
		synctest.Wait()
		if j := get(t, d, id); j.DeafSince != checked {
			t.Errorf("deaf since %v, want since the last check, %v", j.DeafSince, checked)
		}
		if j := get(t, d, plain); j.DeafSince != 0 || j.LastCheckpointAt != 0 {
			t.Errorf("a process that never attached: deaf since %v", j.DeafSince)
		}
	})
}
