package jobs

import "dcctop/core"

// note takes in the newest record of a chunk. The caller holds the mutex.
func (f *frames) note(nth int, e *entry) {
	j := e.job
	over := j.State.Terminal()
	if f.tries == nil { // run again by itself, once the range was over
		if over {
			delete(f.parent.again.line.alone, e.again.chunk)
		}
		if j.State == core.Completed {
			f.done.set(nth)
		}
		return
	}
	t := &f.tries[nth]
	part := float32(0)
	if fraction, ok := j.Progress.Fraction(); ok && !over {
		part = float32(fraction * float64(f.chunks[nth].frames()))
	}
	f.part += float64(part - t.part)
	t.part = part
	if !over {
		return
	}
	switch {
	case j.State == core.Completed:
		f.move(nth, chunkDone)
	case j.State != core.Failed:
		f.move(nth, chunkStopped)
	case int(t.number) <= f.asked.Retries && f.open() && !byOperator(e.work):
		f.again = append(f.again, nth)
		f.move(nth, chunkWaits)
	default:
		f.giveUp(nth, j.Error)
	}
	raise(f.kick)
}

// byOperator reports whether somebody asked for the work to stop. Its timeout
// is nobody.
func byOperator(w *work) bool { return w != nil && w.why != nil && w.why.cause != ErrTimedOut }

// open reports whether more tries may be started.
func (f *frames) open() bool {
	return f.parent.job.State == core.Running && !f.parent.work.returned
}

func (f *frames) move(nth int, to chunkState) {
	t := &f.tries[nth]
	if t.state == chunkDone {
		f.doneOf -= f.chunks[nth].frames()
		f.done.clear(nth)
	}
	f.in[t.state]--
	f.in[to]++
	if t.state = to; to == chunkDone {
		f.doneOf += f.chunks[nth].frames()
		f.done.set(nth)
	}
}

func (f *frames) giveUp(nth int, why string) {
	if f.in[chunkFailed] == 0 {
		f.why = why
	}
	f.move(nth, chunkFailed)
}

// close drops what is of no use once the parent is over. The caller holds the
// mutex.
func (f *frames) close() {
	f.chunks, f.tries, f.again = nil, nil, nil
}
