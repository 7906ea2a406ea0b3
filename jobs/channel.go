package jobs

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"dcctop/core"
)

// The environment by which a process finds its control channel, beside
// DCCTOP_JOB_ID.
const (
	envURL   = "DCCTOP_URL"
	envToken = "DCCTOP_TOKEN"
)

const (
	// attachWithin is how long a cancel waits for work that is known to attach
	// and has not yet: Python takes a moment to come up.
	attachWithin = 5 * time.Second
	// backWithin is how long work whose last stream was cut still counts as
	// attached.
	backWithin = 5 * time.Second
	// maxStreams is how many streams of one job are open at a time: each process
	// that it forks has its own.
	maxStreams = 64
)

// channel is what is known of the control channel of a job whose work runs. The
// dispatcher's mutex guards it.
type channel struct {
	key     channelKey // the zero key: it has none
	env     []string   // how its process finds it
	streams int        // open now
	back    chan struct{}
	backBy  time.Time // when that is over
	since   core.Time // attached since then; zero: not attached
	hopes   bool      // it is known to attach, and has not yet

	checked core.Time // the last check that was reported
	seen    core.Time // the first that saw the cancel
	spoken  bool      // it reports its progress itself
	result  json.RawMessage
	calls   bucket
}

// channelKey is what a token is known by: its hash. To look one up in a map then
// tells nothing of how much of it was right.
type channelKey [sha256.Size]byte

func keyOf(token string) channelKey { return sha256.Sum256([]byte(token)) }

// channelled is a runner whose work can be told where its channel is: before it
// is run.
type channelled interface{ AddEnv(entries ...string) }

// openChannel makes the token of a job that starts. It ends with the job. The
// caller holds the mutex.
func (d *Dispatcher) openChannel(e *entry) {
	w := e.work
	if _, ok := w.run.(channelled); !ok || d.opts.ChannelURL == "" {
		return
	}
	token := rand.Text()
	w.key = keyOf(token)
	w.env = []string{envURL + "=" + d.opts.ChannelURL, envToken + "=" + token}
	w.hopes = attaches(w.run)
	d.channels[w.key] = e
}

func checkChannelURL(s string) error {
	if s == "" {
		return nil
	}
	if u, err := url.Parse(s); err != nil || u.Scheme != "http" || u.Host == "" {
		return invalid("channel url", "%q; give one as http://127.0.0.1:7720/v1/job, or none", cut(s, maxLabel))
	}
	return nil
}

// attaches reports whether the work of a runner is known to attach.
func attaches(run Runner) bool {
	a, ok := run.(interface{ Attaches() bool })
	return ok && a.Attaches()
}

// caller returns the job whose token it is. The error wraps [core.ErrForbidden]
// for a token that is no job's, [core.ErrEnded] where the work has ended, and
// [core.ErrTooMany]. The caller holds the mutex.
func (d *Dispatcher) caller(token string) (*entry, *work, error) {
	e := d.channels[keyOf(token)]
	switch {
	case token == "" || e == nil || e.work == nil:
		return nil, nil, fmt.Errorf("token: %w: it is of no job that runs; it ends with its job", core.ErrForbidden)
	case e.work.returned:
		return nil, nil, fmt.Errorf("job %s: %w", e.job.ID, core.ErrEnded)
	case !e.work.calls.take(time.Now()):
		return nil, nil, fmt.Errorf("job %s: %w: at most %d a second", e.job.ID, core.ErrTooMany, callRate)
	}
	return e, e.work, nil
}

// by says how a cancel reaches the work now. The caller holds the dispatcher's
// mutex.
func (w *work) by() core.StopsBy {
	if w.since != 0 {
		return core.StopsByToken
	}
	return w.run.StopsBy()
}

// lastCheck is when the work last looked at its token, as far as is known.
func (w *work) lastCheck() core.Time { return max(w.checked, core.At(w.token.LastCheckpoint())) }

// seenAt is when a check of the work first saw the cancel.
func (w *work) seenAt() core.Time {
	if w.seen != 0 {
		return w.seen
	}
	return core.At(w.token.SeenAt())
}

// value is what the work returned, or else what it sent.
func (w *work) value() json.RawMessage {
	if w.end.Value != nil {
		return w.end.Value
	}
	return w.result
}

// How many calls a job may make through its channel.
const (
	callRate  = 50 // a second
	callBurst = 200
)

// bucket holds the calls that may still be made. The zero bucket is full.
type bucket struct {
	used float64
	at   time.Time
}

// take takes one, and returns false when there is none.
func (b *bucket) take(now time.Time) bool {
	b.used = max(0, b.used-now.Sub(b.at).Seconds()*callRate)
	b.at = now
	if b.used+1 > callBurst {
		return false
	}
	b.used++
	return true
}

// Left notes which processes outlive the command of a job.
func (s *sink) Left(left []core.Process) {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if s.w.returned || s.e.work != s.w {
		return
	}
	j := *s.e.job
	j.Left = left
	s.d.put(s.e, j, j.Cancellation != nil)
}
