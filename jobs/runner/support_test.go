//go:build linux || darwin

package runner

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dcctop/core"
)

// bound is how long a test waits for what must happen. Nothing waits for it to
// pass.
const bound = 20 * time.Second

// TestMain lets the test program play other parts: see dispatcherMain.
func TestMain(m *testing.M) {
	if os.Getenv("DCCTOP_TEST_PART") == "dispatcher" {
		dispatcherMain()
		return
	}
	os.Exit(m.Run())
}

// heard is a sink that can be waited on.
type heard struct {
	mu       sync.Mutex // guards all below
	text     bytes.Buffer
	progress []core.Progress
	changed  chan struct{} // closed and replaced at each change
}

func newHeard() *heard { return &heard{changed: make(chan struct{})} }

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.Write(p)
	close(h.changed)
	h.changed = make(chan struct{})
	return len(p), nil
}

func (h *heard) Progress(p core.Progress) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.progress = append(h.progress, p)
	close(h.changed)
	h.changed = make(chan struct{})
}

// until waits until ok holds, which is asked at each change under the lock.
func (h *heard) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	timeout := time.After(bound)
	for {
		h.mu.Lock()
		done, changed := ok(), h.changed
		h.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("waited in vain for %s; output:\n%s", what, h.String())
		}
	}
}

// word waits for a line "name value" and returns the value.
func (h *heard) word(t *testing.T, name string) string {
	t.Helper()
	var value string
	h.until(t, name, func() bool {
		for line := range strings.Lines(h.text.String()) {
			if v, ok := strings.CutPrefix(line, name+" "); ok && strings.HasSuffix(v, "\n") {
				value = strings.TrimSpace(v)
				return true
			}
		}
		return false
	})
	return value
}

func (h *heard) pid(t *testing.T, name string) int {
	t.Helper()
	pid, err := strconv.Atoi(h.word(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return pid
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// job is a command that runs in a test.
type job struct {
	*Command
	*heard
	done chan Result
}

// run starts a shell script as a job. What still runs of it at the end of the
// test is killed.
func run(t *testing.T, o CommandOptions, script string) *job {
	t.Helper()
	if script != "" {
		o.Argv = []string{"sh", "-c", script}
	}
	if o.KillAfter == 0 {
		o.KillAfter = time.Hour // a test that waits for it says so
	}
	c, err := NewCommand(o)
	if err != nil {
		t.Fatal(err)
	}
	j := &job{c, newHeard(), make(chan Result, 1)}
	over := make(chan struct{})
	go func() {
		defer close(over)
		j.done <- c.Run(context.Background(), j.heard)
	}()
	t.Cleanup(func() {
		c.Stop(core.StepKill)
		<-over
	})
	return j
}

func (j *job) result(t *testing.T) Result {
	t.Helper()
	select {
	case r := <-j.done:
		return r
	case <-time.After(bound):
		t.Fatalf("the job did not end; output:\n%s", j)
		return Result{}
	}
}

// leaderGone waits until the command itself has ended, whatever it left.
func (j *job) leaderGone(t *testing.T) {
	t.Helper()
	timeout := time.After(bound)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		j.mu().Lock()
		gone := j.gone
		j.mu().Unlock()
		if gone {
			return
		}
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatal("the command does not end")
		}
	}
}

func (j *job) mu() *sync.Mutex { return &j.Command.mu }

// trapped waits until a process ignores SIGTERM.
func trapped(t *testing.T, pid int) {
	t.Helper()
	timeout := time.After(bound)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ignoresTerm(pid) {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("process %d does not ignore SIGTERM", pid)
		}
	}
}
