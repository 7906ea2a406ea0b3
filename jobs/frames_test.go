//go:build unix

package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dcctop/core"
)

// submitRange submits a range whose chunks are a line of shell. In it $0 and $1
// are the frames of the chunk.
func submitRange(t testing.TB, d *Dispatcher, f core.Frames, line string, edit ...func(*core.Submission)) core.JobID {
	t.Helper()
	s := core.Submission{Name: "shot", Frames: &f, By: ana, Dir: t.TempDir(), Command: []string{"sh", "-c", line, "{start}", "{end}"}}
	for _, e := range edit {
		e(&s)
	}
	j, err := d.Submit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return j.ID
}

// childrenOf returns the jobs under a parent in order of submission.
func childrenOf(d *Dispatcher, parent core.JobID) []*core.Job {
	return slices.DeleteFunc(d.List(), func(j *core.Job) bool { return j.Parent != parent })
}

// states writes jobs as "shot 1-4 completed".
func states(list []*core.Job) string {
	var b strings.Builder
	for _, j := range list {
		fmt.Fprintf(&b, "%s%s %s; ", j.Name, strings.Repeat("'", max(len(j.Labels[labelTry]), 0)), j.State)
	}
	return strings.TrimSuffix(b.String(), "; ")
}

// gate is a file that commands wait for: until is a piece of shell.
type gate string

func newGate(t testing.TB) gate { return gate(filepath.Join(t.TempDir(), "gate")) }

func (g gate) until() string { return "while [ ! -e '" + string(g) + "' ]; do sleep 0.01; done" }

