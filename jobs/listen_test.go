package jobs

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
)

func TestHeard(t *testing.T) {
	const s = core.Time(1000)
	for _, c := range []struct {
		name               string
		started, deaf      core.Time
		check, at          core.Time
		wantLast, wantDeaf core.Time
	}{
		{"never checked, not for long", 100 * s, 0, 0, 109 * s, 0, 0},
		{"never checked", 100 * s, 0, 0, 110 * s, 0, 100 * s},
		{"checked a moment ago", 100 * s, 0, 149 * s, 150 * s, 149 * s, 0},
		{"silent since", 100 * s, 0, 149 * s, 159 * s, 149 * s, 149 * s},
		{"heard again", 100 * s, 149 * s, 170 * s, 171 * s, 170 * s, 0},
	} {
		j := core.Job{StartedAt: c.started, DeafSince: c.deaf}
		heard(&j, c.check, c.started, c.at, 10*time.Second)
		if j.LastCheckpointAt != c.wantLast || j.DeafSince != c.wantDeaf {
			t.Errorf("%s: last checkpoint %v, deaf since %v", c.name, j.LastCheckpointAt, j.DeafSince)
		}
	}
}

func TestLastCheckpointAndDeafness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		begin := time.Now()
		var quiet time.Duration
		id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
			for time.Since(begin) < 5*time.Second {
				if err := core.CheckCancelled(ctx); err != nil {
					return err
				}
				<-time.After(100 * time.Millisecond)
			}
			<-time.After(quiet)
			return core.CheckCancelled(ctx)
		})
		quiet = 20 * time.Second
		never := submitRunner(t, d, core.Submission{Name: "cmd"}, newProcess(core.StepTerm))

		<-time.After(4 * time.Second)
		synctest.Wait()
		j := get(t, d, id)
		if age := time.Since(j.LastCheckpointAt.Std()); age > 1100*time.Millisecond || j.DeafSince != 0 {
			t.Errorf("while it checks: last checkpoint %s ago, deaf since %v", age, j.DeafSince)
		}
		<-time.After(13 * time.Second)
		synctest.Wait()
		j = get(t, d, id)
		if j.DeafSince == 0 || j.DeafSince != j.LastCheckpointAt {
			t.Errorf("after 12 s of silence: deaf since %v, last checkpoint %v", j.DeafSince, j.LastCheckpointAt)
		}
		if j.State != core.Running {
			t.Fatalf("it is %s", j.State)
		}
		if j := get(t, d, never); j.DeafSince != 0 || j.LastCheckpointAt != 0 {
			t.Errorf("a plain process is called deaf: %+v", j)
		}
		j = waitOver(t, d, id)
		if j.DeafSince != 0 || j.LastCheckpointAt.Sub(core.At(begin)) < 25*time.Second {
			t.Errorf("in the end: deaf since %v, last checkpoint %v", j.DeafSince, j.LastCheckpointAt)
		}
	})
}

func TestJobThatNeverChecksIsDeafSinceItsStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		f := make(deaf)
		id := submitFunc(t, d, core.Submission{}, f.run)
		<-time.After(45 * time.Second)
		synctest.Wait()
		if j := get(t, d, id); j.DeafSince != j.StartedAt || j.LastCheckpointAt != 0 {
			t.Errorf("deaf since %v, started %v, last checkpoint %v", j.DeafSince, j.StartedAt, j.LastCheckpointAt)
		}
		f <- nil
		waitOver(t, d, id)
	})
}
