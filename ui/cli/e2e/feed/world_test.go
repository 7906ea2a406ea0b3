package feed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/jobs"
	"dcctop/jobs/runner"
	"dcctop/transport"
)

const (
	clients = 3
	// small, so that a resume is often just inside or just outside the ring,
	// and jobs are often purged.
	ringSize, retained = 8, 3
)

// world is a dispatcher, its server, and clients that follow its feed.
type world struct {
	t    *testing.T
	wire *wire

	dispatcher *jobs.Dispatcher
	server     *transport.Server
	serving    sync.WaitGroup
	levers     []lever

	followers []*follower
	following sync.WaitGroup
}

// lever moves one job: a number is progress, an error its end.
type lever struct {
	id  core.JobID
	end chan error
	say chan float64
}

// follower is a client and what it has made of the feed.
type follower struct {
	client *transport.Client
	mu     sync.Mutex // guards what follows
	view   core.View
	err    error
}

func newWorld(t *testing.T, latency time.Duration) *world {
	w := &world{t: t, wire: newWire(latency)}
	w.startDispatcher()
	w.startServer()
	for k := range clients {
		client, err := transport.Dial(transport.ClientOptions{URL: "127.0.0.1:1", Token: "secret", DialContext: w.wire.dialer(k)})
		if err != nil {
			t.Fatal(err)
		}
		f := &follower{client: client}
		w.followers = append(w.followers, f)
		w.following.Go(func() {
			for u, err := range client.Watch(context.Background()) {
				f.mu.Lock()
				if err == nil {
					err = f.view.Apply(u)
				}
				if f.err == nil {
					f.err = err
				}
				f.mu.Unlock()
			}
		})
	}
	return w
}

func (w *world) startDispatcher() {
	d, err := jobs.New(jobs.Options{
		Source: "farm", Host: "farm", Slots: 4, Ring: ringSize, Retain: retained,
		DeafAfter: time.Hour, // a late change of every running job would hide what a client missed
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.dispatcher, w.levers = d, nil
}

func (w *world) startServer() {
	s, err := transport.NewServer(w.dispatcher, transport.ServerOptions{Token: "secret", Actor: core.Actor{User: "ann", Host: "ws1"}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.server = s
	ln := w.wire.listen()
	w.serving.Go(func() { _ = s.Serve(context.Background(), ln) })
}

func (w *world) stopServer() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = w.server.Shutdown(ctx)
	w.serving.Wait()
}

func (w *world) stopDispatcher() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := w.dispatcher.Shutdown(ctx); err != nil {
		w.t.Errorf("dispatcher: %v", err)
	}
}

func (w *world) submit() {
	l := lever{end: make(chan error, 1), say: make(chan float64, 64)}
	j, err := w.dispatcher.SubmitFunc(core.Submission{Name: fmt.Sprintf("job %d", len(w.levers))}, func(ctx context.Context) error {
		for {
			select {
			case n := <-l.say:
				runner.Report(ctx).Progress(core.Progress{Current: n})
			case err := <-l.end:
				return err
			case <-ctx.Done():
				return core.CheckDCCCancelled(ctx)
			}
		}
	})
	if err != nil {
		w.t.Fatal(err)
	}
	l.id = j.ID
	w.levers = append(w.levers, l)
}

// lever picks a job by any number; nil when there is none.
func (w *world) lever(n int) *lever {
	if len(w.levers) == 0 {
		return nil
	}
	return &w.levers[n%len(w.levers)]
}

// differences says how each client's view differs from the dispatcher, once
// everything has settled.
func (w *world) differences() error {
	want := map[core.JobID]string{}
	for _, j := range w.dispatcher.List() {
		want[j.ID] = wireForm(j)
	}
	for k, f := range w.followers {
		f.mu.Lock()
		got := map[core.JobID]string{}
		for id, j := range f.view.Jobs {
			got[id] = wireForm(j)
		}
		err := f.err
		f.mu.Unlock()
		if err != nil {
			return fmt.Errorf("client %d: %w", k, err)
		}
		if !maps.Equal(got, want) {
			return fmt.Errorf("client %d shows\n%s\nthe dispatcher has\n%s", k, list(got), list(want))
		}
	}
	return nil
}

func wireForm(j *core.Job) string {
	b, err := json.Marshal(j)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func list(jobs map[core.JobID]string) string {
	text := ""
	for _, id := range slices.Sorted(maps.Keys(jobs)) {
		text += "  " + jobs[id] + "\n"
	}
	return text
}

func (w *world) close() {
	for _, f := range w.followers {
		_ = f.client.Close()
	}
	w.following.Wait()
	w.stopDispatcher()
	w.stopServer()
	w.wire.close()
}
