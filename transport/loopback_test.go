package transport

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"dcctop/core"
)

// loopback serves d on a real socket and returns its address.
func loopback(t testing.TB, d Dispatcher) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	start(t, d, ln)
	return ln.Addr().String()
}

func dialTCP(t testing.TB, addr string) *Client {
	t.Helper()
	c, err := Dial(ClientOptions{URL: addr, Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestAListenerThatOthersCanReachIsRefused(t *testing.T) {
	s, err := NewServer(newMemory("e1"), ServerOptions{Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Skip(err)
	}
	if err := s.Serve(t.Context(), ln); err == nil || !strings.Contains(err.Error(), "not encrypted") {
		t.Errorf("serve: %v", err)
	}
}

// BenchmarkCancelRoundTrip is a cancel from a client to the dispatcher and back,
// and until a second monitor shows it.
func BenchmarkCancelRoundTrip(b *testing.B) {
	d := newMemory("e1")
	addr := loopback(b, d)
	c := dialTCP(b, addr)
	m := watchAll(b, dialTCP(b, addr))
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		if i%CommandBurst == CommandBurst-1 { // a connection's allowance is used up
			_ = c.Close()
			c = dialTCP(b, addr)
		}
		id := core.JobID(fmt.Sprint("J", i))
		d.put(running(id))
		m.until(b, "the job", has(id, core.Running))
		b.StartTimer()
		if _, err := c.Cancel(context.Background(), core.CancelRequest{IDs: []core.JobID{id}}); err != nil {
			b.Fatal(err)
		}
		m.until(b, "cancelling", has(id, core.Cancelling))
	}
}

// BenchmarkSnapshot is the first paint of a farm of 10,000 jobs, over loopback.
func BenchmarkSnapshot(b *testing.B) {
	d := newMemory("e1")
	for _, j := range farm(10_000, 1) {
		d.put(*j)
	}
	addr := loopback(b, d)
	b.ResetTimer()
	for range b.N {
		m := watchAll(b, dialTCP(b, addr))
		m.until(b, "all jobs", func(m *monitor) bool { return len(m.view.Jobs) == 10_000 })
		m.stop()
	}
}

// farm returns jobs as they usually are.
func farm(n int, rev uint64) []*core.Job {
	jobs := make([]*core.Job, n)
	for i := range jobs {
		jobs[i] = &core.Job{
			ID: core.JobID(fmt.Sprintf("01JD8Z9Q4M%016d", i)), Name: fmt.Sprintf("shot_%04d_lighting_v012", i), Kind: "blender",
			State: core.Running, Rev: rev + uint64(i), User: "ann", Host: "render-17", DCC: "blender", Slots: 1,
			Labels: map[string]string{"show": "dune", "shot": fmt.Sprint(i)}, Command: []string{"blender", "-b", "/shows/dune/shot.blend", "-a"},
			CreatedAt: 1764486000000, StartedAt: 1764486001000, StopsBy: core.StopsBySignal,
			Progress: &core.Progress{Current: 12, Total: 240, Unit: "frame", At: 1764486002000},
		}
	}
	return jobs
}

// BenchmarkFiftyMonitors encodes one change of 100 jobs for 50 monitors, with
// and without the cache of texts.
func BenchmarkFiftyMonitors(b *testing.B) {
	for _, cached := range []bool{true, false} {
		b.Run(fmt.Sprintf("cached=%t", cached), func(b *testing.B) {
			b.ReportAllocs()
			c := newCache()
			seq := uint64(0)
			for range b.N {
				b.StopTimer()
				ch := &core.Change{Source: "s", Epoch: "e", From: seq, To: seq + 100, Jobs: farm(100, seq+1)}
				seq += 100
				b.StartTimer()
				for range 50 {
					if !cached {
						c = newCache()
					}
					frames, err := c.deltaFrames(ch)
					if err != nil {
						b.Fatal(err)
					}
					for range frames {
					}
				}
			}
		})
	}
}
