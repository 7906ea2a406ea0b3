package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"dcctop/core"
	"dcctop/jobs"
	"dcctop/jobs/runner"
	"dcctop/screenshots/stage"
	"dcctop/transport"
	"dcctop/ui/tui/tuitest"
)

// frames is how many a job says it has; after the last comes the first.
const frames = 1000

// farm is a real dispatcher behind a real server in this process, with jobs
// that do nothing but say how far they are.
type farm struct {
	t     tuitest.T
	d     *jobs.Dispatcher
	url   string
	token string // the file

	work []chan float64 // one for each job: how far it is to say it is
}

// openFarm serves an empty dispatcher until t ends.
func openFarm(t tuitest.T, ctx context.Context, st *stage.Stage) *farm {
	f := &farm{t: t, token: filepath.Join(st.Dir, "token")}
	token, err := transport.MakeToken(f.token)
	f.must(err)
	f.d, err = jobs.New(jobs.Options{Source: "farm", Host: "farm-01", Slots: 1})
	f.must(err)
	server, err := transport.NewServer(f.d, transport.ServerOptions{Token: token, Actor: core.Actor{User: "mira", Host: "ws-07"}})
	f.must(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	f.must(err)
	f.url = "ws://" + listener.Addr().String() + transport.Path
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		if err := errors.Join(f.d.Shutdown(end), server.Shutdown(end), <-served); err != nil {
			t.Fatalf("end of the farm: %v", err)
		}
	})
	return f
}

func (f *farm) must(err error) {
	if err != nil {
		f.t.Fatalf("farm: %v", err)
	}
}

// fill submits n jobs that take no slot, so that all of them run.
func (f *farm) fill(n int) {
	kinds := []string{"blender", "maya", "houdini", "ffmpeg"}
	users := []string{"mira", "jun", "tobias", "ada"}
	var running sync.WaitGroup
	for i := range n {
		say := make(chan float64, 1)
		f.work = append(f.work, say)
		running.Add(1)
		_, err := f.d.SubmitFunc(core.Submission{
			Name:  fmt.Sprintf("sh%03d_%05d_beauty", i/100, i),
			Kind:  kinds[i%len(kinds)],
			Slots: new(0),
			By:    core.Actor{User: users[i%len(users)], Host: "ws-07"},
		}, func(ctx context.Context) error {
			running.Done()
			return tell(ctx, runner.Report(ctx), say)
		})
		f.must(err)
	}
	running.Wait()
}

// tell is such a job: it looks at its token and says how far it is, whenever it
// is told to.
func tell(ctx context.Context, to runner.Sink, say <-chan float64) error {
	for {
		select {
		case <-ctx.Done():
			return core.CheckCancelled(ctx)
		case done := <-say:
			if err := core.CheckCancelled(ctx); err != nil {
				return err
			}
			to.Progress(core.Progress{Current: done, Total: frames, Unit: "frame"})
		}
	}
}

// pace has the first n jobs make rate updates per second together, spread
// evenly over time and at random over the jobs. The returned function ends
// that, and returns how many per second it really were.
func (f *farm) pace(ctx context.Context, rate, n int) func() float64 {
	const tick = 5 * time.Millisecond
	ctx, cancel := context.WithCancel(ctx)
	var sent atomic.Int64
	var over sync.WaitGroup
	start := time.Now()
	over.Go(func() {
		frame := make([]int, n)
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			due := int64(time.Since(start).Seconds() * float64(rate))
			for sent.Load() < due {
				i := rand.IntN(n)
				frame[i] = (frame[i] + 1) % frames
				select {
				case f.work[i] <- float64(frame[i]):
				default: // it has not said the last one yet
				}
				sent.Add(1)
			}
		}
	})
	return func() float64 {
		took := time.Since(start)
		cancel()
		over.Wait()
		return float64(sent.Load()) / took.Seconds()
	}
}

// position returns how many changes there have been.
func (f *farm) position(ctx context.Context) uint64 {
	for u, err := range f.d.Watch(ctx) {
		f.must(err)
		if u.Snapshot != nil {
			return u.Snapshot.At
		}
	}
	return 0
}
