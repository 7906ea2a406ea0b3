package jobs

import (
	"time"

	"dcctop/core"
)

// sink takes what a running job says.
type sink struct {
	d *Dispatcher
	e *entry
	w *work
}

func (s *sink) Write(p []byte) (int, error) { return s.e.log.Write(p) }

const (
	// sayEvery is the least time between two progress records of one job. A job
	// that reports in a tight loop would else push everything else out of the
	// ring.
	sayEvery = 20 * time.Millisecond
	// sayAgain is for how long a progress that says nothing new is left out.
	sayAgain = time.Second
)

// Progress takes what is read from the output. What a job says itself, through
// its channel, goes before it.
func (s *sink) Progress(p core.Progress) { s.tell(p, false) }

func (s *sink) tell(p core.Progress, itself bool) {
	p, ok := cleanProgress(p)
	if !ok {
		return
	}
	at := time.Now()
	p.At = core.At(at)
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if s.w.returned || s.e.work != s.w || s.w.spoken && !itself {
		return
	}
	if s.w.unsaid != nil { // say will find this one instead
		s.w.unsaid = &p
		return
	}
	silent := at.Sub(s.w.said)
	if old := s.e.job.Progress; old != nil && silent < sayAgain {
		same := *old
		if same.At = p.At; same == p {
			return
		}
	}
	s.w.unsaid = &p
	if silent >= sayEvery {
		s.say()
		return
	}
	s.d.task(func() {
		pause := time.NewTimer(sayEvery - silent)
		defer pause.Stop()
		select {
		case <-s.w.over:
		case <-pause.C:
		}
		s.d.mu.Lock()
		defer s.d.mu.Unlock()
		s.say()
	})
}

// say publishes the newest progress. The caller holds the mutex.
func (s *sink) say() {
	p := s.w.unsaid
	if p == nil || s.e.work != s.w {
		return
	}
	s.w.unsaid = nil
	s.w.said = time.Now()
	j := *s.e.job
	j.Progress = p
	s.d.put(s.e, j, false)
}
