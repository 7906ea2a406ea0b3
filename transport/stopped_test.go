package transport

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"

	"github.com/gorilla/websocket"
)

const subscribe = `{"jsonrpc":"2.0","id":1,"method":"feed.subscribe"}`

// bulky returns large jobs.
func bulky(n int) []core.Job {
	jobs := make([]core.Job, n)
	for i := range jobs {
		jobs[i] = core.Job{ID: core.JobID(fmt.Sprintf("J%03d", i)), Name: strings.Repeat("x", 3000), State: core.Running}
	}
	return jobs
}

// One monitor is stopped (Ctrl+Z) while 60 large jobs change all the time:
// another sees each change, nothing piles up in the dispatcher, and when the
// first goes on it finds the code that it was closed with and resumes.
func TestAStoppedMonitorHoldsUpNobodyAndCostsNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		jobs := bulky(60)
		d.put(jobs...)
		start(t, d, w.listen())
		stopped := stock(t, w)
		ask(t, stopped, subscribe)
		if f := next(t, stopped); f["method"] != "feed.snapshot" {
			t.Fatalf("came %.200v", f)
		}
		from := d.position()
		m := watchAll(t, dial(t, w))
		m.until(t, "the jobs", sameAs(d))

		begun := time.Now()
		var early, late runtime.MemStats
		const rounds = 60 // of 50 ms: less than it takes until a client is slow
		for round := range rounds {
			d.put(jobs...)
			want := d.position().Seq
			m.until(t, "the change", func(m *monitor) bool { return m.view.At.Seq >= want })
			synctest.Wait()
			switch round {
			case rounds / 3:
				runtime.GC()
				runtime.ReadMemStats(&early)
			case rounds - 1:
				runtime.GC()
				runtime.ReadMemStats(&late)
			}
		}
		if took := time.Since(begun); took >= WriteWait {
			t.Errorf("the others waited for the stopped one: %s", took)
		}
		if n := d.behind(t, len(jobs)); n != 1 {
			t.Errorf("%d monitors are behind, want the stopped one: was it ever slow?", n)
		}
		grown := int64(late.HeapAlloc) - int64(early.HeapAlloc)
		t.Logf("heap grew by %d KiB while %d MB were put", grown>>10, rounds*2/3*len(jobs)*len(jobs[0].Name)/1e6)
		if grown > 4<<20 {
			t.Errorf("the heap grew by %d KiB", grown>>10)
		}

		pass(WriteWait + slowLinger/2 - time.Since(begun)) // it goes on: soon enough to be told
		if code, bye := closed(t, stopped); code != codeSlow || bye["code"] != float64(codeSlow) {
			t.Errorf("closed with %d, %v", code, bye)
		}
		again := stock(t, w)
		ask(t, again, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"feed.subscribe","params":{"resume":[{"source":%q,"epoch":%q,"seq":%d}]}}`, from.Source, from.Epoch, from.Seq))
		for at := from.Seq; at < d.position().Seq; {
			p := next(t, again)
			if p["method"] != "feed.delta" || p["params"].(map[string]any)["from"] != float64(at) {
				t.Fatalf("at %d of %d came %.200v", at, d.position().Seq, p)
			}
			at = uint64(p["params"].(map[string]any)["to"].(float64))
		}
	})
}

func (m *memory) position() core.Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at
}

// behind counts the watchers that are, and checks that none is kept more for
// than an entry for each job.
func (m *memory) behind(t testing.TB, jobs int) (n int) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for w := range m.watchers {
		if len(w.dirty) > jobs {
			t.Errorf("%d entries are kept for a slow watcher of %d jobs", len(w.dirty), jobs)
		}
		if w.from+uint64(3*jobs) < m.at.Seq {
			n++
		}
	}
	return n
}

// BenchmarkAChangeBesideAStoppedMonitor is how long it takes until a monitor shows
// that 60 large jobs have changed, beside one that does not read, and alone to
// compare it with. Most of it is the 50 ms in which changes are merged.
func BenchmarkAChangeBesideAStoppedMonitor(b *testing.B) {
	for _, stopped := range []int{0, 1} {
		b.Run(fmt.Sprintf("stopped=%d", stopped), func(b *testing.B) {
			jobs := bulky(60)
			delays := make([]time.Duration, 0, b.N)
			for len(delays) < b.N {
				b.StopTimer()
				d := newMemory("e1")
				d.put(jobs...)
				addr := loopback(b, d)
				for range stopped {
					doNotRead(b, addr)
				}
				m := watchAll(b, dialTCP(b, addr))
				m.until(b, "the jobs", sameAs(d))
				change := func() {
					d.put(jobs...)
					want := d.position().Seq
					m.until(b, "the change", func(m *monitor) bool { return m.view.At.Seq >= want })
				}
				for d.behind(b, len(jobs)) < stopped { // until the kernel's buffers are full
					change()
				}
				b.StartTimer()
				for range min(20, b.N-len(delays)) { // a stopped one is closed after 5 s
					put := time.Now()
					change()
					delays = append(delays, time.Since(put))
				}
			}
			slices.Sort(delays)
			for _, p := range []int{50, 95} {
				b.ReportMetric(float64(delays[len(delays)*p/100])/1e6, fmt.Sprintf("p%d-ms", p))
			}
		})
	}
}

// doNotRead subscribes and then reads nothing any more.
func doNotRead(b *testing.B, addr string) {
	b.Helper()
	dialer := websocket.Dialer{Subprotocols: []string{Protocol}}
	ws, _, err := dialer.Dial("ws://"+addr+Path, map[string][]string{"Authorization": {"Bearer " + testToken}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ws.Close() })
	ask(b, ws, subscribe)
}
