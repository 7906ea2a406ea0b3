package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// Submitter is what the demo needs of a dispatcher.
type Submitter interface {
	SubmitFunc(core.Submission, runner.Func) (*core.Job, error)
	// Wait returns the job once it has ended, or an error once the context has.
	Wait(context.Context, core.JobID) (*core.Job, error)
}

// Options says where and how hard the demo works.
type Options struct {
	// Dir is the folder for all pictures. It is made where it is missing.
	Dir string
	// Cores is how many cores all jobs together may burn, and should be the
	// dispatcher's number of slots. Default: half of the machine's, at least one.
	Cores int
	// By is who submits the jobs. Default: whoever the dispatcher takes for it.
	By core.Actor
}

// DefaultCores returns half of the machine's cores, and at least one.
func DefaultCores() int { return max(runtime.NumCPU()/2, 1) }

func (o Options) validate() (Options, error) {
	if o.Dir == "" {
		return o, fmt.Errorf("demo: dir: %w: empty; name a folder for the pictures", core.ErrInvalid)
	}
	if o.Cores < 0 {
		return o, fmt.Errorf("demo: cores: %w: %d; use 1 or more, or 0 for half of the machine", core.ErrInvalid, o.Cores)
	}
	if o.Cores == 0 {
		o.Cores = DefaultCores()
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("demo: dir: %w", err)
	}
	o.Dir = dir
	return o, nil
}

// demo is one run of the whole. It is not changed once made, and its budget is
// made for many goroutines.
type demo struct {
	jobs   Submitter
	budget *budget
	dir    string
	cores  int
	by     core.Actor
	scale  scale
}

// Start submits the demo's jobs and returns; it starts no goroutine of its own.
// One of the jobs, the queue of dailies, goes on submitting shots as others end, so that
// there is always something to see. It ends when ctx does, and so, within a
// slice of work, do all jobs once the dispatcher cancels their tokens, but for
// the deaf one.
//
// An error that wraps [core.ErrInvalid] names the option. Any other is the file
// system's or the dispatcher's; jobs submitted before it stay.
func Start(ctx context.Context, d Submitter, o Options) error {
	o, err := o.validate()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	run := &demo{jobs: d, budget: newBudget(o.Cores), dir: o.Dir, cores: o.Cores, by: o.By, scale: full()}
	return run.start(ctx)
}

// submit submits a job in the name of whoever runs the demo.
func (d *demo) submit(s core.Submission, f runner.Func) (*core.Job, error) {
	s.By = d.by
	return d.jobs.SubmitFunc(s, f)
}

// start submits everything there is at the beginning.
func (d *demo) start(ctx context.Context) error {
	var errs []error
	var shots []core.JobID
	keep := func(j *core.Job, err error) *core.Job {
		if err != nil {
			errs = append(errs, err)
		}
		return j
	}
	// The small jobs first, so that a short screen shows all there is to see.
	for _, small := range d.smallJobs(ctx) {
		keep(d.submit(small.submission(), small.run))
	}
	for _, s := range d.firstShots() {
		if j := keep(d.shot(s)); j != nil {
			shots = append(shots, j.ID)
		}
	}
	keep(d.submit(core.Submission{Name: "🎬 dailies", Kind: "queue", Slots: new(0)},
		func(job context.Context) error { return d.dailies(job, ctx, shots) }))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("demo: submit: %w", err)
	}
	return nil
}
