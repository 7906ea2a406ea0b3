package jobs

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"dcctop/core"
)

// Options is how a dispatcher is set up. The zero value of a field takes the
// default.
type Options struct {
	Source string // names the dispatcher in its feed; default: the host's name
	Host   string // where the jobs run, as shown; default: the host's name

	Slots int // how many slots jobs share; default: the number of CPUs

	Grace     time.Duration // from a cancel to the next step of the ladder; default 30 s
	KillAfter time.Duration // from SIGTERM to SIGKILL where a process got the grace first; default 10 s
	DeafAfter time.Duration // without a check for so long a job is deaf; default 10 s
	Flush     time.Duration // changes of one job within this time are merged; default 50 ms

	// ChannelURL is where a process of a job reaches its control channel, e.g.
	// "http://127.0.0.1:7720/v1/job"; "" for none.
	ChannelURL string

	Ring     int // changes that a watcher may resume over; default 65536
	Retain   int // finished jobs that are kept, children that are done least; default 10000
	LogBytes int // the last bytes of output kept in memory per job; default 256 KiB

	// LogDir is where the output of jobs is kept, in files that only this user can
	// read; it is made if it is not there. "": in memory. See the package comment.
	LogDir string
	// LogDiskBytes is how many of the last bytes of a job's output LogDir has at
	// most; at least half as many are kept. Default 16 MiB.
	LogDiskBytes int64
}

const defaultLogDisk = 16 << 20

// validate fills in the defaults. Its errors wrap [core.ErrInvalid].
func (o *Options) validate() error {
	for _, f := range []struct {
		name   string
		value  *int
		preset int
	}{
		{"slots", &o.Slots, runtime.NumCPU()},
		{"ring", &o.Ring, 65536},
		{"retain", &o.Retain, 10000},
		{"log bytes", &o.LogBytes, 256 << 10},
	} {
		if *f.value < 0 {
			return invalid(f.name, "%d is below 0; give a number above 0, or 0 for the default of %d", *f.value, f.preset)
		}
		if *f.value == 0 {
			*f.value = f.preset
		}
	}
	switch n := o.LogDiskBytes; {
	case n < 0:
		return invalid("log disk bytes", "%d is below 0; give a number above 0, or 0 for the default of %d", n, defaultLogDisk)
	case n == 0:
		o.LogDiskBytes = defaultLogDisk
	}
	for _, f := range []struct {
		name   string
		value  *time.Duration
		preset time.Duration
	}{
		{"grace", &o.Grace, 30 * time.Second},
		{"kill after", &o.KillAfter, 10 * time.Second},
		{"deaf after", &o.DeafAfter, 10 * time.Second},
		{"flush", &o.Flush, 50 * time.Millisecond},
	} {
		if *f.value < 0 {
			return invalid(f.name, "%s is below 0; give a time above 0, or 0 for the default of %s", *f.value, f.preset)
		}
		if *f.value == 0 {
			*f.value = f.preset
		}
	}
	if err := checkChannelURL(o.ChannelURL); err != nil {
		return err
	}
	if o.Source != "" && o.Host != "" {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("name of this host: %w", err)
	}
	if o.Source == "" {
		o.Source = host
	}
	if o.Host == "" {
		o.Host = host
	}
	return nil
}

// invalid is an error that wraps [core.ErrInvalid], names the field and says
// what to do instead.
func invalid(field, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", core.ErrInvalid, field, fmt.Sprintf(format, args...))
}
