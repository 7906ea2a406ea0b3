package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/jobs"
)

// BenchmarkYToTheOtherMonitor times from the y of one operator to the end of
// the cancel on the screen of another (case 30), for a job that waits for its
// token. Frames of the screen are 8.3 ms apart, its looks at the feed 33 ms.
func BenchmarkYToTheOtherMonitor(b *testing.B) {
	f := newFarm(b, jobs.Options{Slots: 4})
	ann, bob := f.monitor("ann"), f.monitor("bob")
	ann.Type("h") // the new job is then alone, and under the cursor
	bob.Type("h")
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		name := fmt.Sprintf("job_%04d", n)
		f.job(name, "", func(ctx context.Context) error {
			<-ctx.Done()
			return core.CheckDCCCancelled(ctx)
		})
		ann.WaitLine(name, "running")
		bob.WaitLine(name, "running")
		ann.WaitLine("❯", name)
		ann.Type("c")
		ann.WaitLine("cancel this job?")
		settled(ann)
		start := time.Now()
		ann.Type("y")
		bob.WaitText(fmt.Sprintf("⊘ %d cancelled", n+1))
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100])/1e6, "p99-ms")
	ann.leave(b)
	bob.leave(b)
}
