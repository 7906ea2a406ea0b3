//go:build unix

package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dcctop/core"
	"dcctop/jobs"
)

func TestWithoutADispatcherNothingIsSentAnywhere(t *testing.T) {
	d := newDesk(t)
	code, _, errText := d.run("ls")
	if code != 3 || !strings.Contains(errText, "no dispatcher of this user is running") {
		t.Errorf("exit %d, %q", code, errText)
	}
}

func TestASecondServeIsRefusedAndTheFirstStaysReachable(t *testing.T) {
	d := newDesk(t)
	first := d.serve()
	code, _, errText := d.run("serve", "--listen", "127.0.0.1:0")
	if code != 1 || !strings.Contains(errText, first.URL) || !strings.Contains(errText, "XDG_RUNTIME_DIR") {
		t.Errorf("exit %d, %q", code, errText)
	}
	if code, _, errText := d.run("ls"); code != 0 {
		t.Errorf("the first one: exit %d, %q", code, errText)
	}
}

func TestATokenEndsWithItsDispatcher(t *testing.T) {
	d := newDesk(t)
	first := d.serve()
	old := readFile(t, first.TokenFile)
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.cmd.Wait()
	second := d.serve() // also: a lock goes with a process that was killed
	if readFile(t, second.TokenFile) == old {
		t.Error("the next dispatcher takes the token of the last")
	}
	kept := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(kept, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errText := d.run("--token-file", kept, "ls")
	if code != 5 || strings.Contains(errText, "start one") {
		t.Errorf("the old token: exit %d, %q", code, errText)
	}
}

func TestNohupKeepsTheDispatcherAlive(t *testing.T) {
	d := newDesk(t)
	cmd := exec.CommandContext(t.Context(), "nohup", d.path, "serve", "--json", "--listen", "127.0.0.1:0")
	d.start(cmd)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	id := d.submit("--", "true")
	d.job(id, "its end", func(j core.Job) bool { return j.State == core.Completed })
}

func TestABrokenPipeDoesNotEndTheDispatcher(t *testing.T) {
	d := newDesk(t)
	cmd := d.command("serve", "-v", "--json", "--listen", "127.0.0.1:0")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = w
	d.start(cmd)
	_ = w.Close()
	_ = r.Close() // nobody reads what it says of its clients any more
	for range 3 {
		if code, _, errText := d.run("ls"); code != 0 {
			t.Fatalf("exit %d, %q", code, errText)
		}
	}
}

func TestARelativeDirIsTheOneOfWhoAsks(t *testing.T) {
	d := newDesk(t)
	d.serve()
	here := t.TempDir()
	if err := os.Mkdir(filepath.Join(here, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := d.command("run", "--dir", "sub", "--", "pwd")
	cmd.Dir = here
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	j := d.job(strings.TrimSpace(string(out)), "its end", func(j core.Job) bool { return j.State.Terminal() })
	if j.State != core.Completed || !strings.HasSuffix(j.Dir, "/sub") {
		t.Errorf("%s in %q: %s", j.State, j.Dir, j.Error)
	}
}

func TestWhatJSONCannotCarryIsRefusedRatherThanChanged(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	for _, args := range [][]string{
		{"run", "--", "ls", "sc\xe8ne.blend"},
		{"run", "--env", "A=\xff", "--", "true"},
		{"run", "--name", "\xff", "--", "true"},
	} {
		if code, out, errText := f.run(args...); code != 1 || out != "" || !strings.Contains(errText, "not UTF-8") {
			t.Errorf("%q: exit %d, %q, %q", args, code, out, errText)
		}
	}
	if all := f.d.List(); len(all) != 0 {
		t.Errorf("%d jobs were made", len(all))
	}
}

func TestJSONHoldsNothingATerminalWouldActOn(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	id := f.job("a\u009b2J\u009d52;c;x\u009c\x7f\u202eb\u2028c\u0085", "", f.listening)
	for _, args := range [][]string{{"ls", "--json"}, {"ls", "--ndjson"}, {"show", "--json", string(id)}} {
		_, out, _ := f.run(args...)
		if strings.ContainsAny(out, "\u009b\u009d\u009c\x7f\u202e\u2028\u0085\x1b") || !strings.Contains(out, `\u009b2J`) {
			t.Errorf("%q prints %q", args, out)
		}
	}
}

func TestCancelWaitOfMoreJobsThanFitARequest(t *testing.T) {
	f := newFarm(t, jobs.Options{Slots: 1})
	args := []string{"cancel", "--wait"}
	for range 900 {
		args = append(args, string(f.job("render", "", f.listening)))
	}
	if code, _, errText := f.run(args...); code != 0 || strings.Count(errText, "cancelled") != 900 {
		t.Errorf("exit %d, %.300q", code, errText)
	}
}
