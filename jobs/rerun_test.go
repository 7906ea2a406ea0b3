//go:build unix

package jobs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dcctop/core"
)

var bea = core.Actor{User: "bea", Host: "ws3"}

func rerun(t testing.TB, d *Dispatcher, id core.JobID, onlyUnfinished bool) (*core.Job, error) {
	t.Helper()
	return d.Rerun(t.Context(), core.RerunRequest{ID: id, OnlyUnfinished: onlyUnfinished, By: bea})
}

func rerunOK(t testing.TB, d *Dispatcher, id core.JobID, onlyUnfinished bool) core.JobID {
	t.Helper()
	j, err := rerun(t, d, id, onlyUnfinished)
	if err != nil {
		t.Fatal(err)
	}
	if j.ID == id || j.Labels[labelRerun] != string(id) || j.User != "bea" {
		t.Fatalf("rerun of %s: %+v", id, j)
	}
	return j.ID
}

// refused fails the test unless a rerun was refused in the right way, and
// nothing was started.
func refused(t *testing.T, d *Dispatcher, id core.JobID, onlyUnfinished bool, want error, text string) {
	t.Helper()
	before := reruns(d)
	j, err := rerun(t, d, id, onlyUnfinished)
	if !errors.Is(err, want) || !strings.Contains(err.Error(), text) || j != nil {
		t.Errorf("rerun: %v, %v; want %v with %q", j, err, want, text)
	}
	if n := reruns(d); n != before {
		t.Errorf("%d reruns, there were %d", n, before)
	}
}

// reruns counts the jobs that are one. (A range may be submitting its chunks.)
func reruns(d *Dispatcher) int {
	return len(slices.DeleteFunc(d.List(), func(j *core.Job) bool { return j.Labels[labelRerun] == "" }))
}

func submitShell(t testing.TB, d *Dispatcher, line string, edit ...func(*core.Submission)) core.JobID {
	t.Helper()
	s := core.Submission{Command: []string{"sh", "-c", line}, By: ana}
	for _, e := range edit {
		e(&s)
	}
	j, err := d.Submit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return j.ID
}

func TestAJobThatHasEndedRunsAgainAsItWasSubmitted(t *testing.T) {
	d := start(t, Options{})
	dir := t.TempDir()
	env := []string{"SHOT=010"}
	id := submitShell(t, d, `echo "$SHOT in $(pwd)"; exit 3`, func(s *core.Submission) {
		s.Name, s.Dir, s.Env, s.Priority, s.Labels = "first", dir, env, 4, map[string]string{"show": "x"}
	})
	waitOver(t, d, id)
	env[0] = "SHOT=changed by who submitted it"
	again := rerunOK(t, d, rerunOK2(t, d, id), false) // twice over
	j := waitOver(t, d, again)
	if j.State != core.Failed || j.Name != "first" || j.Priority != 4 || j.Labels["show"] != "x" || j.Dir != dir {
		t.Errorf("%+v", j)
	}
	real, _ := filepath.EvalSymlinks(dir)
	if log, _ := d.Log(t.Context(), again, 0); strings.TrimSpace(string(log.Data)) != "010 in "+real {
		t.Errorf("log %q", log.Data)
	}
}

// rerunOK2 runs a job again and waits for its end.
func rerunOK2(t testing.TB, d *Dispatcher, id core.JobID) core.JobID {
	t.Helper()
	again := rerunOK(t, d, id, false)
	waitOver(t, d, again)
	return again
}

