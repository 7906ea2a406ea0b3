// Package e2e_test holds the tests that see dcctop as its users do: a real
// dispatcher behind a real feed, the real commands, and the real screen on a
// terminal.
package e2e_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/jobs"
	"dcctop/jobs/runner"
	"dcctop/transport"
	"dcctop/ui/cli"
	"dcctop/ui/tui/tuitest"
)

// farm is a dispatcher that listens, and what its clients need to find it.
type farm struct {
	t         testing.TB
	d         *jobs.Dispatcher
	url       string
	tokenFile map[string]string // by user
	ended     chan struct{}     // closed when the test is over: jobs that never listen end then
}

func newFarm(t testing.TB, o jobs.Options) *farm {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, dir)
	}
	o.Source, o.Host = "farm", "farm"
	d, err := jobs.New(o)
	if err != nil {
		t.Fatal(err)
	}
	f := &farm{t: t, d: d, tokenFile: map[string]string{}, ended: make(chan struct{})}
	users := map[string]string{}
	for _, user := range []string{"ann", "bob"} {
		f.tokenFile[user] = filepath.Join(dir, user)
		token, err := transport.MakeToken(f.tokenFile[user])
		if err != nil {
			t.Fatal(err)
		}
		users["Bearer "+token] = user
	}
	server, err := transport.NewServer(d, transport.ServerOptions{Identify: identify(users)})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.url = "ws://" + ln.Addr().String() + transport.Path
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(context.Background(), ln) })
	t.Cleanup(func() {
		close(f.ended)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := d.Shutdown(ctx); err != nil {
			t.Errorf("dispatcher: %v", err)
		}
		if err := server.Shutdown(ctx); err != nil {
			t.Errorf("server: %v", err)
		}
		serving.Wait()
	})
	return f
}

// job submits a Go function. Its parent may be "".
func (f *farm) job(name string, parent core.JobID, run runner.Func) core.JobID {
	f.t.Helper()
	j, err := f.d.SubmitFunc(core.Submission{Name: name, Parent: parent, By: core.Actor{User: "ann", Host: "ws1"}}, run)
	if err != nil {
		f.t.Fatal(err)
	}
	return j.ID
}

const step = 10 * time.Millisecond

// listening works in steps and looks at its token before each.
func (f *farm) listening(ctx context.Context) error {
	tick := time.NewTicker(step)
	defer tick.Stop()
	for n := 0.0; ; n++ {
		if err := core.CheckDCCCancelled(ctx); err != nil {
			return err
		}
		runner.Report(ctx).Progress(core.Progress{Current: n, Unit: "step"})
		<-tick.C
	}
}

// deaf works in steps and never looks, until the test lets it end.
func (f *farm) deaf(end <-chan struct{}) runner.Func {
	return func(ctx context.Context) error {
		tick := time.NewTicker(step)
		defer tick.Stop()
		for n := 0.0; ; n++ {
			runner.Report(ctx).Progress(core.Progress{Current: n, Unit: "step"})
			select {
			case <-end:
				return nil
			case <-f.ended:
				return nil
			case <-tick.C:
			}
		}
	}
}

// state waits until a job is in a state.
func (f *farm) state(id core.JobID, want core.State) *core.Job {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 10*time.Second)
	defer cancel()
	var view core.View
	for u, err := range f.d.Watch(ctx) {
		if err == nil {
			err = view.Apply(u)
		}
		if err != nil {
			break
		}
		if j := view.Jobs[id]; j != nil && j.State == want {
			return j
		}
	}
	f.t.Fatalf("job %s is %+v, want %s", id, view.Jobs[id], want)
	return nil
}

// monitor is the screen of one user.
type monitor struct {
	*tuitest.Term
	exit chan int
	err  *buffer
}

// monitor opens the screen of a user on a terminal of 80x24.
func (f *farm) monitor(user string) *monitor {
	f.t.Helper()
	m := &monitor{Term: tuitest.New(f.t, 80, 24), exit: make(chan int, 1), err: &buffer{}}
	f.t.Setenv("TERM", "xterm-256color")
	f.t.Setenv("LANG", "C.UTF-8")
	for _, name := range []string{"NO_COLOR", "TMUX", "LC_ALL", "LC_CTYPE"} {
		f.t.Setenv(name, "")
	}
	go func() {
		m.exit <- cli.Run(context.Background(), []string{"--server", f.url, "--token-file", f.tokenFile[user]}, m.Term, m.Term, m.err)
	}()
	m.WaitText("● live")
	return m
}

// leave quits, and returns what is said on the way out.
func (m *monitor) leave(t testing.TB) string {
	t.Helper()
	m.Key("q")
	select {
	case code := <-m.exit:
		if code != 0 {
			t.Errorf("exit code %d: %s", code, m.err)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("q does not quit:\n%s", m.Text())
	}
	return m.err.String()
}

// run runs a command of dcctop to its end.
func (f *farm) run(args ...string) (code int, out, errText string) {
	f.t.Helper()
	return f.runAs("ann", args...)
}

func (f *farm) runAs(user string, args ...string) (code int, out, errText string) {
	f.t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"--server", f.url, "--token-file", f.tokenFile[user]}, args...)
	code = cli.Run(f.t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
