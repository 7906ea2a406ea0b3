package jobs

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// patience bounds every wait of a test for something that must happen.
const patience = 20 * time.Second

// start returns a dispatcher that the end of the test shuts down, and fails the
// test when a goroutine is left.
func start(t testing.TB, o Options) *Dispatcher {
	t.Helper()
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		if err := d.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown = %v", err)
		}
	})
	return d
}

// noLeak fails the test when goroutines outlive it. Call it first.
func noLeak(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
}

var ana = core.Actor{User: "ana", Host: "ws12"}

func submitFunc(t testing.TB, d *Dispatcher, s core.Submission, f runner.Func) core.JobID {
	t.Helper()
	if s.Name == "" {
		s.Name = "a job"
	}
	j, err := d.SubmitFunc(s, f)
	if err != nil {
		t.Fatal(err)
	}
	return j.ID
}

func submitRunner(t testing.TB, d *Dispatcher, s core.Submission, r Runner) core.JobID {
	t.Helper()
	j, err := d.submit(s, func(core.JobID) (Runner, error) { return r, nil })
	if err != nil {
		t.Fatal(err)
	}
	return j.ID
}

func cancelAs(t testing.TB, d *Dispatcher, by core.Actor, ids ...core.JobID) []core.CancelOutcome {
	t.Helper()
	out, err := d.Cancel(t.Context(), core.CancelRequest{IDs: ids, By: by})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func cancelOK(t testing.TB, d *Dispatcher, id core.JobID) {
	t.Helper()
	if out := cancelAs(t, d, ana, id); len(out) != 1 || out[0].Answer != core.Accepted {
		t.Fatalf("Cancel(%s) = %+v, want one accepted", id, out)
	}
}

func get(t testing.TB, d *Dispatcher, id core.JobID) *core.Job {
	t.Helper()
	j, err := d.Get(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func waitOver(t testing.TB, d *Dispatcher, id core.JobID) *core.Job {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	j, err := d.Wait(ctx, id)
	if err != nil {
		t.Fatalf("job %s is %s: %v", id, get(t, d, id).State, err)
	}
	return j
}

// waitFor waits on the feed until a job satisfies ok.
func waitFor(t testing.TB, d *Dispatcher, id core.JobID, what string, ok func(*core.Job) bool) *core.Job {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	var v core.View
	for u, err := range d.Watch(ctx) {
		if err != nil {
			t.Fatalf("waiting until job %s %s: %v", id, what, err)
		}
		if err := v.Apply(u); err != nil {
			t.Fatal(err)
		}
		if j := v.Jobs[id]; j != nil && ok(j) {
			return j
		}
	}
	return nil
}

func waitState(t testing.TB, d *Dispatcher, id core.JobID, s core.State) *core.Job {
	t.Helper()
	return waitFor(t, d, id, "is "+string(s), func(j *core.Job) bool { return j.State == s })
}

// deaf is a function that does not look at its token and returns what it is
// told to.
type deaf chan error

func (f deaf) run(context.Context) error { return <-f }

// obedient waits for the cancel and returns the error of a check.
func obedient(ctx context.Context) error {
	<-ctx.Done()
	return core.CheckCancelled(ctx)
}

// process stands in for a command. It ends when it is told to, or by one of the
// steps it obeys.
type process struct {
	obeys map[core.Step]bool
	exit  chan runner.Result

	mu       sync.Mutex // guards what follows
	stops    []core.Step
	stopped  []time.Time
	signaled chan struct{}
	over     bool
	refuse   int // how many stops find nothing alive
}

func newProcess(obeys ...core.Step) *process {
	p := &process{
		obeys:    make(map[core.Step]bool),
		exit:     make(chan runner.Result, 1),
		signaled: make(chan struct{}),
	}
	for _, s := range obeys {
		p.obeys[s] = true
	}
	return p
}

var errSignal = errors.New("killed by SIGTERM")

func (p *process) Run(ctx context.Context, sink runner.Sink) runner.Result {
	select {
	case res := <-p.exit:
		p.mu.Lock()
		p.over = true
		p.mu.Unlock()
		return res
	case <-p.signaled:
		return runner.Result{Err: errSignal, Signalled: true, Exit: &core.Exit{Code: -1, Signal: "SIGTERM"}}
	}
}

func (p *process) Stop(s core.Step) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	if p.refuse > 0 {
		p.refuse--
		return false
	}
	p.stops = append(p.stops, s)
	p.stopped = append(p.stopped, time.Now())
	if p.obeys[s] {
		p.over = true
		close(p.signaled)
	}
	return true
}

func (p *process) StopsBy() core.StopsBy { return core.StopsBySignal }

func ptr[T any](v T) *T { return &v }
