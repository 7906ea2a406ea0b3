package runner

import "time"

// When a helper that died is followed by the next: at once, and later and later
// where one after the other dies young.
const (
	guardSteady = 10 * time.Second // a helper that lived so long did not die young
	guardFirst  = 20 * time.Millisecond
	guardMost   = 5 * time.Second
)

// succeed waits for the death of a helper and sees to the next, unless somebody
// else has by then. A helper that was closed or replaced needs none.
func (g *Guard) succeed(h *helper, born time.Time) {
	select {
	case <-h.dead():
	case <-g.stop:
		return
	}
	for pause := g.mourn(time.Since(born)); ; pause = g.mourn(0) {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-g.stop:
			timer.Stop()
			return
		}
		g.mu.Lock()
		done := g.helper != nil && g.helper != h || g.ensure() == nil || g.closed
		g.mu.Unlock()
		if done {
			return
		}
	}
}

// mourn returns how long to wait before the next helper is started, after one
// that lived so long.
func (g *Guard) mourn(lived time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if lived >= guardSteady {
		g.pause = 0
	}
	pause := g.pause
	g.pause = min(max(2*pause, guardFirst), guardMost)
	return pause
}
