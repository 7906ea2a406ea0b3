//go:build measure && linux

package jobs

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dcctop/core"
)

// What a dispatcher costs while jobs print. Run it with
//
//	go test -tags measure -run TestCostOfJobsThatPrint -v ./jobs
//
// The printers are processes of their own and are not counted.

// TestMain lets the test program play the part of a job that prints.
func TestMain(m *testing.M) {
	if kind := os.Getenv("PRINT"); kind != "" {
		print100(kind)
		return
	}
	os.Exit(m.Run())
}

// print100 prints 100 lines a second until it is killed.
func print100(kind string) {
	tick := time.NewTicker(10 * time.Millisecond)
	for n := 0; ; n++ {
		<-tick.C
		if kind == "progress" {
			fmt.Printf("ALF_PROGRESS %d%%\n", n/10%101)
			continue
		}
		fmt.Printf("%06d reading textures/plates/sh0%03d_beauty.%04d.exr, 1.4 MB in 12 ms\n", n, n%200, n%240)
	}
}

func TestCostOfJobsThatPrint(t *testing.T) {
	const printers, measured = 200, 10 * time.Second
	for _, kind := range []string{"", "text", "progress"} {
		t.Run(max(kind, "nothing runs"), func(t *testing.T) {
			d := start(t, Options{Slots: printers, Grace: time.Second})
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for range d.Watch(t.Context()) { // ends with the test
				}
			}()
			var last core.JobID
			for range printers {
				if kind != "" {
					last = submit(t, d, core.Submission{Name: "printer", Command: []string{self}, Env: []string{"PRINT=" + kind, "GOMAXPROCS=1"}}).ID
				}
			}
			for begin := time.Now(); last != ""; <-time.After(10 * time.Millisecond) {
				chunk, err := d.Log(t.Context(), last, 0)
				if err != nil || time.Since(begin) > patience {
					t.Fatalf("the last printer does not print: %v", err)
				}
				if chunk.Next > 0 {
					break
				}
			}
			runtime.GC()
			cpu, begin := cpuTime(t), time.Now()
			<-time.After(measured)
			used, took := cpuTime(t)-cpu, time.Since(begin)
			t.Logf("%d printers: dispatcher %.1f %% of a core, %d MiB resident, %d goroutines",
				len(d.List()), 100*used.Seconds()/took.Seconds(), resident(t), runtime.NumGoroutine())
			for _, j := range d.List() {
				if j.State != core.Running {
					t.Errorf("%s is %s: %s", j.ID, j.State, j.Error)
				}
			}
		})
	}
}

// cpuTime is what this process has used so far; its children are not in it.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident is the memory of this process, in MiB.
func resident(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kib >> 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
