package jobs

import (
	"dcctop/core"
	"dcctop/jobs/runner"
)

// maxRetries is the most that a chunk can be tried again.
const maxRetries = 100

// frames is what a dispatcher knows of a range of frames, beside the records of
// its children, which may be purged. It is there as long as the parent's record
// or one of its chunks' is, and small once the parent is over: a bit for each
// chunk.
type frames struct {
	d     *Dispatcher
	asked core.Submission // its slices and maps are not changed
	id    core.JobID      // the parent's
	count int             // chunks
	total int             // frames
	kick  chan struct{}   // holds one when a chunk has ended

	// The dispatcher's mutex guards what follows.

	parent *entry
	done   bits // chunks whose last try completed

	// Gone once the parent is over.
	chunks []chunk
	tries  []try // of each chunk
	fresh  int   // the first chunk that had no try
	again  []int // chunks that wait for their next try
	in     [chunkStates]int
	doneOf int     // frames in chunks that completed
	part   float64 // frames in chunks that run, by what these say
	why    string  // the error of the first that failed for good
}

// try is how a chunk stands.
type try struct {
	state  chunkState
	number uint8   // of the try; 0 for none yet
	part   float32 // frames, by what the running try says
}

type chunkState uint8

const (
	chunkWaits   chunkState = iota // for its first or next try to be submitted
	chunkLives                     // its try is submitted and not over
	chunkDone                      // completed
	chunkFailed                    // for good
	chunkStopped                   // cancelled or interrupted
	chunkStates
)

// submitFrames queues the parent of a range. Its work submits the chunks.
// Everything that can be wrong is found before there is any job.
func (d *Dispatcher) submitFrames(s core.Submission, also ...onAdd) (*core.Job, error) {
	chunks, total, err := cutFrames(*s.Frames)
	switch {
	case err != nil:
		return nil, err
	case s.Retries < 0 || s.Retries > maxRetries:
		return nil, invalid("retries", "%d is out of range; give 0 to %d", s.Retries, maxRetries)
	case s.Slots != nil && *s.Slots == 0:
		return nil, invalid("slots", "0 would start all %d chunks at once; give 1 or more for each chunk", len(chunks))
	}
	if err := checkSubmission(&s, d.opts.Slots); err != nil {
		return nil, err
	}
	first := s
	if err := chunks[0].fillInto(&first); err != nil {
		return nil, err
	}
	first.Frames, first.Retries = nil, 0
	runnerOf, err := d.prepare(&first)
	if err != nil {
		return nil, err
	}
	if err := checkFill(&s); err != nil {
		return nil, err
	}
	if _, err := runnerOf(""); err != nil { // the program is there, and so on
		return nil, err
	}
	shown, err := d.shownOf(s)
	if err != nil {
		return nil, err
	}
	s.Name, s.Kind, s.DCC = first.Name, first.Kind, first.DCC

	f := &frames{
		d:      d,
		asked:  owned(s),
		count:  len(chunks),
		total:  total,
		kick:   make(chan struct{}, 1),
		done:   newBits(len(chunks)),
		chunks: chunks,
		tries:  make([]try, len(chunks)),
	}
	f.in[chunkWaits] = len(chunks)
	parent := s
	slots := 0
	parent.Slots, parent.TimeoutMS = &slots, 0 // each chunk has its own
	found := func(e *entry, j *core.Job) error {
		f.parent = e
		if s.Script == nil {
			f.asked.Command = shown // the same strings: not to hold them twice
		}
		j.Command = shown
		e.again = &again{asked: &f.asked, frames: f, nth: -1, line: &line{newest: e}}
		label(j, labelFrames, s.Frames.Range)
		p := f.progress()
		j.Progress = &p
		return nil
	}
	return d.submit(parent, func(id core.JobID) (Runner, error) {
		f.id = id
		return runner.NewFunc(f.run), nil
	}, append([]onAdd{found}, also...)...)
}

// The labels that tell the jobs of a range apart.
const (
	labelFrames = "frames"
	labelTry    = "try"
	labelRerun  = "rerun_of"
)

// label sets a label of our own on a record that is not published yet.
func label(j *core.Job, name, value string) {
	if j.Labels == nil {
		j.Labels = make(map[string]string, 2)
	}
	j.Labels[name] = cut(value, maxLabel)
}

// child is the submission of a chunk.
func (f *frames) child(c chunk, parent core.JobID) (core.Submission, error) {
	s := f.asked
	s.Frames, s.Retries, s.Parent = nil, 0, parent
	span := " " + c.span()
	s.Name = cut(s.Name, maxName-len(span)) + span
	return s, c.fillInto(&s)
}