// Case 27.
func TestAJobIsNotStartedAgainOverItself(t *testing.T) {
	d := start(t, Options{Slots: 2})
	g := newGate(t)
	id := submitShell(t, d, `trap '' TERM; echo ready; `+g.until())
	refused(t, d, id, false, core.ErrNotEnded, "is running")
	for log := ""; log != "ready\n"; { // its trap is set
		c, err := d.Log(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		log = string(c.Data)
	}
	cancelOK(t, d, id)
	refused(t, d, id, false, core.ErrNotEnded, "is cancelling")
	g.open(t)
	waitOver(t, d, id)

	if err := os.Remove(string(g)); err != nil {
		t.Fatal(err)
	}
	again := rerunOK(t, d, id, false) // waits at the first gate again
	refused(t, d, id, false, core.ErrNotEnded, "runs again as job "+string(again))
	g.open(t)
	waitOver(t, d, again)
	last := rerunOK(t, d, again, false)
	waitOver(t, d, last)
	waitOver(t, d, rerunOK(t, d, id, false))
}

func TestAPendingJobIsNotSubmittedAgain(t *testing.T) {
	d := start(t, Options{Slots: 1})
	f := make(deaf)
	submitFunc(t, d, core.Submission{}, f.run)
	refused(t, d, submitShell(t, d, "true"), false, core.ErrNotEnded, "is pending")
	f <- nil
}

func TestWhatCannotBeRunAgainSaysWhy(t *testing.T) {
	d := start(t, Options{Retain: 2, Slots: 1})
	refused(t, d, "01NOBODY", false, core.ErrNotFound, "01NOBODY")
	f := submitFunc(t, d, core.Submission{}, nothing)
	waitOver(t, d, f)
	refused(t, d, f, false, core.ErrInvalid, "Go function")
	plain := submitShell(t, d, "true")
	waitOver(t, d, plain)
	refused(t, d, plain, true, core.ErrInvalid, "only_unfinished")
	waitOver(t, d, submitShell(t, d, "true"))
	waitOver(t, d, submitShell(t, d, "true"))
	refused(t, d, plain, false, core.ErrNotFound, string(plain)) // purged
	dir := filepath.Join(t.TempDir(), "shots")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	moved := submitShell(t, d, "true", func(s *core.Submission) { s.Dir = dir })
	waitOver(t, d, moved)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	refused(t, d, moved, false, core.ErrInvalid, "dir")
	// A rerun that was refused does not stand in the way of the next.
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	waitOver(t, d, rerunOK(t, d, moved, false))
}

func TestOnlyTheUnfinishedChunksRunAgain(t *testing.T) {
	d := start(t, Options{Slots: 2, Retain: 6})
	dir := t.TempDir()
	id := submitRange(t, d, core.Frames{Range: "1-24", Chunk: 4},
		`case $0 in 9|13|21) [ -e fixed ] || exit 1;; esac; for f in $(seq $0 $1); do echo x >>pic.$f; done`,
		func(s *core.Submission) { s.Dir = dir })
	refused(t, d, id, true, core.ErrNotEnded, "")
	if j := waitOver(t, d, id); j.State != core.Failed {
		t.Fatalf("%s %q", j.State, j.Error)
	}
	if err := os.WriteFile(filepath.Join(dir, "fixed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again := rerunOK(t, d, id, true)
	j := waitOver(t, d, again)
	if j.State != core.Completed || j.Labels[labelFrames] != "9-16,21-24" || j.Progress.Total != 12 || j.Children[core.Completed] != 3 {
		t.Errorf("%s %q %v %+v %v", j.State, j.Error, j.Labels, j.Progress, j.Children)
	}
	for f := 1; f <= 24; f++ {
		if b, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("pic.", f))); string(b) != "x\n" {
			t.Errorf("picture %d: %q, %v; want one, made once", f, b, err)
		}
	}
	refused(t, d, again, true, core.ErrInvalid, "every chunk")
}

func TestACancelledChunkRunsAgainByTheUnfinishedOnes(t *testing.T) {
	d := start(t, Options{Slots: 6})
	dir := t.TempDir()
	g := newGate(t)
	waits := `[ $0 -ne 9 ] || [ -e been ] || { echo >been; exec sleep 1000; }; ` // once, for the signal
	id := submitRange(t, d, core.Frames{Range: "1-24", Chunk: 4}, waits+g.until()+`; for f in $(seq $0 $1); do touch pic.$f; done`,
		func(s *core.Submission) { s.Dir = dir })
	waitFor(t, d, id, "runs its chunks", func(j *core.Job) bool { return j.Children[core.Running] == 6 })
	ready(t, filepath.Join(dir, "been"))
	cancelOK(t, d, childrenOf(d, id)[2].ID)
	g.open(t)
	if j := waitOver(t, d, id); j.State != core.Cancelled {
		t.Fatalf("%s %q", j.State, j.Error)
	}
	if j := waitOver(t, d, rerunOK(t, d, id, true)); j.State != core.Completed || j.Labels[labelFrames] != "9-12" {
		t.Errorf("%s %q %v", j.State, j.Error, j.Labels)
	}
	pictures, _ := filepath.Glob(filepath.Join(dir, "pic.*"))
	if len(pictures) != 24 {
		t.Errorf("%d pictures, want 24", len(pictures))
	}
}

func TestAChunkRunsAgainUnderItsParentWhileThatLives(t *testing.T) {
	d := start(t, Options{Slots: 2})
	g := newGate(t)
	id := submitRange(t, d, core.Frames{Range: "1-2"}, `[ $0 -eq 2 ] && { `+g.until()+`; exit; }; [ -e been ] && exit; touch been; exit 1`)
	waitFor(t, d, id, "has a failed chunk", func(j *core.Job) bool { return j.Children[core.Failed] == 1 })
	first, second := childrenOf(d, id)[0].ID, childrenOf(d, id)[1].ID
	again := rerunOK(t, d, first, false)
	if k := waitOver(t, d, again); k.Parent != id || k.State != core.Completed || k.Labels[labelTry] != "2" || k.Labels[labelFrames] != "1" {
		t.Errorf("%+v", k)
	}
	refused(t, d, second, false, core.ErrNotEnded, "is running")
	refused(t, d, first, true, core.ErrInvalid, "only_unfinished")
	g.open(t)
	if j := waitOver(t, d, id); j.State != core.Completed || j.Progress.Current != 2 {
		t.Errorf("parent: %s %q %+v", j.State, j.Error, j.Progress)
	}
}

func TestAChunkRunsAgainAloneWhenItsParentIsOver(t *testing.T) {
	d := start(t, Options{Slots: 2})
	g := newGate(t)
	id := submitRange(t, d, core.Frames{Range: "1-6", Chunk: 2}, `[ $0 -eq 3 ] || exit 0; [ -e been ] || { touch been; exit 1; }; `+g.until())
	waitOver(t, d, id)
	kids := childrenOf(d, id)
	at := slices.IndexFunc(kids, func(j *core.Job) bool { return j.State == core.Failed })
	again := rerunOK(t, d, kids[at].ID, false)
	k := get(t, d, again)
	if k.Parent != "" || k.Name != "shot 3-4" || k.Labels[labelFrames] != "3-4" || !slices.Equal(k.Command, kids[at].Command) {
		t.Errorf("%+v", k)
	}
	refused(t, d, id, true, core.ErrNotEnded, string(again))
	refused(t, d, kids[at].ID, false, core.ErrNotEnded, string(again))
	g.open(t)
	if k := waitOver(t, d, again); k.State != core.Completed {
		t.Errorf("%s %q", k.State, k.Error)
	}
	refused(t, d, id, true, core.ErrInvalid, "every chunk") // it counts for its range
	if err := os.Remove(string(g)); err != nil {
		t.Fatal(err)
	}
	whole := rerunOK(t, d, id, false)
	refused(t, d, kids[at].ID, false, core.ErrNotEnded, string(whole))
	g.open(t)
	waitOver(t, d, whole)
}

func TestAJobGoesBackUnderItsParentOnlyIfThatLives(t *testing.T) {
	d := start(t, Options{Slots: 2})
	hold := make(deaf)
	parent := group(t, d, "", hold.run)
	id := submitShell(t, d, "true", func(s *core.Submission) { s.Parent = parent })
	waitOver(t, d, id)
	again := rerunOK2(t, d, id)
	if p := get(t, d, again).Parent; p != parent {
		t.Errorf("parent %q, want %q", p, parent)
	}
	hold <- nil
	waitOver(t, d, parent)
	if p := get(t, d, rerunOK2(t, d, id)).Parent; p != "" {
		t.Errorf("parent %q, which is over", p)
	}
}

func TestTwoRerunsAtOnceStartOne(t *testing.T) {
	d := start(t, Options{Slots: 4})
	g := newGate(t)
	g.open(t)
	id := submitShell(t, d, g.until())
	waitOver(t, d, id)
	if err := os.Remove(string(g)); err != nil {
		t.Fatal(err)
	}
	const askers = 8
	errs := make(chan error, askers)
	for range askers {
		go func() {
			_, err := d.Rerun(t.Context(), core.RerunRequest{ID: id, By: bea})
			errs <- err
		}()
	}
	taken := 0
	for range askers {
		switch err := <-errs; {
		case err == nil:
			taken++
		case !errors.Is(err, core.ErrNotEnded):
			t.Error(err)
		}
	}
	if taken != 1 || len(d.List()) != 2 {
		t.Errorf("%d taken, %d jobs", taken, len(d.List()))
	}
	g.open(t)
}

func TestTheRestOfACancelledRangeRunsAgain(t *testing.T) {
	d := start(t, Options{Slots: 2, Retain: 5})
	g := newGate(t)
	id := submitRange(t, d, core.Frames{Range: "1-40x2", Chunk: 2}, `[ $0 -lt 13 ] && exit; `+g.until())
	waitFor(t, d, id, "is in the middle", func(j *core.Job) bool {
		return j.Children[core.Completed] == 3 && j.Children[core.Running] == 2
	})
	cancelOK(t, d, id)
	waitOver(t, d, id)
	g.open(t)
	j := waitOver(t, d, rerunOK(t, d, id, true))
	if j.State != core.Completed || j.Labels[labelFrames] != "13-39x2" || j.Children[core.Completed] != 7 || j.Progress.Total != 14 {
		t.Errorf("%s %q, %v, children %v, %+v", j.State, j.Error, j.Labels, j.Children, j.Progress)
	}
}

func TestNoChunkRunsAgainWhileItsRangeIsCancelling(t *testing.T) {
	d := start(t, Options{Slots: 2})
	g := newGate(t)
	id := submitRange(t, d, core.Frames{Range: "1-3"}, `[ $0 -eq 1 ] && exit 1; trap '' TERM; echo ready; `+g.until())
	waitFor(t, d, id, "runs two chunks", func(j *core.Job) bool { return j.Children[core.Running] == 2 })
	kids := childrenOf(d, id)
	for _, k := range kids[1:] {
		for text := ""; text != "ready\n"; { // its trap is set
			data, _, _ := logOf(t, d, k.ID)
			text = string(data)
		}
	}
	cancelOK(t, d, id)
	refused(t, d, kids[0].ID, false, core.ErrNotEnded, "is cancelling")
	g.open(t)
	waitOver(t, d, id)
	waitOver(t, d, rerunOK(t, d, kids[0].ID, false))
}

func TestAChunkWhoseLastTryFailedIsUnfinished(t *testing.T) {
	d := start(t, Options{Slots: 2})
	id := submitRange(t, d, core.Frames{Range: "1-4", Chunk: 2}, `[ $0 -eq 1 ] || exit 0; [ -e been ] && exit 1; touch been`)
	waitOver(t, d, id)
	refused(t, d, id, true, core.ErrInvalid, "every chunk")
	if k := waitOver(t, d, rerunOK2(t, d, childrenOf(d, id)[0].ID)); k.State != core.Failed {
		t.Fatal(k.State)
	}
	if j := waitOver(t, d, rerunOK(t, d, id, true)); j.Labels[labelFrames] != "1-2" {
		t.Errorf("%v", j.Labels)
	}
}
