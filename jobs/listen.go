package jobs

import (
	"time"

	"dcctop/core"
)

// askEvery is how often running code is asked whether it looks at its token.
const askEvery = time.Second

// listen publishes, until the dispatcher ends, when the running code last
// looked, and which code has become deaf.
func (d *Dispatcher) listen() {
	defer close(d.stopped)
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
			d.ask()
		}
	}
}

// ask notes the answers to the last question and asks again.
func (d *Dispatcher) ask() {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := now()
	for w, e := range d.active {
		if w.returned || e.work != w {
			continue
		}
		j := *e.job
		if w.by() == core.StopsByToken {
			heard(&j, w.lastCheck(), max(j.StartedAt, w.since), at, d.opts.DeafAfter)
		} else if w.checked != 0 { // it looks, and does not listen
			j.LastCheckpointAt = w.checked
		}
		if j.LastCheckpointAt != e.job.LastCheckpointAt || j.DeafSince != e.job.DeafSince {
			d.put(e, j, false)
		}
		w.token.Ask()
	}
}

// heard sets on j what follows from the last check, if any, at a time. A job is
// deaf once it has not checked for limit, and since it last did or could.
func heard(j *core.Job, check, could, at core.Time, limit time.Duration) {
	if check != 0 {
		j.LastCheckpointAt = check
	}
	since := max(could, j.LastCheckpointAt)
	j.DeafSince = 0
	if at.Sub(since) >= limit {
		j.DeafSince = since
	}
}
