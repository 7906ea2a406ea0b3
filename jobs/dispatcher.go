package jobs

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// Dispatcher owns jobs: it queues, runs, stops and forgets them. Make one with
// [New] and end it with [Dispatcher.Shutdown]. All methods may be called from
// any goroutine.
type Dispatcher struct {
	opts Options

	closed  chan struct{} // closed when all is over: nothing changes any more
	idle    chan struct{} // closed in a shutdown when no goroutine of a job is left
	stop    chan struct{} // ends the listener
	stopped chan struct{} // closed when the listener has ended
	guard   *runner.Guard // kills the processes of jobs if this one dies

	mu       sync.Mutex // guards all below, and every entry, work, watcher
	reg      *registry
	ids      *ids
	queue    queue
	free     int                   // slots not taken
	active   map[*work]*entry      // whose code runs
	channels map[channelKey]*entry // whose control channel is open
	finished []*entry              // terminal, the oldest first
	chunks   []*entry              // likewise, the children that completed or were cancelled
	answers  answers               // to the last commands
	tasks    int                   // goroutines of jobs
	closing  bool                  // nothing is submitted or started any more
	ending   error                 // what Shutdown returns, once closed
}

// Runner runs the work of one job, once. [runner.FuncRunner] and
// [runner.Command] are its implementations.
type Runner interface {
	// Run does the work and returns when nothing of it is left. Its context
	// ends when the job's token is cancelled.
	Run(ctx context.Context, sink runner.Sink) runner.Result
	// Stop takes one step of the ladder, from any goroutine. It reports whether
	// that reached something alive.
	Stop(step core.Step) bool
	// StopsBy says how a cancel reaches the work.
	StopsBy() core.StopsBy
}

// New returns a running dispatcher without jobs. Its error wraps
// [core.ErrInvalid] where an option is out of range.
func New(o Options) (*Dispatcher, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("dispatcher: %w", err)
	}
	if err := openLogDir(o.LogDir, time.Now()); err != nil {
		return nil, fmt.Errorf("dispatcher: %w", err)
	}
	guard, err := runner.StartGuard(rand.Text())
	if err != nil {
		return nil, fmt.Errorf("dispatcher: %w", err)
	}
	d := &Dispatcher{
		opts:    o,
		closed:  make(chan struct{}),
		idle:    make(chan struct{}),
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
		guard:   guard,
		reg:     newRegistry(o.Source, o.Ring),
		ids:     newIDs(),
		free:    o.Slots,
		active:  make(map[*work]*entry),

		channels: make(map[channelKey]*entry),
	}
	go d.listen()
	return d, nil
}

// task runs f in a goroutine that Shutdown waits for. The caller holds the
// mutex.
func (d *Dispatcher) task(f func()) {
	d.tasks++
	go func() {
		defer func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.tasks--
			d.noteIdle()
		}()
		f()
	}()
}

// noteIdle tells a shutdown that no goroutine is left. The caller holds the
// mutex.
func (d *Dispatcher) noteIdle() {
	if !d.closing || d.tasks > 0 {
		return
	}
	select {
	case <-d.idle:
	default:
		close(d.idle)
	}
}

// later is what is to be done once the mutex is free again, in order.
type later []func()

func (l *later) add(f func()) { *l = append(*l, f) }

func (l later) run() {
	for _, f := range l {
		f()
	}
}

func now() core.Time { return core.At(time.Now()) }
