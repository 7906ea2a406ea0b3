package jobs

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"dcctop/core"
)

// farm returns a dispatcher with n jobs: a few run, the rest wait or, with
// finished, are over.
func farm(b *testing.B, n int, finished bool) (*Dispatcher, []core.JobID) {
	b.Helper()
	d := start(b, Options{Slots: 1, Retain: n})
	hold := make(chan struct{})
	b.Cleanup(func() { close(hold) })
	if !finished {
		submitFunc(b, d, core.Submission{}, func(context.Context) error { <-hold; return nil })
	}
	ids := make([]core.JobID, 0, n)
	for i := range n {
		s := core.Submission{Name: fmt.Sprintf("shot_%06d", i), By: ana}
		ids = append(ids, submitFunc(b, d, s, nothing))
	}
	if finished {
		for _, id := range ids {
			waitOver(b, d, id)
		}
	}
	return d, ids
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkMemoryPerJob(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		for _, finished := range []bool{false, true} {
			b.Run(fmt.Sprintf("jobs=%d/finished=%v", n, finished), func(b *testing.B) {
				for b.Loop() {
					before := heapInUse()
					d, ids := farm(b, n, finished)
					after := heapInUse()
					b.ReportMetric(float64(after-before)/float64(n), "B/job")
					runtime.KeepAlive(d)
					runtime.KeepAlive(ids)
				}
			})
		}
	}
}

func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("jobs=", n), func(b *testing.B) {
			d, _ := farm(b, n, false)
			b.ReportAllocs()
			for b.Loop() {
				d.mu.Lock()
				s := d.reg.snapshot()
				d.mu.Unlock()
				if len(s.Jobs) != n+1 {
					b.Fatal(len(s.Jobs))
				}
			}
		})
	}
}

// BenchmarkUpdate is one change of a job's record.
func BenchmarkUpdate(b *testing.B) {
	for _, watchers := range []int{0, 1, 50} {
		b.Run(fmt.Sprint("watchers=", watchers), func(b *testing.B) {
			d, ids := farm(b, 10_000, false)
			d.mu.Lock()
			defer d.mu.Unlock()
			var ws []*watcher
			for range watchers {
				w, _ := d.reg.attach(nil)
				ws = append(ws, w)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e := d.reg.byID[ids[i%len(ids)]]
				j := *e.job
				j.Progress = &core.Progress{Current: float64(i)}
				d.put(e, j, false)
				if i++; i%250 == 0 { // 50 ms at 5,000 a second
					for _, w := range ws {
						d.reg.take(w)
					}
				}
			}
			for _, w := range ws {
				d.reg.detach(w)
			}
		})
	}
}

// BenchmarkFlush is one merged change of 250 jobs, what 5,000 updates a second
// make of 50 ms.
func BenchmarkFlush(b *testing.B) {
	d, ids := farm(b, 10_000, false)
	d.mu.Lock()
	defer d.mu.Unlock()
	w, _ := d.reg.attach(nil)
	defer d.reg.detach(w)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for _, id := range ids[:250] {
			e := d.reg.byID[id]
			d.put(e, *e.job, false)
		}
		b.StartTimer()
		inOrder(d.reg.take(w))
	}
}

// BenchmarkSubmit is a Go function from its submission to its end.
func BenchmarkSubmit(b *testing.B) {
	d := start(b, Options{Retain: 1000})
	b.ReportAllocs()
	for b.Loop() {
		waitOver(b, d, submitFunc(b, d, core.Submission{}, nothing))
	}
}

// BenchmarkCancelPending is a cancel of 1,000 jobs in one command.
func BenchmarkCancelPending(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		d, ids := farm(b, 1000, false)
		b.StartTimer()
		cancelAs(b, d, ana, ids...)
	}
}
