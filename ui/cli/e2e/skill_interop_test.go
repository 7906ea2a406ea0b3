//go:build interop && linux

package e2e_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dcctop/core"
)

const keyRuns = 50

// The headline: a script of the ecosystem, unmodified, stops within a check of
// the key press. The figures of 50 key presses are in the output of -v, for
// each interpreter, with dcc-mcp-core and without.
func TestInteropAKeyPressStopsAnUnmodifiedSkillWithinACheck(t *testing.T) {
	const delay = 50 * time.Millisecond
	skills, err := filepath.Abs("testdata/skills")
	if err != nil {
		t.Fatal(err)
	}
	all := pythons(t)
	for _, python := range []string{all[0], all[len(all)-1]} {
		d := newDesk(t)
		d.serve()
		m := d.monitor(120, 30)
		m.WaitText("● live")
		m.Type("h") // the script that runs is then alone on the screen
		var seen, stopped []time.Duration
		for range keyRuns {
			id := d.submit("--skill", skills, "--tool", "count", "--python", python, "--params", `{"iterations": 2000, "delay": 0.05}`)
			d.job(id, "its first check", func(j core.Job) bool { return j.LastCheckpointAt != 0 })
			m.WaitLine("❯", "running", id[len(id)-6:])
			m.Type("c")
			m.WaitText("y cancel")
			pressed := time.Now()
			m.Type("y")
			j := d.job(id, "the end", func(j core.Job) bool { return j.State.Terminal() })
			if c := j.Cancellation; j.State != core.Cancelled || c == nil || c.SeenAt.IsZero() || c.Step != core.StepToken {
				t.Fatalf("%s: %s, %+v, %s", python, j.State, j.Cancellation, j.Error)
			}
			seen = append(seen, j.Cancellation.SeenAt.Std().Sub(pressed))
			stopped = append(stopped, j.Cancellation.StoppedAt.Std().Sub(pressed))
		}
		slices.Sort(seen)
		slices.Sort(stopped)
		t.Logf("%s\nstep of the script %v; from y to seen: p50 %v, p99 %v; from y to stopped: p50 %v, p99 %v", python, delay,
			seen[keyRuns/2].Round(time.Millisecond), seen[keyRuns*99/100].Round(time.Millisecond),
			stopped[keyRuns/2].Round(time.Millisecond), stopped[keyRuns*99/100].Round(time.Millisecond))
		m.Type("q")
		m.Wait()
	}
}

func TestInteropTheDeafSkillIsNamedBeforeAnyoneCancels(t *testing.T) {
	skills, err := filepath.Abs("testdata/skills")
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	d.serve()
	id := d.submit("--skill", skills, "--tool", "deaf", "--python", pythons(t)[0], "--grace", "1s", "--kill-after", "2s",
		"--params", `{"iterations": 2000}`)
	m := d.monitor(120, 30)
	m.WaitText("deaf for", 30*time.Second)
	m.Type("c")
	m.WaitText("y cancel")
	m.Type("y")
	m.WaitLine(id[len(id)-6:], "cancelling")
	m.WaitLine(id[len(id)-6:], "cancelled")
	m.Type("q")
	m.Wait()
	j := d.job(id, "the end", func(j core.Job) bool { return j.State.Terminal() })
	if c := j.Cancellation; !c.SeenAt.IsZero() || c.Step != core.StepTerm {
		b, _ := json.Marshal(j)
		t.Errorf("%s", b)
	}
}
