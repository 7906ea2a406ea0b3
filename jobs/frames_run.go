package jobs

import (
	"context"
	"math"
	"strconv"
	"time"

	"dcctop/core"
)

// sumEvery is how often the parent of a range sums up what its running chunks
// say. It looks at its token as often.
const sumEvery = 250 * time.Millisecond

// run is the work of the parent: it submits the chunks, and those that failed
// once more, until all are over. It returns as soon as it is cancelled; what
// the chunks come to then is told by outcome, when the last is over.
func (f *frames) run(ctx context.Context) error {
	sum := time.NewTicker(sumEvery)
	defer sum.Stop()
	for {
		if err := core.CheckCancelled(ctx); err != nil {
			return err
		}
		nth, c, over := f.next()
		switch {
		case nth >= 0:
			f.start(ctx, nth, c)
			continue
		case over:
			return nil
		}
		select {
		case <-ctx.Done():
		case <-f.kick:
		case <-sum.C:
			f.sumUp()
		}
	}
}

// next returns a chunk to submit, or -1 where none waits, and whether all are
// over. A chunk that failed comes before the rest, so that what is wrong with
// the range shows early.
func (f *frames) next() (nth int, c chunk, over bool) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	switch {
	case f.tries == nil: // a shutdown has given the parent up
		return -1, c, true
	case len(f.again) > 0:
		nth, f.again = f.again[0], f.again[1:]
	case f.fresh < f.count:
		nth = f.fresh
		f.fresh++
	default:
		return -1, c, f.in[chunkLives] == 0
	}
	return nth, f.chunks[nth], false
}

// start submits the next try of a chunk.
func (f *frames) start(ctx context.Context, nth int, c chunk) {
	_, err := f.submit(nth, c, f.id)
	if err == nil {
		return
	}
	f.d.mu.Lock()
	open := f.open() && !f.d.closing
	if open {
		f.giveUp(nth, err.Error())
	}
	f.d.mu.Unlock()
	if !open { // the token is set, or just about to be
		<-ctx.Done()
	}
}

// submit submits a chunk as a job under parent, or under none.
func (f *frames) submit(nth int, c chunk, parent core.JobID, also ...onAdd) (*core.Job, error) {
	s, err := f.child(c, parent)
	if err != nil {
		return nil, err
	}
	runnerOf, err := f.d.prepare(&s)
	if err != nil {
		return nil, err
	}
	return f.d.submit(s, runnerOf, append(also, func(e *entry, j *core.Job) error {
		label(j, labelFrames, c.String())
		e.again = &again{frames: f, nth: nth, chunk: c}
		f.adopt(e, j)
		return nil
	})...)
}

// adopt makes e the current try of its chunk. The caller holds the mutex.
func (f *frames) adopt(e *entry, j *core.Job) {
	nth := e.again.nth
	if f.tries == nil {
		of := f.parent.again.line
		if of.alone == nil {
			of.alone = make(map[chunk]*entry)
		}
		of.alone[e.again.chunk] = e
		f.done.clear(nth) // its pictures are about to be written over
		return
	}
	f.move(nth, chunkLives)
	t := &f.tries[nth]
	if t.number < math.MaxUint8 {
		t.number++
	}
	if t.number > 1 {
		label(j, labelTry, strconv.Itoa(int(t.number)))
	}
}

// sumUp publishes the parent's progress where it has changed.
func (f *frames) sumUp() {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	e := f.parent
	if e.work == nil || f.tries == nil {
		return
	}
	p := f.progress()
	if old := e.job.Progress; old != nil && old.Current == p.Current && old.Message == p.Message {
		return
	}
	j := *e.job
	j.Progress = &p
	f.d.put(e, j, false)
}
