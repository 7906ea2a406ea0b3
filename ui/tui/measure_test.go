package tui

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/ui/tui/tuitest"
)

func TestAnIdleScreenWritesLittle(t *testing.T) {
	s := run(t, tuitest.Options{Width: 160, Height: 48, NoHistory: true}, nil)
	var jobs []*core.Job
	for i := range 60 {
		jobs = append(jobs, live(fmt.Sprintf("J%02d", i)))
	}
	s.show(jobs...)
	s.WaitText("00:01")
	before, begin := s.Bytes(), time.Now()
	s.WaitText("00:04")
	perSecond := float64(s.Bytes()-before) / time.Since(begin).Seconds()
	if perSecond > 2000 {
		t.Errorf("%.0f bytes a second for 43 running rows, want under 2000", perSecond)
	}
	t.Logf("%.0f bytes a second", perSecond)
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
