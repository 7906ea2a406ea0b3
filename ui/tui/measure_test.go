package tui

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
	"dcctop/ui/tui/tuitest"
)

// wide is a name that a renderer can only write whole: see breath.
const wide = "渲染_鏡頭010_合成"

// The time is that of a bubble: 20 s of a screen take no time, and no load on the
// machine makes a difference.
func TestAnIdleScreenWritesLittle(t *testing.T) {
	// The goroutine that all of a process's signals come from must not be born in
	// a bubble, which would wait for it.
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
	for _, c := range []struct{ name, from, to string }{
		{"shot010_beauty_v012", "00:01", "00:21"}, {wide, "00:1", "00:4"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := run(t, tuitest.Options{Width: 160, Height: 48, NoHistory: true}, nil)
			var jobs []*core.Job
			for i := range 60 {
				jobs = append(jobs, with(live(fmt.Sprintf("J%02d", i)), func(j *core.Job) { j.Name = c.name }))
			}
			s.show(jobs...)
			s.WaitText(c.from, 40*time.Second)
			before, begin := s.Bytes(), time.Now()
			s.WaitText(c.to, 40*time.Second)
			perSecond := float64(s.Bytes()-before) / time.Since(begin).Seconds()
			if perSecond > 2000 || perSecond < 10 {
				t.Errorf("%.0f bytes a second for 43 running rows, want some and under 2000", perSecond)
			}
			t.Logf("%s: %.0f bytes a second", c.name, perSecond)
			s.stop()
			s.end(t)
			<-time.After(time.Minute) // the timers that are still set run out
		})
	}
}

func TestWhatNeedsEyesGoesOnByTheSecondOnAHeavyScreenToo(t *testing.T) {
	var jobs []*core.Job
	for i := range 40 {
		jobs = append(jobs, with(job(fmt.Sprintf("J%02d", i), core.Running), func(j *core.Job) { j.Name = wide }))
	}
	inRig(t, jobs, func(r *rig) {
		r.give(tea.WindowSizeMsg{Width: 160, Height: 48})
		r.wants("01:00")
		r.pass(5 * time.Second)
		r.wants("01:00") // stands
		r.press("down")
		r.wants("01:05") // the operator is there
		r.pass(5 * time.Second)
		r.wants("01:05")
		for range 10 {
			r.pass(time.Second)
		}
		r.lacks("01:05") // nothing stands for long
		r.change(with(jobs[3], func(j *core.Job) {
			j.State, j.Cancellation = core.Cancelling, &core.Cancellation{By: "bo", RequestedAt: core.At(time.Now())}
		}))
		for i := range 5 {
			r.pass(time.Second)
			r.wants(fmt.Sprintf("cancelling 00:%02d", i+1))
		}
	})
}

// TestAKeyIsAnsweredWhileAHundredThousandJobsChange says that it is; how soon is
// for the benchmark to say.
func TestAKeyIsAnsweredWhileAHundredThousandJobsChange(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 jobs")
	}
	s := burst(t)
	for i := range 40 {
		s.keyMoves(i)
	}
}

// BenchmarkAKeyWhileAHundredThousandJobsChange is from the key to the screen of
// the emulator, with 5,000 changes a second.
func BenchmarkAKeyWhileAHundredThousandJobsChange(b *testing.B) {
	s := burst(b)
	for i := 0; b.Loop(); i++ {
		s.keyMoves(i)
	}
}

// keyMoves moves the cursor and waits until that is on the screen.
func (s *started) keyMoves(i int) {
	before, _ := cursorLine(s.Text())
	s.Key([]string{"down", "up"}[i%2])
	s.WaitFor("the cursor to move", func(text string) bool {
		l, ok := cursorLine(text)
		return ok && l != before
	})
}

// burst shows 100,000 jobs that change all the time until the test ends.
func burst(t testing.TB) *started {
	const n, perFlush = 100_000, 250 // of 50 ms: 5,000 a second
	s := run(t, tuitest.Options{Width: 120, Height: 40, NoHistory: true, Timeout: time.Minute}, nil)
	jobs := make([]*core.Job, n)
	for i := range jobs {
		jobs[i] = live(fmt.Sprintf("01JF3Q7ZK2M8%014d", i))
		jobs[i].Name = fmt.Sprintf("frame %06d", i)
		if i%25 != 0 {
			jobs[i].Parent = jobs[i/25*25].ID
		}
	}
	s.show(jobs...)
	s.WaitText("100000 running")
	var over atomic.Bool
	stopped := make(chan struct{})
	t.Cleanup(func() { over.Store(true); <-stopped })
	go func() {
		defer close(stopped)
		seq := uint64(1)
		for k := 0; !over.Load(); k++ {
			var js []*core.Job
			for i := range perFlush {
				at := (k*perFlush + i) * 7919 % n
				js = append(js, with(jobs[at], func(j *core.Job) {
					if i%10 == 0 && at > 1000 { // not those on the screen: the cursor would go with them
						j.State, j.FinishedAt = core.Completed, core.At(time.Now()) // moves in the list
					}
					j.Progress = &core.Progress{Current: float64(k % 100), Total: 100}
				}))
			}
			s.feed.updates <- core.Update{Change: &core.Change{Source: "a", Epoch: "e", From: seq, To: seq + 1, Jobs: js}}
			seq++
			<-time.After(50 * time.Millisecond)
		}
	}()
	return s
}

// cursorLine is the name on the marked line.
func cursorLine(text string) (string, bool) {
	for l := range strings.Lines(text) {
		if strings.Contains(l, "❯") {
			if i := strings.Index(l, "frame "); i >= 0 {
				return l[i : i+12], true
			}
		}
	}
	return "", false
}
