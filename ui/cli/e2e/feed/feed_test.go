// Package feed_test proves the feed from end to end: a real dispatcher, a real
// server, real clients, and a network that cuts, delays and loses.
package feed_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"dcctop/core"
)

// step is one thing that happens; n picks the job or the client.
type step struct {
	Do string
	N  int
}

func drawSteps(rt *rapid.T) []step {
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
		return step{
			Do: rapid.SampledFrom([]string{
				"submit", "submit", "submit", "progress", "progress", "burst", "finish", "finish", "fail", "cancel",
				"cut", "cut", "miss a few", "miss a few", "lose a delta", "restart the server", "restart the dispatcher", "wait a little", "wait a little", "wait long",
			}).Draw(rt, "do"),
			N: rapid.IntRange(0, 40).Draw(rt, "n"),
		}
	}), 5, 60).Draw(rt, "steps")
}

func (w *world) do(s step) {
	lever := w.lever(s.N)
	switch s.Do {
	case "submit":
		w.submit()
	case "cut":
		w.wire.cut(s.N % clients)
	case "miss a few": // about as many changes as the ring holds
		w.wire.cut(s.N % clients)
		for i := range 1 + s.N/12 {
			w.submit()
			w.levers[(s.N+i)%len(w.levers)].finish(nil)
		}
		<-time.After(2 * time.Second)
	case "lose a delta":
		w.wire.loseDelta(s.N % clients)
	case "restart the server": // nothing is lost
		w.stopServer()
		w.startServer()
	case "restart the dispatcher": // everything is
		w.stopDispatcher()
		w.stopServer()
		w.startDispatcher()
		w.startServer()
	case "wait a little":
		<-time.After(time.Duration(s.N) * 3 * time.Millisecond)
	case "wait long":
		<-time.After(time.Duration(s.N) * time.Second)
	}
	if lever == nil {
		return
	}
	switch s.Do {
	case "progress":
		say(lever, float64(s.N))
	case "burst":
		for i := range s.N {
			say(lever, float64(i))
		}
	case "finish", "fail":
		var end error
		if s.Do == "fail" {
			end = errors.New("out of memory")
		}
		lever.finish(end)
	case "cancel":
		_, err := w.dispatcher.Cancel(context.Background(), core.CancelRequest{IDs: []core.JobID{lever.id}, By: core.Actor{User: "ann"}})
		if err != nil {
			w.t.Errorf("cancel: %v", err)
		}
	}
}

func (l *lever) finish(end error) {
	select {
	case l.end <- end:
	default: // it has been told already
	}
}

func say(l *lever, n float64) {
	select {
	case l.say <- n:
	default: // the job has ended, or waits for a slot
	}
}

// Whatever happens to links, servers and dispatchers, and however changes are
// merged: once it is quiet, every client shows exactly what the dispatcher has.
func TestEveryClientEndsWithTheDispatchersState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		latency := time.Duration(rapid.IntRange(0, 30).Draw(rt, "latency in ms")) * time.Millisecond
		steps := drawSteps(rt)
		var failure error
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, latency)
			defer w.close()
			<-time.After(time.Second)
			for _, s := range steps {
				w.do(s)
			}
			// Longer than the longest pause before a reconnect, and than the
			// time to notice that a delta was lost.
			<-time.After(3 * time.Minute)
			synctest.Wait()
			failure = w.differences()
		})
		if failure != nil {
			rt.Fatal(failure)
		}
	})
}
