package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dcctop/core"
	"dcctop/jobs"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestARangeRunsEachChunkAndRerunRunsTheUnfinishedOnes(t *testing.T) {
	f := newFarm(t, jobs.Options{Slots: 2})
	dir := t.TempDir()
	const work = `[ {start} -ne 5 ] || [ -e ready ] || exit 3; echo x >> {start}-{end}x{step}`
	code, out, errText := f.run("run", "--dir", dir, "--frames", "1-15x2", "--chunk", "2", "--", "sh", "-c", work)
	if code != 0 || errText != "" {
		t.Fatalf("exit %d, %q", code, errText)
	}
	id := core.JobID(strings.TrimSpace(out))
	j := f.state(id, core.Failed)
	if j.Children[core.Completed] != 3 || j.Children[core.Failed] != 1 || !strings.Contains(j.Error, "1 of 4 chunks failed") {
		t.Errorf("%+v", j)
	}
	writeFile(t, filepath.Join(dir, "ready"), "")
	code, out, errText = f.run("rerun", "--only-unfinished", string(id[len(id)-8:]))
	if again := core.JobID(strings.TrimSpace(out)); code != 0 || again == id || len(again) != 26 {
		t.Fatalf("exit %d, %q, %q", code, out, errText)
	}
	f.state(core.JobID(strings.TrimSpace(out)), core.Completed)
	files, err := filepath.Glob(filepath.Join(dir, "*x2"))
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range files {
		files[i] = filepath.Base(path)
		if text := readFile(t, path); text != "x\n" {
			t.Errorf("chunk %s ran %d times", files[i], len(text)/2)
		}
	}
	slices.Sort(files)
	if got, want := strings.Join(files, " "), "1-3x2 13-15x2 5-7x2 9-11x2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRunWaitOfARange(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	if code, _, errText := f.run("run", "--wait", "--frames", "1-4", "--chunk", "2", "--", "test", "{start}", "-lt", "9"); code != 0 {
		t.Errorf("exit %d, %q", code, errText)
	}
	if code, _, errText := f.run("run", "--wait", "--frames", "1-4", "--", "test", "{start}", "-lt", "3"); code != 1 || !strings.Contains(errText, "2 of 4 chunks failed") {
		t.Errorf("exit %d, %q", code, errText)
	}
}

func TestRerunOfACommandRunsItAgain(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	_, out, _ := f.run("run", "--name", "hello", "--", "echo", "hello")
	id := core.JobID(strings.TrimSpace(out))
	f.state(id, core.Completed)
	code, out, errText := f.run("rerun", "--wait", string(id))
	again := core.JobID(strings.TrimSpace(out))
	if code != 0 || again == id {
		t.Fatalf("exit %d, %q, %q", code, out, errText)
	}
	if j := f.state(again, core.Completed); j.Name != "hello" {
		t.Errorf("%+v", j)
	}
	if _, out, _ := f.run("logs", string(again)); out != "hello\n" {
		t.Errorf("log %q", out)
	}
}
