package transport

import (
	"encoding/json"
	"fmt"
	"sync"

	"dcctop/core"
)

// jobCache keeps the JSON of each job as it was last sent, so that fifty
// monitors cost one marshalling. It relies on a *core.Job being immutable: the
// same pointer is the same text. It is emptied when the last feed ends, and
// forgets a job when any feed tells that it is gone.
type jobCache struct {
	mu    sync.Mutex // guards what follows
	jobs  map[core.JobID]cachedJob
	users int
}

type cachedJob struct {
	job  *core.Job
	text []byte
}

// acquire and release count the feeds that use the cache.
func (c *jobCache) acquire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users++; c.jobs == nil {
		c.jobs = map[core.JobID]cachedJob{}
	}
}

func (c *jobCache) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users--; c.users == 0 {
		c.jobs = nil
	}
}

// forget drops jobs that no feed will send again.
func (c *jobCache) forget(ids []core.JobID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		delete(c.jobs, id)
	}
}

// encode returns the JSON of j, which the caller does not change.
func (c *jobCache) encode(j *core.Job) ([]byte, error) {
	c.mu.Lock()
	have := c.jobs[j.ID]
	c.mu.Unlock()
	if have.job == j {
		return have.text, nil
	}
	text, err := encodeJob(j)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.jobs[j.ID].job; c.jobs != nil && (old == nil || old.Rev <= j.Rev) {
		c.jobs[j.ID] = cachedJob{j, text}
	}
	return text, nil
}

// encodeJob returns the JSON of a job. One that is too large for a frame loses
// its bulk and keeps everything that says how it stands.
func encodeJob(j *core.Job) ([]byte, error) {
	text, err := json.Marshal(j)
	if err == nil && len(text) <= MaxJobBytes {
		return text, nil
	}
	small := *j
	small.Result, small.Labels, small.Command = nil, nil, nil
	small.Name, small.Error, small.Dir = clip(j.Name, 1<<10), clip(j.Error, 4<<10), clip(j.Dir, 1<<10)
	if p := j.Progress; p != nil {
		short := *p
		short.Message = clip(p.Message, 1<<10)
		small.Progress = &short
	}
	if text, err = json.Marshal(&small); err != nil {
		return nil, fmt.Errorf("encode job %s: %w", j.ID, err)
	}
	return text, nil
}
