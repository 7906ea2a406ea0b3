package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// figures is what was measured.
type figures struct {
	columns                 []column
	heapPerJob, stackPerJob int64 // of the dispatcher
	monitorEmpty            int64
}

// column is the figures under one load.
type column struct {
	load
	paint   time.Duration
	use     usage
	keys    latencies
	memory  int64
	sent    float64 // updates per second
	changes float64 // in the feed, per second
}

// heap is what this process uses.
type heap struct{ heap, stack int64 }

func own() heap {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return heap{int64(m.HeapAlloc), int64(m.StackInuse)}
}

func (h heap) perJob(after heap, jobs int) (heapPerJob, stackPerJob int64) {
	return (after.heap - h.heap) / int64(jobs), (after.stack - h.stack) / int64(jobs)
}

func (f *figures) report(s settings) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Measured

The monitor on a pseudo-terminal of %dx%d cells, over a WebSocket from a dispatcher with %s running jobs.
Dispatcher, load, terminal emulator and monitor share one machine with %d cores (%s/%s).
Measure again with %s.

`, s.width, s.height, thousands(s.jobs), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, "`go run ./screenshots/measure`")
	fmt.Fprint(&b, "| updates |")
	for _, c := range f.columns {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---|", len(f.columns)))
	row := func(what string, figure func(column) string) {
		fmt.Fprintf(&b, "| %s |", what)
		for _, c := range f.columns {
			fmt.Fprintf(&b, " %s |", figure(c))
		}
		fmt.Fprintln(&b)
	}
	row("first paint: from the start of the program to a screen full of jobs", func(c column) string { return ms(c.paint) })
	row(fmt.Sprintf("key to screen, p50 of %d", s.keys), func(c column) string { return ms(c.keys.at(0.5)) })
	row("key to screen, p99", func(c column) string { return ms(c.keys.at(0.99)) })
	row("key to screen, the slowest", func(c column) string { return ms(c.keys.at(1)) })
	row("written to the terminal", func(c column) string { return c.use.perSecond() })
	row("processor time of the monitor, of one core", func(c column) string { return c.use.share() })
	row("memory of the monitor", func(c column) string { return mib(c.memory) })
	row("updates made", func(c column) string { return thousands(int(c.sent+0.5)) + "/s" })
	row("changes in the feed, with checkpoints and who has gone deaf", func(c column) string { return thousands(int(c.changes+0.5)) + "/s" })
	most := int64(0)
	for _, c := range f.columns {
		most = max(most, c.memory)
	}
	fmt.Fprintf(&b, "\nMemory per running job: %s of heap and %s of stack in the dispatcher", kib(f.heapPerJob), kib(f.stackPerJob))
	if most > 0 {
		fmt.Fprintf(&b, "; %s in the monitor, which takes %s without jobs", kib((most-f.monitorEmpty)/int64(s.jobs)), mib(f.monitorEmpty))
	}
	fmt.Fprintln(&b, ".")
	return b.String()
}

func (u usage) perSecond() string {
	return fmt.Sprintf("%.1f kB/s", float64(u.bytes)/1000/u.over.Seconds())
}

func (u usage) share() string {
	if u.cpu == 0 && runtime.GOOS != "linux" {
		return "not known here"
	}
	return fmt.Sprintf("%.1f %%", 100*u.cpu.Seconds()/u.over.Seconds())
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

func mib(n int64) string {
	if n == 0 {
		return "not known here"
	}
	return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
}

func kib(n int64) string { return fmt.Sprintf("%.1f KiB", float64(n)/1024) }

// thousands writes 10000 as 10,000.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