func (g gate) open(t testing.TB) {
	t.Helper()
	if err := os.WriteFile(string(g), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestARangeIsAParentWithItsChunksAsChildren(t *testing.T) {
	noLeak(t)
	d := start(t, Options{Slots: 2})
	id := submitRange(t, d, core.Frames{Range: "1-9x2,20", Chunk: 2}, `echo $0 to $1`, func(s *core.Submission) {
		s.Kind, s.DCC, s.Priority, s.Labels = "render", "blender", 3, map[string]string{"shot": "010"}
	})
	j := waitOver(t, d, id)
	if j.State != core.Completed || j.Error != "" || j.Slots != 0 || j.Kind != "render" || j.Labels[labelFrames] != "1-9x2,20" {
		t.Errorf("parent: %+v", j)
	}
	if p := j.Progress; p.Current != 6 || p.Total != 6 || p.Unit != "frame" || p.Message != "4 of 4 chunks" {
		t.Errorf("progress of the parent: %+v", p)
	}
	kids := childrenOf(d, id)
	if got := states(kids); got != "shot 1-3 completed; shot 5-7 completed; shot 9 completed; shot 20 completed" {
		t.Fatal(got)
	}
	k := kids[1]
	if k.Labels[labelFrames] != "5-7x2" || k.Labels["shot"] != "010" || k.Slots != 1 || k.Kind != "render" || k.DCC != "blender" || k.Priority != 3 || k.User != "ana" {
		t.Errorf("chunk: %+v", k)
	}
	if want := []string{"sh", "-c", "echo $0 to $1", "5", "7"}; !slices.Equal(k.Command, want) {
		t.Errorf("command of a chunk: %q", k.Command)
	}
	if log, err := d.Log(t.Context(), k.ID, 0); err != nil || string(log.Data) != "5 to 7\n" {
		t.Errorf("log of a chunk: %q, %v", log.Data, err)
	}
}

func TestChunksTakeNoMoreSlotsThanThereAre(t *testing.T) {
	d := start(t, Options{Slots: 2})
	g := newGate(t)
	id := submitRange(t, d, core.Frames{Range: "1-6"}, g.until())
	j := waitFor(t, d, id, "has two chunks running and four that wait", func(j *core.Job) bool {
		return j.Children[core.Running] == 2 && j.Children[core.Pending] == 4
	})
	if j.State != core.Running {
		t.Errorf("parent is %s", j.State)
	}
	g.open(t)
	if j := waitOver(t, d, id); j.State != core.Completed {
		t.Errorf("parent is %s: %s", j.State, j.Error)
	}
}

func TestAParentsProgressIsThatOfItsChunks(t *testing.T) {
	d := start(t, Options{Slots: 2})
	g := newGate(t)
	id := submitRange(t, d, core.Frames{Range: "1-16", Chunk: 4}, `[ $0 -eq 1 ] && exit; echo ALF_PROGRESS 50%; `+g.until())
	j := waitFor(t, d, id, "is at 4 frames and half of two chunks", func(j *core.Job) bool { return j.Progress.Current == 8 })
	if j.Progress.Message != "1 of 4 chunks" || j.Progress.Total != 16 {
		t.Errorf("%+v", j.Progress)
	}
	g.open(t)
	if j := waitOver(t, d, id); j.Progress.Current != 16 {
		t.Errorf("at the end: %+v", j.Progress)
	}
}

func TestCancellingAParentStopsTheRestAndLeavesFinishedFrames(t *testing.T) {
	noLeak(t)
	d := start(t, Options{Slots: 2})
	dir := t.TempDir()
	id := submitRange(t, d, core.Frames{Range: "1-40", Chunk: 2}, `[ $0 -gt 7 ] && exec sleep 60; touch $0`,
		func(s *core.Submission) { s.Dir = dir })
	waitFor(t, d, id, "has finished four chunks and runs two", func(j *core.Job) bool {
		return j.Children[core.Completed] == 4 && j.Children[core.Running] == 2
	})
	cancelOK(t, d, id)
	started := time.Now()
	j := waitOver(t, d, id)
	if j.State != core.Cancelled || j.Cancellation.By != "ana" || j.Cancellation.SeenAt == 0 || j.Error != "" {
		t.Errorf("parent: %s %q, %+v", j.State, j.Error, j.Cancellation)
	}
	if p := j.Progress; p.Current != 8 || p.Message != "4 of 20 chunks, 16 cancelled" {
		t.Errorf("progress: %+v", p)
	}
	want := map[core.State]int{core.Completed: 4, core.Cancelled: 16}
	if !maps.Equal(j.Children, want) {
		t.Errorf("children %v, want %v", j.Children, want)
	}
	for _, k := range childrenOf(d, id) {
		if k.StartedAt.Std().After(started) {
			t.Errorf("%s was started after the cancel", k.Name)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 4 {
		t.Errorf("%d files left of 4 finished chunks", len(files))
	}
}

func TestCancellingALargeRangeInTheMiddleStartsNoMoreChunks(t *testing.T) {
	for _, c := range []struct{ frames, chunk int }{{1, 1}, {10, 3}, {1000, 7}, {10_000, 1}} {
		t.Run(fmt.Sprint(c.frames, " frames"), func(t *testing.T) {
			noLeak(t)
			d := start(t, Options{Slots: 2, Retain: 500})
			id := submitRange(t, d, core.Frames{Range: fmt.Sprint("1-", c.frames), Chunk: c.chunk}, `[ $0 -gt 9 ] && exec sleep 60; true`)
			waitFor(t, d, id, "is in the middle", func(j *core.Job) bool {
				return j.State.Terminal() || j.Children[core.Running] > 0 && j.Children[core.Completed] >= 2
			})
			cancelAs(t, d, ana, id)
			j := waitOver(t, d, id)
			if c.frames > 10 && j.State != core.Cancelled {
				t.Errorf("parent is %s: %s", j.State, j.Error)
			}
			for _, k := range childrenOf(d, id) {
				if k.StartedAt > 0 && j.Cancellation != nil && k.StartedAt > j.Cancellation.RequestedAt {
					t.Errorf("%s started at %s, the cancel was at %s", k.Name, k.StartedAt, j.Cancellation.RequestedAt)
				}
			}
			if n := j.Children[core.Completed] + j.Children[core.Cancelled] + j.Children[core.Failed]; n != sum(j.Children) {
				t.Errorf("children %v", j.Children)
			}
		})
	}
}

func sum(children map[core.State]int) int {
	n := 0
	for _, c := range children {
		n += c
	}
	return n
}

func TestAChunkThatFailsIsTriedAgainAndEachTryIsOnTheRecord(t *testing.T) {
	d := start(t, Options{Slots: 1})
	id := submitRange(t, d, core.Frames{Range: "1-6", Chunk: 2}, `[ $0 -eq 3 ] || exit 0; echo x >>tries; [ $(wc -l <tries) -eq 3 ] || exit 3`,
		func(s *core.Submission) { s.Retries = 2 })
	j := waitOver(t, d, id)
	if j.State != core.Completed || j.Progress.Current != 6 || j.Children[core.Failed] != 2 || j.Children[core.Completed] != 3 {
		t.Errorf("parent: %s %q, children %v, %+v", j.State, j.Error, j.Children, j.Progress)
	}
	var tries []string
	for _, k := range childrenOf(d, id) {
		if k.Name == "shot 3-4" {
			tries = append(tries, k.Labels[labelTry]+" "+string(k.State))
		}
	}
	if want := []string{" failed", "2 failed", "3 completed"}; !slices.Equal(tries, want) {
		t.Errorf("tries %q, want %q", tries, want)
	}
}

func TestARangeFailsWithTheChunksThatFailedForGood(t *testing.T) {
	d := start(t, Options{Slots: 2})
	id := submitRange(t, d, core.Frames{Range: "1-10", Chunk: 2}, `case $0 in 3|9) echo no such scene; exit 4;; esac`,
		func(s *core.Submission) { s.Retries = 1 })
	j := waitOver(t, d, id)
	if j.State != core.Failed || !strings.HasPrefix(j.Error, "2 of 5 chunks failed: 3-4, 9-10 (exit status 4") {
		t.Errorf("parent: %s %q", j.State, j.Error)
	}
	if j.Children[core.Failed] != 4 || j.Progress.Current != 6 || j.Progress.Message != "3 of 5 chunks, 2 failed" {
		t.Errorf("children %v, progress %+v", j.Children, j.Progress)
	}
}

func TestAnErrorNamesNotMoreThanAFewChunks(t *testing.T) {
	d := start(t, Options{Slots: 4})
	j := waitOver(t, d, submitRange(t, d, core.Frames{Range: "1-50"}, "exit 1"))
	if j.State != core.Failed || !strings.Contains(j.Error, "50 of 50 chunks failed: 1, 2, ") || !strings.Contains(j.Error, "20 and 30 more") {
		t.Errorf("%s %q", j.State, j.Error)
	}
}

func TestAChunkThatTimesOutIsTriedAgain(t *testing.T) {
	d := start(t, Options{Slots: 1})
	id := submitRange(t, d, core.Frames{Range: "1-2"}, `[ $0 -eq 2 ] || exit 0; [ -e been ] && exit 0; touch been; exec sleep 60`,
		func(s *core.Submission) { s.Retries, s.TimeoutMS = 1, 300 })
	if j := waitOver(t, d, id); j.State != core.Completed || j.Children[core.Failed] != 1 {
		t.Errorf("%s %q, children %v", j.State, j.Error, j.Children)
	}
}

func TestACancelledChunkIsNotTriedAgain(t *testing.T) {
	d := start(t, Options{Slots: 3})
	g := newGate(t)
	id := submitRange(t, d, core.Frames{Range: "1-6", Chunk: 2}, g.until(), func(s *core.Submission) { s.Retries = 5 })
	waitFor(t, d, id, "runs three chunks", func(j *core.Job) bool { return j.Children[core.Running] == 3 })
	second := childrenOf(d, id)[1].ID
	cancelOK(t, d, second)
	waitOver(t, d, second)
	g.open(t)
	j := waitOver(t, d, id)
	if want := (map[core.State]int{core.Completed: 2, core.Cancelled: 1}); !maps.Equal(j.Children, want) {
		t.Errorf("children %v, want %v", j.Children, want)
	}
	// Not completed: frames are missing.
	if j.State != core.Cancelled || j.Error != "1 of 3 chunks cancelled: 3-4" {
		t.Errorf("parent: %s %q", j.State, j.Error)
	}
}

func TestWhatARangeComesTo(t *testing.T) {
	gone := &core.CancelledError{Reason: "wrong camera"}
	for _, c := range []struct {
		name   string
		chunks []chunkState
		err    error // of the parent's own work
		want   string
		is     error
	}{
		{"all completed", []chunkState{chunkDone, chunkDone}, nil, "", nil},
		{"all completed, and the cancel came too late", []chunkState{chunkDone, chunkDone}, gone, "", nil},
		{"cancelled", []chunkState{chunkDone, chunkStopped}, gone, "cancelled: wrong camera", core.ErrCancelled},
		{"cancelled before the last was submitted", []chunkState{chunkDone, chunkWaits}, gone, "cancelled: wrong camera", core.ErrCancelled},
		{"one chunk cancelled", []chunkState{chunkDone, chunkStopped}, nil, "1 of 2 chunks cancelled: 2", core.ErrCancelled},
		{"one failed", []chunkState{chunkFailed, chunkDone}, nil, "1 of 2 chunks failed: 1 (exit status 1)", nil},
		{"one failed, one cancelled", []chunkState{chunkFailed, chunkStopped}, nil, "1 of 2 chunks failed: 1 (exit status 1); 1 were cancelled: 2", nil},
	} {
		list, total, _ := cutFrames(core.Frames{Range: "1-2"})
		f := &frames{count: 2, total: total, chunks: list, tries: make([]try, 2), done: newBits(2)}
		f.in[chunkWaits] = 2
		for nth, to := range c.chunks {
			if to == chunkFailed {
				f.giveUp(nth, "exit status 1")
			} else {
				f.move(nth, to)
			}
		}
		err := f.outcome(c.err)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != c.want || c.is != nil && !errors.Is(err, c.is) || c.is == nil && errors.Is(err, core.ErrCancelled) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestAParentCountsRightAlthoughItsChunksArePurged(t *testing.T) {
	d := start(t, Options{Slots: 4, Retain: 3})
	id := submitRange(t, d, core.Frames{Range: "1-60"}, `[ $0 -eq 30 ] && exit 1; true`, func(s *core.Submission) { s.Retries = 2 })
	j := waitOver(t, d, id)
	if j.State != core.Failed || !strings.HasPrefix(j.Error, "1 of 60 chunks failed: 30") {
		t.Errorf("parent: %s %q", j.State, j.Error)
	}
	if j.Progress.Current != 59 || j.Children[core.Completed] != 59 || j.Children[core.Failed] != 3 {
		t.Errorf("progress %+v, children %v", j.Progress, j.Children)
	}
}

func TestAShutdownInterruptsARangeAndItsChunks(t *testing.T) {
	noLeak(t)
	d := start(t, Options{Slots: 2})
	id := submitRange(t, d, core.Frames{Range: "1-100"}, "exec sleep 60", func(s *core.Submission) { s.Retries = 3 })
	waitFor(t, d, id, "runs two chunks", func(j *core.Job) bool { return j.Children[core.Running] == 2 })
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	if err := d.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	j := get(t, d, id)
	if j.State != core.Interrupted || j.Children[core.Interrupted] != sum(j.Children) {
		t.Errorf("parent: %s, children %v", j.State, j.Children)
	}
}

func TestAShutdownWithoutPatienceGivesARangeUp(t *testing.T) {
	noLeak(t)
	d, err := New(Options{Slots: 2})
	if err != nil {
		t.Fatal(err)
	}
	id := submitRange(t, d, core.Frames{Range: "1-1000"}, `trap '' TERM; sleep 60; sleep 60`)
	waitFor(t, d, id, "runs two chunks", func(j *core.Job) bool { return j.Children[core.Running] == 2 })
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_ = d.Shutdown(ctx) // may name the parent, whose goroutine is just going
	if j := get(t, d, id); j.State != core.Interrupted {
		t.Errorf("parent is %s", j.State)
	}
}

func TestABadRangeStartsNothing(t *testing.T) {
	d := start(t, Options{Slots: 2})
	for _, c := range []struct {
		edit func(*core.Submission)
		want string
	}{
		{func(s *core.Submission) { s.Frames.Range = "10-1" }, "frames.range: "},
		{func(s *core.Submission) { s.Frames.Range = "1-5x0" }, "frames.range: "},
		{func(s *core.Submission) { s.Frames.Range = "1-1000000" }, "frames.chunk: "},
		{func(s *core.Submission) { s.Retries = -1 }, "retries: "},
		{func(s *core.Submission) { s.Retries = 101 }, "retries: "},
		{func(s *core.Submission) { s.Slots = ptr(0) }, "slots: "},
		{func(s *core.Submission) { s.Slots = ptr(9) }, "slots: "},
		{func(s *core.Submission) { s.Command = nil }, "command: "},
		{func(s *core.Submission) { s.Command = []string{"true"} }, "command: no {start}"},
		{func(s *core.Submission) { s.Command = []string{"no-such-program-at-all", "{start}"} }, "command: "},
		{func(s *core.Submission) { s.Progress = "(" }, "progress: "},
		{func(s *core.Submission) { s.Parent = "01NOSUCH" }, "parent: "},
		{func(s *core.Submission) { s.Frames, s.Retries = nil, 1 }, "retries: "},
	} {
		s := core.Submission{Command: []string{"echo", "{start}"}, Frames: &core.Frames{Range: "1-4"}, By: ana}
		c.edit(&s)
		_, err := d.Submit(t.Context(), s)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := d.SubmitFunc(core.Submission{Name: "f", Frames: &core.Frames{Range: "1"}}, nothing); err == nil {
		t.Error("a Go function took a range")
	}
	if n := len(d.List()); n != 0 {
		t.Errorf("%d jobs were made", n)
	}
}
