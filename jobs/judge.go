package jobs

import (
	"context"
	"errors"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// ErrTimedOut is the cause of the token of a job whose timeout has passed.
var ErrTimedOut = errors.New("timed out")

// why is the reason for which a job is to stop.
type why struct {
	cause  error // core.ErrCancelled by an operator, ErrTimedOut, or core.ErrClosed in a shutdown
	by     core.Actor
	reason string
}

// byDispatcher is the actor of what a dispatcher decides itself.
const byDispatcher = "dispatcher"

// token is the cause to set the token with: running code finds the reason in
// the error of its check.
func (y *why) token(id core.JobID) error {
	return &core.CancelledError{JobID: id, Reason: y.reason, Cause: y.cause}
}

// ending is how the work of a job ended.
type ending struct {
	runner.Result
	early bool // before the token was set, or it never was
	seen  bool // a check had returned the cancel
}

// verdict is what an ending means for a job.
type verdict struct {
	event core.Event
	late  bool   // the cancel had no part in it
	text  string // for the record; "" when there is nothing to say
}

// judge is pure. The state is that of the job as its last part ends, by how its
// work stopped in the end, y why it was asked to, and reached whether that
// stopped any of its descendants.
func judge(state core.State, by core.StopsBy, y *why, end ending, reached bool) verdict {
	if state != core.Cancelling || y == nil {
		switch {
		case end.Err == nil:
			return verdict{event: core.EventReturnedNil}
		case errors.Is(end.Err, core.ErrCancelled):
			return verdict{event: core.EventReturnedCancelled, text: end.Err.Error()}
		}
		return verdict{event: core.EventReturnedError, text: end.Err.Error()}
	}
	asked := errors.Is(end.Err, core.ErrCancelled) || !end.early && errors.Is(end.Err, context.Canceled)
	said, failed := errors.AsType[*runner.ScriptError](end.Err)
	asked = asked || failed && said.Cancelled
	obeyed := asked || end.Signalled
	// The error of a function is put down to the cancel. A process may have
	// crashed just then: it must have seen the cancel first.
	if by == core.StopsByToken && !end.early && !failed && (end.Exit == nil || end.seen) {
		obeyed = obeyed || end.Err != nil
	}
	switch {
	case !obeyed && end.Err != nil:
		return verdict{event: core.EventFailedFirst, late: true, text: end.Err.Error()}
	case !obeyed && !reached:
		return verdict{event: core.EventReturnedNil, late: true}
	}
	v := verdict{event: core.EventReturnedCancelled}
	if end.Err != nil && !asked && !end.Signalled {
		v.text = end.Err.Error()
	}
	switch y.cause {
	case ErrTimedOut:
		v.event = core.EventTimedOut
		v.text = y.reason
	case core.ErrClosed:
		v.event = core.EventShutdown
	}
	return v
}
