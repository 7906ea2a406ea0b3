package runner

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"dcctop/core"
)

// Func is a job written in Go. It stops when its context's token is cancelled,
// at its next check, and returns the check's error.
type Func func(ctx context.Context) error

// FuncRunner runs a [Func]. It is used once.
type FuncRunner struct {
	f Func
}

// NewFunc returns the runner of f.
func NewFunc(f Func) *FuncRunner { return &FuncRunner{f: f} }

// Run calls the function and returns what it returned. The function finds sink
// by [Report]. A panic in it is an error of this job, with the stack in its
// output, and does not reach the caller.
func (r *FuncRunner) Run(ctx context.Context, sink Sink) (res Result) {
	reports := &reports{to: sink}
	defer reports.over.Store(true)
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(reports, "panic: %v\n\n%s", v, debug.Stack())
			res.Err = fmt.Errorf("panic: %v", v)
		}
	}()
	return Result{Err: r.f(context.WithValue(ctx, reportKey{}, reports))}
}

// Stop returns false: there is nothing to signal. A function stops by its token.
func (r *FuncRunner) Stop(core.Step) bool { return false }

// StopsBy returns [core.StopsByToken].
func (r *FuncRunner) StopsBy() core.StopsBy { return core.StopsByToken }

// Report returns where a Go function of a job tells its progress and prints its
// log. Outside a job, and after the function has returned, what is told goes
// nowhere; so code that reports works in a test and on its own.
func Report(ctx context.Context) Sink {
	if r, ok := ctx.Value(reportKey{}).(*reports); ok {
		return r
	}
	return discard{}
}

type reportKey struct{}

// reports passes on until the function has returned. A goroutine that it left
// behind then no longer changes a job that has ended.
type reports struct {
	to   Sink
	over atomic.Bool
}

func (r *reports) Write(p []byte) (int, error) {
	if r.over.Load() {
		return len(p), nil
	}
	return r.to.Write(p)
}

func (r *reports) Progress(p core.Progress) {
	if !r.over.Load() {
		r.to.Progress(p)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Progress(core.Progress)      {}
