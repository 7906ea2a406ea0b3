package core

import (
	"context"
	"reflect"
	"sync/atomic"
)

// ResetFunc undoes the call that returned it: the derived context reads what it
// would have read without that call, and the link from the token is freed. It
// may be called in any order and more than once. Always call it, as a rule
// with defer.
type ResetFunc func()

// WithCancelToken returns a context in which probe is the current token.
//
// A nil probe, or a nil pointer in the interface, clears an inherited token.
// When the probe is a [*CancelToken] (or has an AfterFunc method like it), the
// context also ends shortly after the token is cancelled, so that commands,
// HTTP calls and selects on the context stop too. After the reset the context
// ends with ctx alone.
//
// It is for dispatchers. Running code calls [CheckCancelled].
func WithCancelToken(ctx context.Context, probe CancellationProbe) (context.Context, ResetFunc) {
	if isNil(probe) {
		probe = nil
	}
	outer := scopeOf(ctx)
	cell := &tokenCell{probe: probe, outer: outer.token}
	cell.token, _ = probe.(*CancelToken)
	inner := &scopeContext{Context: ctx, scope: scope{token: cell, job: outer.job}}
	link, ok := probe.(interface{ AfterFunc(func()) func() bool })
	if !ok {
		return inner, cell.reset
	}
	linked, cancel := context.WithCancelCause(ctx)
	inner.Context = linked
	stop := link.AfterFunc(func() { cancel(linkEnd{cancelledBy(probe)}) })
	return inner, func() {
		stop()
		cell.reset()
	}
}

// WithCurrentJob returns a context in which handle is the current job. A nil
// handle, or a nil pointer in the interface, clears an inherited one. The
// handle travels with the context only: a goroutine that is started without it
// has none.
//
// It is for dispatchers. Running code calls [CheckDCCCancelled].
func WithCurrentJob(ctx context.Context, handle JobHandle) (context.Context, ResetFunc) {
	if isNil(handle) {
		handle = nil
	}
	outer := scopeOf(ctx)
	cell := &jobCell{handle: handle, outer: outer.job}
	return &scopeContext{Context: ctx, scope: scope{token: outer.token, job: cell}}, cell.reset
}

// CurrentCancelToken returns the probe that a dispatcher installed, or nil. Use
// it to look without an error, for instance to write partial results first.
func CurrentCancelToken(ctx context.Context) CancellationProbe {
	return scopeOf(ctx).token.current()
}

// CurrentJobID returns the id that the dispatcher gave the job that runs in
// ctx, or "". It comes from the token, so an id in the caller's own arguments
// cannot change it.
func CurrentJobID(ctx context.Context) JobID {
	if p := CurrentCancelToken(ctx); p != nil {
		return p.JobID()
	}
	return ""
}

// CurrentJob returns the handle that a host dispatcher published, or nil.
func CurrentJob(ctx context.Context) JobHandle { return scopeOf(ctx).job.current() }

// scope is what one lookup in a context finds. Both parts are chains, so that
// a reset in any order uncovers what was below it, as with Python's
// independent context variables.
type scope struct {
	token *tokenCell
	job   *jobCell
}

type tokenCell struct {
	probe CancellationProbe
	token *CancelToken // probe, where it is one: a check then needs no interface call
	outer *tokenCell
	gone  atomic.Bool
}

func (c *tokenCell) reset() { c.gone.Store(true) }

func (c *tokenCell) current() CancellationProbe {
	for c != nil && c.gone.Load() {
		c = c.outer
	}
	if c == nil {
		return nil
	}
	return c.probe
}

// live reports that the cell in force holds a token of ours that is not
// cancelled and that nobody has asked about: most checks end here.
func (c *tokenCell) live() bool {
	return c != nil && !c.gone.Load() && c.token != nil && c.token.word.Load() == 0
}

type jobCell struct {
	handle JobHandle
	outer  *jobCell
	gone   atomic.Bool
}

func (c *jobCell) reset() { c.gone.Store(true) }

func (c *jobCell) current() JobHandle {
	for c != nil && c.gone.Load() {
		c = c.outer
	}
	if c == nil {
		return nil
	}
	return c.handle
}

type scopeContext struct {
	context.Context
	scope scope
}

type scopeKey struct{}

// Value returns the scope for its key and asks the parent for all others.
func (c *scopeContext) Value(key any) any {
	if _, ok := key.(scopeKey); ok {
		return &c.scope
	}
	return c.Context.Value(key)
}

func scopeOf(ctx context.Context) scope {
	if s, ok := ctx.Value(scopeKey{}).(*scope); ok {
		return *s
	}
	return scope{}
}

// isNil also finds the nil pointer in a non-nil interface, which would else be
// called and, in a handle of somebody else's, crash the check.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return r.IsNil()
	}
	return false
}
