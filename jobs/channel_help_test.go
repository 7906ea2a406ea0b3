package jobs

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

const channelURL = "http://127.0.0.1:7720/v1/job"

// speaker is a process that is told where its channel is.
type speaker struct {
	*process
	hopes bool          // it is known to attach
	begun chan struct{} // closed when it runs

	mu  sync.Mutex // guards env
	env []string
}

func newSpeaker(obeys ...core.Step) *speaker {
	return &speaker{process: newProcess(obeys...), begun: make(chan struct{})}
}

func (s *speaker) AddEnv(entries ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.env = append(s.env, entries...)
}

func (s *speaker) Attaches() bool { return s.hopes }

func (s *speaker) Run(ctx context.Context, sink runner.Sink) runner.Result {
	close(s.begun)
	return s.process.Run(ctx, sink)
}

// token waits until the process runs, and returns its token.
func (s *speaker) token(t *testing.T) string {
	t.Helper()
	<-s.begun
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.env {
		if token, ok := strings.CutPrefix(e, "DCCTOP_TOKEN="); ok {
			return token
		}
	}
	t.Fatalf("no token in %q", s.env)
	return ""
}

type told struct {
	c   core.Cancellation
	err error
}

// ear is one stream of a job.
type ear struct {
	t    *testing.T
	told chan told
	cut  func() // ends it, and waits for that
}

// attachTo returns a stream that is attached, or has been refused.
func attachTo(t *testing.T, d *Dispatcher, token string) *ear {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	e := &ear{t: t, told: make(chan told, 10)}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for c, err := range d.Attach(ctx, token) {
			e.told <- told{c, err}
		}
	}()
	e.cut = func() {
		cancel()
		<-over
	}
	t.Cleanup(e.cut)
	return e
}

// next returns what the stream says next.
func (e *ear) next() told {
	e.t.Helper()
	select {
	case s := <-e.told:
		return s
	case <-time.After(6 * patience): // no time at all in a bubble
		e.t.Fatal("the stream says nothing")
		return told{}
	}
}

// attached expects that no cancel was asked for.
func (e *ear) attached() *ear {
	e.t.Helper()
	if s := e.next(); s.err != nil || s.c != (core.Cancellation{}) {
		e.t.Fatalf("first: %+v, %v", s.c, s.err)
	}
	return e
}

// submitSpeaker returns the id and the token of a job that runs.
func submitSpeaker(t *testing.T, d *Dispatcher, s core.Submission, p *speaker) (core.JobID, string) {
	t.Helper()
	if s.Name == "" {
		s.Name = "script"
	}
	id := submitRunner(t, d, s, p)
	return id, p.token(t)
}

func startChannel(t *testing.T, o Options) *Dispatcher {
	t.Helper()
	o.ChannelURL = channelURL
	return start(t, o)
}

// waitEnd is waitOver for a bubble, in which the whole of a ladder takes no time.
func waitEnd(t *testing.T, d *Dispatcher, id core.JobID) *core.Job {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 6*patience)
	defer stop()
	j, err := d.Wait(ctx, id)
	if err != nil {
		t.Fatalf("job %s is %s: %v", id, get(t, d, id).State, err)
	}
	return j
}
