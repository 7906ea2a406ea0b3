package core

import (
	"sync"
	"sync/atomic"
	"time"
)

// CancellationProbe is the read-only view of a cancel that running code gets.
// Both methods may be called from any goroutine.
type CancellationProbe interface {
	// Cancelled reports whether the owning dispatcher cancelled the operation.
	Cancelled() bool
	// JobID is the id that the dispatcher gave the job, or "".
	JobID() JobID
}

// CancelToken is a cancel flag that a dispatcher sets and running code looks
// at. Once set it stays set. All methods may be called from any goroutine and
// on a nil token, which is never cancelled.
//
// Only running code calls [CancelToken.Cancelled]: that call is a check, and
// tells the dispatcher that the job is listening. The dispatcher itself looks
// with [CancelToken.Cause] or [CancelToken.Done].
type CancelToken struct {
	// word holds the bits cancelled and asked, so that a check of a live token
	// that nobody has asked about is one load and one comparison.
	word      atomic.Uint32
	id        JobID
	parent    *CancelToken
	lastCheck atomic.Int64 // Unix nanoseconds; 0 for never
	seenAt    atomic.Int64 // Unix nanoseconds; 0 for not seen

	mu       sync.Mutex // guards what follows
	cause    error      // nil while live
	done     chan struct{}
	seen     chan struct{}
	children map[*CancelToken]struct{}
	after    map[*afterFunc]struct{}
}

type afterFunc struct{ f func() }

const (
	bitCancelled uint32 = 1 << iota
	bitAsked
)

// NewCancelToken returns a live token for a job. The id may be empty.
func NewCancelToken(id JobID) *CancelToken { return &CancelToken{id: id} }

// NewChild returns a token that is cancelled, with the same cause, when t is. A
// cancel of the child reaches neither t nor its other children. Call
// [CancelToken.Detach] on the child when its job is over, or t holds it for as
// long as t lives.
func (t *CancelToken) NewChild(id JobID) *CancelToken {
	child := &CancelToken{id: id, parent: t}
	if t == nil {
		return child
	}
	t.mu.Lock()
	cause := t.cause
	if cause == nil {
		if t.children == nil {
			t.children = make(map[*CancelToken]struct{})
		}
		t.children[child] = struct{}{}
	}
	t.mu.Unlock()
	if cause != nil {
		child.CancelCause(cause)
	}
	return child
}

// Detach ends the link to the parent: its cancel no longer reaches t.
func (t *CancelToken) Detach() {
	if t == nil || t.parent == nil {
		return
	}
	t.parent.mu.Lock()
	delete(t.parent.children, t)
	t.parent.mu.Unlock()
}

// JobID returns the id that the token was made with.
func (t *CancelToken) JobID() JobID {
	if t == nil {
		return ""
	}
	return t.id
}

// Cancel is [CancelToken.CancelCause] with [ErrCancelled].
func (t *CancelToken) Cancel() { t.CancelCause(ErrCancelled) }

// CancelCause marks the token and every descendant as cancelled. The first
// cause wins; later calls do nothing. When it returns, every check in the tree
// reports the cancel; contexts derived from the token end shortly after. A nil
// cause is [ErrCancelled].
func (t *CancelToken) CancelCause(cause error) {
	if t == nil {
		return
	}
	if cause == nil {
		cause = ErrCancelled
	}
	t.mu.Lock()
	if t.cause != nil {
		t.mu.Unlock()
		return
	}
	t.cause = cause
	t.word.Or(bitCancelled)
	if t.done != nil {
		close(t.done)
	}
	children, after := t.children, t.after
	t.children, t.after = nil, nil
	t.mu.Unlock()

	for child := range children {
		child.CancelCause(cause)
	}
	for a := range after {
		go a.f()
	}
	t.Detach()
}

// Cause returns why the token was cancelled, or nil while it is live. It is not
// a check.
func (t *CancelToken) Cause() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cause
}

// Done returns a channel that is closed when the token is cancelled. It is not
// a check. A nil token's channel is nil.
func (t *CancelToken) Done() <-chan struct{} {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done == nil {
		t.done = make(chan struct{})
		if t.cause != nil {
			close(t.done)
		}
	}
	return t.done
}

// AfterFunc calls f in its own goroutine once the token is cancelled, at once
// if it is already. The stop function forgets f and reports whether that came
// before f was started, as in [context.AfterFunc].
func (t *CancelToken) AfterFunc(f func()) (stop func() bool) {
	if t == nil {
		return func() bool { return false }
	}
	a := &afterFunc{f}
	t.mu.Lock()
	cancelled := t.cause != nil
	if !cancelled {
		if t.after == nil {
			t.after = make(map[*afterFunc]struct{})
		}
		t.after[a] = struct{}{}
	}
	t.mu.Unlock()
	if cancelled {
		go f()
	}
	return func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		_, waiting := t.after[a]
		delete(t.after, a)
		return waiting
	}
}

// Cancelled is a check: it reports whether the token is cancelled, and lets the
// dispatcher know that the code is listening. On a live token it costs one
// atomic load and does not allocate.
func (t *CancelToken) Cancelled() bool {
	// Short enough for the compiler to inline; anything more is in stamp.
	return t != nil && t.word.Load() != 0 && t.stamp()
}

// stamp is the slow path of a check: someone asked, or the token is cancelled.
func (t *CancelToken) stamp() bool {
	w := t.word.Load()
	cancelled := w&bitCancelled != 0
	first := cancelled && t.seenAt.Load() == 0
	if w&bitAsked == 0 && !first {
		return cancelled
	}
	now := time.Now().UnixNano()
	t.word.And(^bitAsked)
	t.lastCheck.Store(now)
	if first {
		t.markSeen(now)
	}
	return cancelled
}

// markSeen sets seenAt once. It does so under the mutex, so that of the channel
// and the time neither is there without the other.
func (t *CancelToken) markSeen(now int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seenAt.CompareAndSwap(0, now) && t.seen != nil {
		close(t.seen)
	}
}

// Ask makes the next check stamp its time. A dispatcher asks once a second.
func (t *CancelToken) Ask() {
	if t != nil {
		t.word.Or(bitAsked)
	}
}

// LastCheckpoint returns the time of the last check that was asked for, or the
// zero time when there was none.
func (t *CancelToken) LastCheckpoint() time.Time {
	if t == nil {
		return time.Time{}
	}
	return unixNano(t.lastCheck.Load())
}

// SeenAt returns the time of the first check that reported the cancel, or the
// zero time while none has.
func (t *CancelToken) SeenAt() time.Time {
	if t == nil {
		return time.Time{}
	}
	return unixNano(t.seenAt.Load())
}

// Seen returns a channel that is closed by the first check that reports the
// cancel. A nil token's channel is nil.
func (t *CancelToken) Seen() <-chan struct{} {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seen = make(chan struct{})
		if t.seenAt.Load() != 0 {
			close(t.seen)
		}
	}
	return t.seen
}

func unixNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
