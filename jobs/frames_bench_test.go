//go:build unix

package jobs

import (
	"context"
	"testing"
	"time"

	"dcctop/core"
)

// BenchmarkTenThousandChunks is a range of 10,000 chunks: how long its submission
// takes, how long until every chunk is there, how long it takes to cancel all,
// and the longest that somebody else who asks meanwhile waits.
func BenchmarkTenThousandChunks(b *testing.B) {
	var submit, all, cancel, wait, waitCancel time.Duration
	var memory float64
	for b.Loop() {
		d := start(b, Options{Slots: 1, Retain: 20_000})
		hold := make(deaf)
		other := submitFunc(b, d, core.Submission{}, hold.run) // no chunk starts
		before := heapInUse()

		watch := longestGet(d, other)
		begun := time.Now()
		id := submitRange(b, d, core.Frames{Range: "1-10000"}, "true")
		submit += time.Since(begun)
		for get(b, d, id).Children[core.Pending] < 10_000 {
			<-time.After(time.Millisecond)
		}
		all += time.Since(begun)
		wait = max(wait, watch())
		memory += (float64(heapInUse()) - float64(before)) / 10_000

		watch = longestGet(d, other)
		begun = time.Now()
		cancelAs(b, d, ana, id)
		cancel += time.Since(begun)
		waitCancel = max(waitCancel, watch())
		waitOver(b, d, id)
		hold <- nil
	}
	n := float64(b.N)
	b.ReportMetric(submit.Seconds()*1e6/n, "µs/submit")
	b.ReportMetric(all.Seconds()*1e3/n, "ms/all-there")
	b.ReportMetric(wait.Seconds()*1e3, "ms/longest-wait")
	b.ReportMetric(cancel.Seconds()*1e3/n, "ms/cancel")
	b.ReportMetric(waitCancel.Seconds()*1e3, "ms/longest-wait-in-cancel")
	b.ReportMetric(memory/n, "B/chunk")
}

// longestGet asks for a job again and again until it is called, and returns the
// longest that took.
func longestGet(d *Dispatcher, id core.JobID) func() time.Duration {
	stop, longest := make(chan struct{}), make(chan time.Duration)
	go func() {
		most := time.Duration(0)
		for {
			select {
			case <-stop:
				longest <- most
				return
			default:
			}
			begun := time.Now()
			_, _ = d.Get(context.Background(), id)
			most = max(most, time.Since(begun))
			<-time.After(200 * time.Microsecond)
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-longest
	}
}
