package runner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dcctop/core"
)

func TestAFunctionReportsToItsJob(t *testing.T) {
	var s said
	want := errors.New("no camera")
	r := NewFunc(func(ctx context.Context) error {
		Report(ctx).Write([]byte("hello\n"))
		Report(ctx).Progress(core.Progress{Current: 1, Total: 2})
		return want
	})
	res := r.Run(t.Context(), &s)
	if res.Err != want || res.Exit != nil || res.Signalled {
		t.Errorf("result: %+v", res)
	}
	if s.String() != "hello\n" || len(s.progress) != 1 {
		t.Errorf("reported %q and %v", s.String(), s.progress)
	}
}

func TestAFunctionStopsByItsTokenOnly(t *testing.T) {
	r := NewFunc(nil)
	if r.StopsBy() != core.StopsByToken || r.Stop(core.StepTerm) || r.Stop(core.StepKill) {
		t.Error("a function claims that it can be signalled")
	}
	token := core.NewCancelToken("job-1")
	ctx, reset := core.WithCancelToken(t.Context(), token)
	defer reset()
	token.Cancel()
	res := NewFunc(core.CheckCancelled).Run(ctx, &said{})
	if !errors.Is(res.Err, core.ErrCancelled) {
		t.Errorf("the check in the function returned %v", res.Err)
	}
}

func TestAPanicIsTheJobsErrorWithItsStackInTheLog(t *testing.T) {
	var s said
	res := NewFunc(func(context.Context) error { panic("no such scene") }).Run(t.Context(), &s)
	if res.Err == nil || res.Err.Error() != "panic: no such scene" {
		t.Errorf("error: %v", res.Err)
	}
	if !strings.Contains(s.String(), "func_test.go") {
		t.Errorf("log without the stack: %q", s.String())
	}
}

func TestAGoroutineThatOutlivesItsFunctionChangesTheJobNoMore(t *testing.T) {
	var s said
	var left Sink
	NewFunc(func(ctx context.Context) error { left = Report(ctx); return nil }).Run(t.Context(), &s)
	left.Write([]byte("late"))
	left.Progress(core.Progress{Current: 1})
	if s.Len() != 0 || s.progress != nil {
		t.Errorf("after the end came %q and %v", s.String(), s.progress)
	}
}

func TestReportOutsideOfAJobGoesNowhere(t *testing.T) {
	if n, err := Report(context.Background()).Write([]byte("abc")); n != 3 || err != nil {
		t.Errorf("write: %d, %v", n, err)
	}
	Report(context.Background()).Progress(core.Progress{})
}
