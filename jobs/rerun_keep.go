package jobs

import (
	"maps"
	"slices"

	"dcctop/core"
)

// onAdd is called under the mutex with a job that is about to be known. It may
// change the record, and stand against the job with an error.
type onAdd func(e *entry, j *core.Job) error

// again is what is kept of a job so that it can be run again. The dispatcher's
// mutex guards it.
type again struct {
	asked  *core.Submission // nil for a chunk: its range has it
	frames *frames          // of a parent of chunks, or of a chunk; nil for any other job
	nth    int              // which chunk; -1 for the parent
	chunk  chunk
	line   *line
}

// line is a job and all its reruns. No two of them live at once: they would write
// the same files.
type line struct {
	newest *entry
	alone  map[chunk]*entry // chunks that run again by themselves
}

// chunkOf returns the range that a job is a chunk of, or nil.
func (e *entry) chunkOf() *frames {
	if e.again != nil && e.again.nth >= 0 {
		return e.again.frames
	}
	return nil
}

// parentOf returns the range that a job is the parent of, or nil.
func (e *entry) parentOf() *frames {
	if e.again != nil && e.again.nth < 0 {
		return e.again.frames
	}
	return nil
}

// keepAgain keeps a submission with its job.
func keepAgain(s core.Submission) onAdd {
	asked := owned(s)
	return func(e *entry, j *core.Job) error {
		if asked.Script == nil {
			asked.Command = j.Command // the same strings: not to hold them twice
		}
		e.again = &again{asked: &asked, nth: -1, line: &line{newest: e}}
		return nil
	}
}

// owned returns a copy that shares nothing which the caller may change.
func owned(s core.Submission) core.Submission {
	s.Command = slices.Clone(s.Command)
	s.Env = slices.Clone(s.Env)
	s.Labels = maps.Clone(s.Labels)
	s.Slots, s.GraceMS, s.KillAfterMS = copied(s.Slots), copied(s.GraceMS), copied(s.KillAfterMS)
	s.Script, s.Frames = copied(s.Script), copied(s.Frames)
	if s.Script != nil {
		s.Script.Params = slices.Clone(s.Script.Params)
		s.Script.Args = slices.Clone(s.Script.Args)
	}
	return s
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
