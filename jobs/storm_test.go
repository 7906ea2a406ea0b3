package jobs

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"dcctop/core"
)

// 500 commands of 50 ms through 4 slots, and 2,000 cancels at random moments.
func TestStormOfCancels(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs the command sleep")
	}
	noLeak(t)
	const commands, cancels = 500, 2000
	d := start(t, Options{Slots: 4})
	mark := fmt.Sprintf("DCCTOP_STORM=%d", rand.Uint64())

	var v core.View
	watched := make(chan error, 1)
	ctx, stop := context.WithTimeout(t.Context(), 3*patience)
	defer stop()
	first := make(chan struct{})
	go func() {
		for u, err := range d.Watch(ctx) {
			if err == nil {
				err = v.Apply(u)
			}
			if u.Snapshot != nil {
				close(first)
			}
			if err != nil || terminal(&v) == commands {
				watched <- err
				return
			}
		}
	}()
	<-first
	var ids []core.JobID
	for range commands {
		j, err := d.Submit(ctx, core.Submission{Command: []string{"sleep", "0.05"}, Env: []string{mark}, By: ana})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, j.ID)
	}

	var mu sync.Mutex // guards answers
	answers := map[core.JobID][]core.CancelOutcome{}
	var firing sync.WaitGroup
	for range cancels {
		id := ids[rand.IntN(len(ids))]
		atWhatRuns := rand.IntN(8) == 0 // else most would meet a job that waits
		moment := time.NewTimer(time.Duration(rand.Int64N(int64(4 * time.Second))))
		firing.Go(func() {
			<-moment.C
			if atWhatRuns {
				if running := inState(d, core.Running); len(running) > 0 {
					id = running[rand.IntN(len(running))]
				}
			}
			out, err := d.Cancel(ctx, core.CancelRequest{IDs: []core.JobID{id}, By: ana})
			if err != nil || len(out) != 1 || out[0].ID != id {
				t.Errorf("cancel of %s: %+v, %v", id, out, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			answers[id] = append(answers[id], out[0])
		})
	}
	firing.Wait()
	if err := <-watched; err != nil {
		t.Fatal(err)
	}

	ends := map[string]int{}
	for _, id := range ids {
		j := waitOver(t, d, id)
		if v.Jobs[id] != j {
			t.Errorf("job %s: the feed has %s, the dispatcher %s", id, v.Jobs[id].State, j.State)
		}
		accepted := 0
		for _, o := range answers[id] {
			switch o.Answer {
			case core.Accepted:
				accepted++
			case core.AlreadyRequested, core.AlreadyFinished:
			default:
				t.Errorf("job %s: answer %+v", id, o)
			}
		}
		c := j.Cancellation
		switch {
		case accepted > 1, (accepted == 1) != (c != nil):
			t.Errorf("job %s: %d times accepted, cancellation %+v", id, accepted, c)
		case j.State == core.Completed && c == nil:
			ends["completed"]++
		case j.State == core.Completed && c.Late:
			ends["completed, cancel too late"]++
		case j.State == core.Cancelled && !c.Late && j.StartedAt == 0 && j.Exit == nil:
			ends["cancelled while pending"]++
		case j.State == core.Cancelled && !c.Late && c.StoppedAt != 0:
			ends["cancelled while running"]++
		default:
			t.Errorf("job %s is %s %q, cancellation %+v, exit %+v", id, j.State, j.Error, c, j.Exit)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(ends)) {
		t.Logf("%d %s", ends[what], what)
	}
	if pids := carrying(t, mark); len(pids) > 0 {
		t.Errorf("processes left: %v", pids)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.free != 4 || len(d.active) != 0 || d.queue.head() != nil {
		t.Errorf("%d of 4 slots free, %d active", d.free, len(d.active))
	}
}

func inState(d *Dispatcher, s core.State) (ids []core.JobID) {
	for _, j := range d.List() {
		if j.State == s {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// carrying returns the processes with an entry in their environment.
func carrying(t *testing.T, mark string) (pids []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Log("no /proc here: processes are not looked for")
		return nil
	}
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Fatal("no processes to look at:", err)
	}
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err == nil && slices.ContainsFunc(bytes.Split(env, []byte{0}), func(e []byte) bool { return string(e) == mark }) {
			pids = append(pids, filepath.Base(filepath.Dir(f)))
		}
	}
	return pids
}

func TestStormLooksForProcessesThatExist(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	d := start(t, Options{})
	mark := fmt.Sprintf("DCCTOP_STORM=%d", rand.Uint64())
	j, err := d.Submit(t.Context(), core.Submission{Command: []string{"sh", "-c", "echo up; exec sleep 60"}, Env: []string{mark}})
	if err != nil {
		t.Fatal(err)
	}
	waitState(t, d, j.ID, core.Running)
	for len(carrying(t, mark)) == 0 { // bounded by the test's own timeout: the process is there or it is not
		runtime.Gosched()
	}
	cancelOK(t, d, j.ID)
	waitOver(t, d, j.ID)
	if pids := carrying(t, mark); len(pids) > 0 {
		t.Errorf("processes left: %v", pids)
	}
}
