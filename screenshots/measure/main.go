// Command measure runs the monitor on a pseudo-terminal against a dispatcher
// with many jobs that change all the time, and writes down what it costs and
// how long a key takes: go run ./screenshots/measure
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"dcctop/screenshots/stage"
	"dcctop/ui/tui/tuitest"
)

// settings is what is measured.
type settings struct {
	jobs          int
	rate          int // updates per second
	width, height int
	keys          int           // how many key presses are timed
	window        time.Duration // over which what is written and used is counted
	out           string
}

func main() {
	s := settings{}
	flag.IntVar(&s.jobs, "jobs", 10_000, "how many jobs run")
	flag.IntVar(&s.rate, "rate", 5_000, "how many updates they make per second, together")
	flag.IntVar(&s.width, "width", 160, "of the terminal")
	flag.IntVar(&s.height, "height", 48, "of the terminal")
	flag.IntVar(&s.keys, "keys", 400, "how many key presses are timed")
	flag.DurationVar(&s.window, "window", 10*time.Second, "how long bytes and processor time are counted")
	flag.StringVar(&s.out, "o", "", "where the figures go (default: screenshots/MEASURED.md of the module)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings, log io.Writer) (err error) {
	st, err := stage.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if s.out == "" {
		s.out = filepath.Join(st.Root, "screenshots", "MEASURED.md")
	}
	var f figures
	err = stage.Play(func(t tuitest.T) {
		farm := openFarm(t, ctx, st)
		few := startMonitor(t, st, farm, s)
		few.firstPaint()
		f.monitorEmpty = memory(few.PID())
		few.leave()
		before := own()
		farm.fill(s.jobs)
		f.heapPerJob, f.stackPerJob = before.perJob(own(), s.jobs)
		for _, l := range []load{
			{"none", 0, s.jobs},
			{thousands(s.rate) + "/s over all jobs", s.rate, s.jobs},
			{thousands(s.rate) + "/s by the jobs on the screen", s.rate, min(s.height, s.jobs)},
		} {
			fmt.Fprintf(log, "%d jobs, updates: %s\n", s.jobs, l.name)
			f.columns = append(f.columns, measure(ctx, t, st, farm, s, l))
		}
	})
	if err != nil {
		return err
	}
	text := f.report(s)
	fmt.Fprint(log, text)
	return os.WriteFile(s.out, []byte(text), 0o644)
}

// load is how the jobs change.
type load struct {
	name string
	rate int // updates per second
	over int // of how many jobs, the first ones
}

// measure starts a monitor under a load and looks at what it does.
func measure(ctx context.Context, t tuitest.T, st *stage.Stage, farm *farm, s settings, l load) column {
	stop := farm.pace(ctx, l.rate, l.over)
	m := startMonitor(t, st, farm, s)
	c := column{load: l, paint: m.firstPaint()}
	m.settle(ctx, 2*time.Second)
	seq := farm.position(ctx)
	c.use = m.count(ctx, s.window)
	c.changes = float64(farm.position(ctx)-seq) / c.use.over.Seconds()
	c.keys = m.pressKeys(s.keys)
	c.memory = memory(m.PID())
	c.sent = stop()
	m.leave()
	return c
}
