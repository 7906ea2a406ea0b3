//go:build unix

package e2e_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/ui/tui/tuitest"
)

// program builds dcctop once for all tests of this package.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "dcctop-e2e-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "dcctop")
	if out, err := exec.Command("go", "build", "-o", path, "dcctop").CombinedOutput(); err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// desk is one user's machine: folders of its own, and the real program.
type desk struct {
	t    *testing.T
	path string
	env  []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &desk{t: t, path: path, env: []string{
		"XDG_RUNTIME_DIR=" + dir, "XDG_STATE_HOME=" + dir, "HOME=" + dir, "DCCTOP_SERVER=",
	}}
}

func (d *desk) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(d.t.Context(), d.path, args...)
	cmd.Env = append(os.Environ(), d.env...)
	return cmd
}

// run runs a command to its end.
func (d *desk) run(args ...string) (code int, out, errText string) {
	d.t.Helper()
	var stdout, stderr strings.Builder
	cmd := d.command(args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		d.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// served is what serve --json says of itself.
type served struct {
	URL       string `json:"url"`
	TokenFile string `json:"token_file"`
	PID       int    `json:"pid"`
	cmd       *exec.Cmd
}

func (d *desk) serve(args ...string) *served {
	d.t.Helper()
	return d.start(d.command(append([]string{"serve", "--json", "--listen", "127.0.0.1:0"}, args...)...))
}

// start starts a command that ends up as serve --json.
func (d *desk) start(cmd *exec.Cmd) *served {
	d.t.Helper()
	cmd.Env = append(os.Environ(), d.env...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		d.t.Fatalf("serve: %v", err)
	}
	s := &served{cmd: cmd}
	if err := json.Unmarshal([]byte(line), s); err != nil {
		d.t.Fatalf("serve --json: %v in %q", err, line)
	}
	return s
}

// job waits until a job is as ok wants it.
func (d *desk) job(id string, what string, ok func(core.Job) bool) core.Job {
	d.t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	var j core.Job
	for time.Now().Before(deadline) {
		code, out, errText := d.run("show", "--json", id)
		if code != 0 {
			d.t.Fatalf("show %s: exit %d, %s", id, code, errText)
		}
		j = core.Job{}
		if err := json.Unmarshal([]byte(out), &j); err != nil {
			d.t.Fatal(err)
		}
		if ok(j) {
			return j
		}
	}
	d.t.Fatalf("waited for %s; the job is %+v", what, j)
	return j
}

func (d *desk) submit(args ...string) string {
	d.t.Helper()
	code, out, errText := d.run(append([]string{"run"}, args...)...)
	if code != 0 {
		d.t.Fatalf("run: exit %d, %s", code, errText)
	}
	return strings.TrimSpace(out)
}

func (d *desk) monitor(width, height int, args ...string) *tuitest.Program {
	d.t.Helper()
	return tuitest.Start(d.t, width, height, append(d.env, "LANG=C.UTF-8"), append([]string{d.path}, args...)...)
}

func TestServeIsFoundByTheSameUsersCommands(t *testing.T) {
	d := newDesk(t)
	s := d.serve()
	if info, err := os.Stat(s.TokenFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("token file: %v, %v", info, err)
	}
	id := d.submit("--name", "hello", "--", "echo", "hello")
	d.job(id, "its end", func(j core.Job) bool { return j.State == core.Completed })
	if code, out, _ := d.run("ls"); code != 0 || !strings.Contains(out, id) {
		t.Errorf("ls: exit %d, %q", code, out)
	}
	stranger := newDesk(t)
	if code, _, errText := stranger.run("--server", s.URL, "ls"); code != 3 {
		t.Errorf("a stranger without the token: exit %d, %q", code, errText)
	}
}

func TestTwoDispatchersSideBySide(t *testing.T) {
	one, two := newDesk(t), newDesk(t)
	one.serve()
	two.serve()
	id := one.submit("--", "true")
	if code, _, _ := two.run("show", id); code != 4 {
		t.Errorf("a job of one dispatcher is at the other: exit %d", code)
	}
}

// Case 19.
func TestNotATerminal(t *testing.T) {
	d := newDesk(t)
	code, out, errText := d.run()
	if code != 2 || out != "" || !strings.Contains(errText, "dcctop ls") || !strings.Contains(errText, "--json") {
		t.Errorf("exit %d, out %q, err %q", code, out, errText)
	}
}

func TestTheMonitorSaysWhatToTypeAndFindsTheDispatcherThatComes(t *testing.T) {
	d := newDesk(t)
	m := d.monitor(80, 24)
	m.WaitText("dcctop serve")
	d.serve()
	m.WaitText("● live", 60*time.Second)
	m.Type("q")
	if code := m.Wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// Ctrl+C in run --wait never cancels by itself.
func TestCtrlCInRunWaitAsks(t *testing.T) {
	d := newDesk(t)
	d.serve()
	left := d.monitor(80, 24, "run", "--wait", "--", "sleep", "60")
	id := strings.TrimSpace(left.WaitFor("the id", func(s string) bool { return len(strings.TrimSpace(s)) == 26 }))
	left.Key("ctrl+c")
	left.WaitText("leave it running")
	left.Key("enter")
	if code := left.Wait(); code != 130 {
		t.Errorf("left running: exit %d", code)
	}
	d.job(id, "the job to run on", func(j core.Job) bool { return j.State == core.Running && j.Cancellation == nil })

	stopped := d.monitor(80, 24, "run", "--wait", "--", "sleep", "60")
	stopped.WaitFor("the id", func(s string) bool { return len(strings.TrimSpace(s)) == 26 })
	stopped.Key("ctrl+c")
	stopped.WaitText("leave it running")
	stopped.Type("y")
	stopped.Key("enter")
	stopped.WaitText("cancelled")
	if code := stopped.Wait(); code != 143 {
		t.Errorf("cancelled: exit %d, want that of a command that SIGTERM ended", code)
	}
}

// A dispatcher that is killed leaves no process of its jobs.
func TestKilledDispatcherLeavesNoProcess(t *testing.T) {
	d := newDesk(t)
	s := d.serve()
	pids := filepath.Join(t.TempDir(), "pids")
	d.submit("--", "sh", "-c", `trap "" TERM; sleep 300 & echo $$ $! > `+pids+`.new; mv `+pids+`.new `+pids+`; wait`)
	var all []string
	within(t, "the job to start", func() bool {
		b, err := os.ReadFile(pids)
		all = strings.Fields(string(b))
		return err == nil && len(all) == 2
	})
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	within(t, "its processes to be gone", func() bool {
		for _, pid := range all {
			if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
				return false
			}
		}
		return true
	})
}

// within waits for what other processes do, which nothing here is told of.
func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(10 * time.Second); !ok(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waited 10 s for %s", what)
		}
	}
}

func TestTheDemoWithoutATerminalPrintsTheFeed(t *testing.T) {
	d := newDesk(t)
	dir := t.TempDir()
	code, out, errText := d.run("demo", "--for", "2s", "--dir", dir)
	if code != 0 {
		t.Fatalf("exit %d, %s", code, errText)
	}
	var view core.View
	for line := range strings.Lines(out) {
		var u core.Update
		if err := json.Unmarshal([]byte(line), &u); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if err := view.Apply(u); err != nil {
			t.Fatal(err)
		}
	}
	states := map[core.State]int{}
	for _, j := range view.Jobs {
		states[j.State]++
	}
	if states[core.Running] < 3 || states[core.Pending] < 3 {
		t.Errorf("the demo shows %v", states)
	}
}
