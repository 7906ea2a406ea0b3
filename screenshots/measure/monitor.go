package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"dcctop/screenshots/stage"
	"dcctop/ui/tui/tuitest"
)

// monitor is the real program on a pseudo-terminal.
type monitor struct {
	*tuitest.Program
	t       tuitest.T
	started time.Time
	jobs    int // that there are
}

func startMonitor(t tuitest.T, st *stage.Stage, f *farm, s settings) *monitor {
	env, err := st.Env("monitor")
	if err != nil {
		t.Fatalf("%v", err)
	}
	m := &monitor{t: t, started: time.Now(), jobs: len(f.work)}
	m.Program = tuitest.StartWith(t,
		tuitest.Options{Width: s.width, Height: s.height, NoHistory: true, Timeout: time.Minute},
		tuitest.Command{Argv: []string{st.Program, "--server", f.url, "--token-file", f.token}, Env: env})
	return m
}

// firstPaint waits until the screen is full of jobs, or live where there are
// none, and returns the time since the program was started.
func (m *monitor) firstPaint() time.Duration {
	if m.jobs == 0 {
		m.WaitText("live")
		return time.Since(m.started)
	}
	_, height := m.Size()
	rows := min(m.jobs, height/2)
	m.WaitFor("a screen full of jobs", func(s string) bool { return strings.Count(s, "_beauty") >= rows })
	return time.Since(m.started)
}

// settle lets the program run for a while.
func (m *monitor) settle(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
		m.t.Fatalf("interrupted")
	case <-time.After(d):
	}
}

// usage is what a program did over some time.
type usage struct {
	over  time.Duration
	bytes int64         // to the terminal
	cpu   time.Duration // of one core
}

func (m *monitor) count(ctx context.Context, window time.Duration) usage {
	bytes, cpu, start := m.Bytes(), processor(m.PID()), time.Now()
	m.settle(ctx, window)
	return usage{over: time.Since(start), bytes: m.Bytes() - bytes, cpu: processor(m.PID()) - cpu}
}

// pressKeys moves the cursor down and up and returns how long each key took to
// be on the screen.
func (m *monitor) pressKeys(n int) latencies {
	m.Key("g")
	m.WaitFor("the cursor on the first row", func(string) bool { return m.selected() >= 0 })
	var l latencies
	for i := range n {
		was := m.selected()
		key := "j"
		if i/10%2 == 1 {
			key = "k"
		}
		start := time.Now()
		m.Type(key)
		m.WaitFor("the cursor to move", func(string) bool { now := m.selected(); return now >= 0 && now != was })
		l = append(l, time.Since(start))
	}
	slices.Sort(l)
	return l
}

// selected returns the row of the screen that the cursor is on, or -1.
func (m *monitor) selected() int {
	for y, line := range strings.Split(m.Text(), "\n") {
		if strings.Contains(line, "❯") && strings.Contains(line, "_beauty") {
			return y
		}
	}
	return -1
}

// leave quits and waits for the end.
func (m *monitor) leave() {
	m.Type("q")
	if code := m.Wait(); code != 0 {
		m.t.Fatalf("the monitor ended with %d\n%s", code, m.Framed(m.Text()))
	}
}

// latencies are sorted.
type latencies []time.Duration

func (l latencies) at(share float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return l[min(int(share*float64(len(l))), len(l)-1)]
}
