package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"dcctop/core"
)

// The environment of every command, on top of the dispatcher's own.
const (
	envJobID  = "DCCTOP_JOB_ID" // which job a process belongs to
	envCookie = "DCCTOP_COOKIE" // which dispatcher started it
)

// envURL and envToken open the control channel of one job.
const (
	envURL   = "DCCTOP_URL"
	envToken = "DCCTOP_TOKEN"
)

// drainFor is how long the output is still read once every process of the group
// is gone. It only passes where something outside of the group, a daemon that
// the command left in a session of its own, holds the pipe open.
const drainFor = time.Second

// Command runs a command as a job, in a process group of its own. It is used
// once. Stop may be called by several goroutines, at any time, before Run too.
type Command struct {
	o       CommandOptions
	path    string // of the program
	decoder decoder

	mu        sync.Mutex // guards all below; held over the start, the reaping and each signal
	used      bool       // Run was called
	signalled bool       // a Stop came while the work was alive or not yet started
	killing   bool       // StepKill was asked for: what still appears is killed too
	gone      bool       // the leader was reaped: its pid is no longer ours to signal
	over      bool       // nothing of the work is left
	proc      *process   // nil until started

	left leftovers // of Run alone
}

// NewCommand returns the runner of a command. It looks for the program and the
// directory now, so that a wrong one is told to whoever submits it; the error
// wraps [core.ErrInvalid] and names the field.
func NewCommand(o CommandOptions) (*Command, error) {
	if o.KillAfter == 0 {
		o.KillAfter = 10 * time.Second
	}
	path, err := o.validate()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", core.ErrInvalid, err)
	}
	dec, err := newDecoder(o.Argv, o.Progress)
	if err != nil {
		return nil, fmt.Errorf("%w: progress: %w", core.ErrInvalid, err)
	}
	return &Command{o: o, path: path, decoder: dec}, nil
}

// AddEnv adds KEY=value entries to the environment, in place of any of the same
// key. It is called before Run.
func (c *Command) AddEnv(entries ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.o.Env = append(slices.Clip(c.o.Env), entries...)
}

// StopsBy returns [core.StopsBySignal].
func (c *Command) StopsBy() core.StopsBy { return core.StopsBySignal }

// Run starts the command and returns when every process of its group is gone
// and its output is read. The end of ctx ends nothing that runs: whoever cancels
// it also calls Stop, so that each step is on the record. From then on the job is
// its whole tree. A ctx that has ended before the start counts as a Stop, and
// nothing is started.
func (c *Command) Run(ctx context.Context, sink Sink) Result {
	out := &output{sink: sink, decoder: c.decoder}
	return c.run(ctx, sink, streams{out: out})
}

// run is Run with a choice of where what is printed goes.
func (c *Command) run(ctx context.Context, sink Sink, to streams) Result {
	ends, err := c.open(to)
	if err != nil {
		return Result{Err: err}
	}
	defer ends.close()
	unguarded := c.o.Guard.ready() // before the start, so that not a moment is unguarded
	res, ok := c.start(ctx, ends)
	ends.closeTheirs() // the command has its own; the read end is to see the end of it
	if !ok {
		return res
	}
	if err := errors.Join(unguarded, c.o.Guard.Add(c.proc.id())); err != nil {
		fmt.Fprintf(sink, "dcctop: should the dispatcher crash, this job goes on: %v\n", err)
	}
	ends.carry()
	looked := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(looked)
		c.wholeTree()
	})

	c.proc.waitLeader()
	if ctx.Err() != nil {
		<-looked
	}
	state, err := c.reap()
	c.left = leftovers{sink: sink, next: time.Now().Add(leftAfter)}
	c.waitGroup()
	if !unwatch() {
		<-looked
	}
	c.o.Guard.Remove(c.proc.id())
	ends.drain()

	c.mu.Lock()
	defer c.mu.Unlock()
	res = Result{Signalled: c.signalled}
	if state == nil {
		res.Err = fmt.Errorf("wait for the process: %w", err)
		return res
	}
	res.Exit, res.Err = exitOf(state, to.reason)
	return res
}

// start starts the command at its ends of the pipes, unless a Stop came first.
// It returns false and the job's result when nothing runs.
func (c *Command) start(ctx context.Context, ends *pipes) (Result, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used {
		return Result{Err: errors.New("command was run before")}, false
	}
	c.used = true
	if c.signalled || ctx.Err() != nil {
		c.signalled, c.over = true, true
		return Result{Err: errors.New("stopped before it was started"), Signalled: true}, false
	}
	proc, err := startProcess(c.cmd(ends), c.o.Guard.all())
	if err != nil {
		c.over = true
		return Result{Err: fmt.Errorf("start: %w", err)}, false
	}
	if c.o.JobID != "" { // without it the marks would be those of every job
		proc.marks = c.marks()
	}
	proc.pipes = ends.names()
	c.proc = proc
	return Result{}, true
}

func (c *Command) cmd(ends *pipes) *exec.Cmd {
	cmd := &exec.Cmd{Path: c.path, Args: c.o.Argv, Dir: c.o.Dir, Stdout: ends.stdout, Stderr: ends.stderr}
	if ends.stdin != nil { // a nil *os.File in the field would not be no file
		cmd.Stdin = ends.stdin
	}
	// A dispatcher that is itself a job of another does not pass on what opens the
	// channel there: its jobs would speak to the wrong one.
	cmd.Env = slices.DeleteFunc(cmd.Environ(), func(e string) bool {
		return strings.HasPrefix(e, envURL+"=") || strings.HasPrefix(e, envToken+"=")
	})
	cmd.Env = append(cmd.Env, c.o.Env...)
	cmd.Env = append(cmd.Env, c.marks()...) // last, so that the caller's cannot hide them
	return cmd
}

// marks are the entries by which a process of this job is known.
func (c *Command) marks() []string {
	var m []string
	if c.o.JobID != "" {
		m = append(m, envJobID+"="+string(c.o.JobID))
	}
	if c.o.Guard != nil {
		m = append(m, c.o.Guard.mark())
	}
	return m
}

// wholeTree makes what left the group count as well, from a cancel on: a process
// that listens may obey without any Stop.
func (c *Command) wholeTree() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proc.tree = true
	c.proc.noteKin()
}

// reap takes the leader's exit, under the lock: until then its pid cannot
// become another process's, and so a signal cannot hit one.
func (c *Command) reap() (*os.ProcessState, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.proc.cmd.Wait()
	c.gone = true
	return c.proc.cmd.ProcessState, err
}
