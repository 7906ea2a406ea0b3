package tui

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
	"dcctop/ui/tui/tuitest"
)

// wide is a name that a renderer can only write whole: see breath.
const wide = "渲染_鏡頭010_合成"

func TestAnIdleScreenWritesLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement")
	}
	for _, c := range []struct{ name, from, to string }{
		{"shot010_beauty_v012", "00:01", "00:05"}, {wide, "00:1", "00:2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
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
			if perSecond > 2000 {
				t.Errorf("%.0f bytes a second for 43 running rows, want under 2000", perSecond)
			}
			t.Logf("%.0f bytes a second", perSecond)
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

// TestAKeyIsAnsweredWhileAHundredThousandJobsChange measures from the key to
// the screen of the emulator, in a burst.
func TestAKeyIsAnsweredWhileAHundredThousandJobsChange(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement")
	}
	const n, perFlush = 100_000, 250 // of 50 ms: 5,000 a second
	s := run(t, tuitest.Options{Width: 120, Height: 40, NoHistory: true}, nil)
	jobs := make([]*core.Job, n)
	for i := range jobs {
		jobs[i] = live(fmt.Sprintf("01JF3Q7ZK2M8%014d", i))
		jobs[i].Name = fmt.Sprintf("frame %06d", i)
		if i%25 != 0 {
			jobs[i].Parent = jobs[i/25*25].ID
		}
	}
	begin := time.Now()
	s.show(jobs...)
	s.WaitText("100000 running", 20*time.Second)
	first := time.Since(begin)
	var over atomic.Bool
	stopped := make(chan struct{})
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
	var took []time.Duration
	for i := range 40 {
		key := "down"
		if i%2 == 1 {
			key = "up"
		}
		before, _ := cursorLine(s.Text())
		begin := time.Now()
		s.Key(key)
		s.WaitFor("the cursor to move", func(text string) bool {
			l, ok := cursorLine(text)
			return ok && l != before
		})
		took = append(took, time.Since(begin))
	}
	over.Store(true)
	<-stopped
	slices.Sort(took)
	t.Logf("first paint %v; key to screen p50 %v, p95 %v, max %v", first, took[20], took[38], took[39])
	limit := 100 * time.Millisecond
	if raceEnabled {
		limit *= 10
	}
	if took[38] > limit {
		t.Errorf("p95 %v, want within %v", took[38], limit)
	}
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
