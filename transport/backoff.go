package transport

import "time"

// Waits between attempts to connect.
const (
	backoffFirst = 500 * time.Millisecond
	backoffMost  = 30 * time.Second
	healthyAfter = 60 * time.Second // a link that lived this long starts the backoff anew
)

// backoff says how long to wait before the next attempt. It is pure: chance is
// handed in.
type backoff struct {
	tries int
}

// next returns the wait after a failure: anything up to a bound that doubles
// (full jitter, so that fifty clients spread out), or, where coming back soon
// cannot help, something near the longest wait. A hint of the server's is the
// least it may be. chance is from 0 to 1.
func (b *backoff) next(back comeBack, hint time.Duration, chance float64) time.Duration {
	bound := backoffMost
	if b.tries < 6 {
		bound = min(backoffFirst<<b.tries, backoffMost)
		b.tries++
	}
	hint = min(max(hint, 0), backoffMost)
	wait := time.Duration(chance * float64(bound))
	if back == comeBackSlowly {
		wait = backoffMost/2 + time.Duration(chance*float64(backoffMost/2))
	}
	return hint + wait
}

// lived tells how long the last link was up.
func (b *backoff) lived(d time.Duration) {
	if d >= healthyAfter {
		b.tries = 0
	}
}
