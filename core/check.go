package core

import (
	"context"
	"errors"
)

// ErrCancelled is what every cancel is: errors.Is(err, ErrCancelled) holds for
// each [*CancelledError].
var ErrCancelled = errors.New("cancelled")

// CancelledError says that the job was cancelled. Running code gets it from a
// check and returns it, wrapped or not.
type CancelledError struct {
	JobID  JobID  // "" when the dispatcher gave none
	Reason string // as the operator typed it; for a person
	Cause  error  // the cause of the token, or nil
}

// DccMcpCancelledError is the name of [CancelledError] in the Python API. There
// the short name is the alias, since it is easily taken for asyncio's.
//
// Deprecated: use CancelledError.
type DccMcpCancelledError = CancelledError

// Error names the job and the reason where there are any.
func (e *CancelledError) Error() string {
	s := "cancelled"
	if e.JobID != "" {
		s = "job " + string(e.JobID) + " cancelled"
	}
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	return s
}

// Is makes a cancel match [ErrCancelled], and [context.Canceled] so that code
// which knows only contexts treats it rightly.
func (e *CancelledError) Is(target error) bool {
	return target == ErrCancelled || target == context.Canceled
}

// Unwrap returns the cause.
func (e *CancelledError) Unwrap() error { return e.Cause }

// JobHandle is what a host dispatcher (a DCC's own queue) publishes for a job.
// One method is in the contract; concrete handles may have more.
type JobHandle interface {
	// Cancelled reports whether the host has asked the job to stop.
	Cancelled() bool
}

// CheckCancelled returns a [*CancelledError] when the current token is
// cancelled, else the context's own end ([context.Context.Err]), else nil.
// Outside a request, with a plain context that has not ended, it is nil. It
// does not look at the job handle.
//
// A context that has ended because some other token was cancelled (an outer
// one, where an inner token or an explicit nil is in force) has not ended of
// its own: what is in force decides.
func CheckCancelled(ctx context.Context) error {
	if s := scopeOf(ctx); !s.token.live() {
		if p := s.token.current(); p != nil && p.Cancelled() {
			return cancelledBy(p)
		}
	}
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if _, ok := context.Cause(ctx).(linkEnd); ok {
		return nil
	}
	return err
}

// CheckDCCCancelled returns a [*CancelledError] when the current token or the
// current job handle is cancelled. The token is asked first and its message
// wins. Code that can run outside a request calls this one. It does not look
// at the context's own end: that is no cancel of the job.
func CheckDCCCancelled(ctx context.Context) error {
	s := scopeOf(ctx)
	if !s.token.live() {
		if p := s.token.current(); p != nil && p.Cancelled() {
			return cancelledBy(p)
		}
	}
	if h := s.job.current(); h != nil && h.Cancelled() {
		e := &CancelledError{Reason: "by its host", Cause: ErrCancelled}
		if p := s.token.current(); p != nil {
			e.JobID = p.JobID()
		}
		return e
	}
	return nil
}

// cancelledBy makes the error for a cancelled probe. A token whose cause is a
// CancelledError passes its reason on.
func cancelledBy(p CancellationProbe) *CancelledError {
	e := &CancelledError{JobID: p.JobID(), Cause: ErrCancelled}
	if t, ok := p.(interface{ Cause() error }); ok {
		if cause := t.Cause(); cause != nil {
			e.Cause = cause
		}
	}
	var given *CancelledError
	if errors.As(e.Cause, &given) {
		e.Reason = given.Reason
	}
	return e
}

// linkEnd is the cause of a context that ended because its token was cancelled.
// Its own type tells that end from any other, also from a context that somebody
// ended with a CancelledError.
type linkEnd struct{ err *CancelledError }

func (e linkEnd) Error() string { return e.err.Error() }
func (e linkEnd) Unwrap() error { return e.err }
