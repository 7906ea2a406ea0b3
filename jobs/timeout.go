package jobs

import (
	"strings"
	"time"

	"dcctop/core"
)

// expire stops e when its timeout passes before it is over. The time counts
// from its start, and takes in its descendants.
func (d *Dispatcher) expire(e *entry, w *work) {
	timer := time.NewTimer(w.timeout)
	defer timer.Stop()
	select {
	case <-w.done:
		return
	case <-timer.C:
	}
	var l later
	d.mu.Lock()
	d.cancelTree(e, &order{why: why{
		cause:  ErrTimedOut,
		by:     core.Actor{User: byDispatcher, Host: d.opts.Host},
		reason: "timed out after " + short(w.timeout),
	}}, &l)
	d.schedule()
	d.mu.Unlock()
	l.run()
}

// short is a duration without the zeros at its end: 30m, not 30m0s.
func short(t time.Duration) string {
	s := t.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
