package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// farm is a dispatcher in a few lines: every job starts at once.
type farm struct {
	mu   sync.Mutex // guards what follows
	jobs []*farmJob
	more chan struct{} // closed and replaced when something changes
}

type farmJob struct {
	core.Submission
	id    core.JobID
	token *core.CancelToken
	done  chan struct{} // closed when what follows is set
	err   error
	state core.State
}

// patience is more than anything here takes on a busy machine.
const patience = 30 * time.Second

// newFarm returns a farm whose jobs are all over when the test is.
func newFarm(t *testing.T) *farm {
	f := &farm{more: make(chan struct{})}
	t.TempDir() // what is cleaned up last is the folder in which the jobs write
	t.Cleanup(func() {
		for over := 0; over < len(f.all()); {
			all := f.all() // one that was still running may have submitted another
			for _, j := range all {
				j.token.Cancel()
			}
			for _, j := range all {
				f.over(t, j)
			}
			over = len(all)
		}
	})
	return f
}

func (f *farm) SubmitFunc(s core.Submission, run runner.Func) (*core.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	j := &farmJob{Submission: s, id: core.JobID(fmt.Sprint(len(f.jobs) + 1)), done: make(chan struct{})}
	for _, p := range f.jobs {
		if p.id == s.Parent {
			if p.token.Cause() != nil {
				return nil, fmt.Errorf("parent: %w: being cancelled", core.ErrInvalid)
			}
			j.token = p.token.NewChild(j.id)
		}
	}
	if j.token == nil {
		j.token = core.NewCancelToken(j.id)
	}
	f.jobs = append(f.jobs, j)
	go j.run(f, run)
	f.changed()
	return j.job(), nil
}

func (j *farmJob) run(f *farm, run runner.Func) {
	ctx, reset := core.WithCancelToken(context.Background(), j.token)
	defer reset()
	err := runner.NewFunc(run).Run(ctx, runner.Report(context.Background())).Err
	f.mu.Lock()
	defer f.mu.Unlock()
	j.err = err
	switch {
	case err == nil:
		j.state = core.Completed
	case errors.Is(err, core.ErrCancelled):
		j.state = core.Cancelled
	default:
		j.state = core.Failed
	}
	close(j.done)
	f.changed()
}

func (f *farm) changed() {
	close(f.more)
	f.more = make(chan struct{})
}

func (j *farmJob) job() *core.Job {
	r := &core.Job{ID: j.id, Name: j.Name, State: core.Running, Parent: j.Parent}
	if j.state != "" {
		r.State = j.state
	}
	if j.err != nil {
		r.Error = j.err.Error()
	}
	return r
}

func (f *farm) Wait(ctx context.Context, id core.JobID) (*core.Job, error) {
	f.mu.Lock()
	var found *farmJob
	for _, j := range f.jobs {
		if j.id == id {
			found = j
		}
	}
	f.mu.Unlock()
	if found == nil {
		return nil, fmt.Errorf("job %s: %w", id, core.ErrNotFound)
	}
	select {
	case <-found.done:
		return found.job(), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for job %s: %w", id, ctx.Err())
	}
}

// await returns the job of that name once it has been submitted.
func (f *farm) await(t *testing.T, name string) *farmJob {
	t.Helper()
	for {
		f.mu.Lock()
		more := f.more
		for _, j := range f.jobs {
			if j.Name == name {
				f.mu.Unlock()
				return j
			}
		}
		f.mu.Unlock()
		select {
		case <-more:
		case <-time.After(patience):
			t.Fatalf("no job %q", name)
		}
	}
}

// end returns the job of that name once it has ended.
func (f *farm) end(t *testing.T, name string) *farmJob {
	t.Helper()
	j := f.await(t, name)
	f.over(t, j)
	return j
}

// over waits for the end of the job.
func (f *farm) over(t *testing.T, j *farmJob) {
	t.Helper()
	select {
	case <-j.done:
	case <-time.After(patience):
		t.Fatalf("job %q does not end", j.Name)
	}
}

// all returns every job there is now.
func (f *farm) all() []*farmJob {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*farmJob(nil), f.jobs...)
}
