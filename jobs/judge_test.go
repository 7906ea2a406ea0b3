package jobs

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"dcctop/core"
	"dcctop/jobs/runner"
)

func TestJudge(t *testing.T) {
	boom := errors.New("boom")
	exit255 := &core.Exit{Code: 255}
	op := &why{cause: core.ErrCancelled}
	timeout := &why{cause: ErrTimedOut, reason: "timed out after 30m"}
	down := &why{cause: core.ErrClosed}
	const token, signal = core.StopsByToken, core.StopsBySignal

	end := func(err error) ending { return ending{Result: runner.Result{Err: err}} }
	early := func(err error) ending { return ending{Result: runner.Result{Err: err}, early: true} }
	crashed := func(err error, seen bool) ending {
		return ending{Result: runner.Result{Err: err, Exit: exit255}, seen: seen}
	}
	signalled := func(err error) ending {
		return ending{Result: runner.Result{Err: err, Signalled: true, Exit: exit255}}
	}

	for _, c := range []struct {
		name    string
		by      core.StopsBy
		why     *why // nil: running
		end     ending
		reached bool
		state   core.State
		late    bool
		text    string
	}{
		{"ran to its end", token, nil, early(nil), false, core.Completed, false, ""},
		{"failed", token, nil, early(boom), false, core.Failed, false, "boom"},
		{"cancelled itself", token, nil, early(core.ErrCancelled), false, core.Cancelled, false, "cancelled"},
		{"some context of its own ended", token, nil, early(context.Canceled), false, core.Failed, false, "context canceled"},

		{"swallowed the cancel", token, op, end(nil), false, core.Completed, true, ""},
		{"swallowed it, its children did not", token, op, end(nil), true, core.Cancelled, false, ""},
		{"returned before the token was set", token, op, early(nil), false, core.Completed, true, ""},
		{"failed before the token was set", token, op, early(boom), false, core.Failed, true, "boom"},
		{"failed before the token was set, its children were stopped", token, op, early(boom), true, core.Failed, true, "boom"},
		{"returned the check's error", token, op, end(fmt.Errorf("frame 3: %w", core.ErrCancelled)), false, core.Cancelled, false, ""},
		{"returned the context's error", token, op, end(context.Canceled), false, core.Cancelled, false, ""},
		{"returned another error", token, op, end(boom), false, core.Cancelled, false, "boom"},

		{"a process crashed before it saw the cancel", token, op, crashed(boom, false), false, core.Failed, true, "boom"},
		{"a process saw the cancel and failed over it", token, op, crashed(boom, true), false, core.Cancelled, false, "boom"},

		{"obeyed with exit 255", signal, op, signalled(boom), false, core.Cancelled, false, ""},
		{"obeyed with exit 0", signal, op, signalled(nil), false, core.Cancelled, false, ""},
		{"gone before the signal", signal, op, end(nil), false, core.Completed, true, ""},
		{"failed before the signal", signal, op, end(boom), false, core.Failed, true, "boom"},
		{"was not started", signal, op, end(context.Canceled), false, core.Cancelled, false, ""},

		{"a script says that a check ended it", token, op, end(&runner.ScriptError{Message: "stopped", Cancelled: true}), false, core.Cancelled, false, ""},
		{"so it says, by a signal", signal, op, end(&runner.ScriptError{Message: "stopped", Cancelled: true}), false, core.Cancelled, false, ""},
		{"so it says, and nobody had asked", token, nil, early(&runner.ScriptError{Message: "stopped", Cancelled: true}), false, core.Failed, false, "stopped"},
		{"a script says that it failed by itself", token, op, end(&runner.ScriptError{Message: "disk full"}), false, core.Failed, true, "disk full"},
		{"a listener that was sent SIGTERM and exits well", token, op, signalled(nil), false, core.Cancelled, false, ""},

		{"timed out", token, timeout, end(core.ErrCancelled), false, core.Failed, false, "timed out after 30m"},
		{"timed out, by a signal", signal, timeout, signalled(boom), false, core.Failed, false, "timed out after 30m"},
		{"done as the timeout came", token, timeout, end(nil), false, core.Completed, true, ""},
		{"timed out waiting for its children", token, timeout, early(nil), true, core.Failed, false, "timed out after 30m"},

		{"stopped by the shutdown", token, down, end(core.ErrCancelled), false, core.Interrupted, false, ""},
		{"stopped by the shutdown, by a signal", signal, down, signalled(nil), false, core.Interrupted, false, ""},
		{"done as the shutdown came", token, down, end(nil), false, core.Completed, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := core.Running
			if c.why != nil {
				from = core.Cancelling
			}
			v := judge(from, c.by, c.why, c.end, c.reached)
			state, ok := from.Next(v.event)
			if !ok {
				t.Fatalf("%q cannot happen in %s", v.event, from)
			}
			if state != c.state || v.late != c.late || v.text != c.text {
				t.Errorf("got %s, late %v, text %q; want %s, late %v, text %q", state, v.late, v.text, c.state, c.late, c.text)
			}
		})
	}
}
