//go:build unix

package jobs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"dcctop/core"
)

// logOf reads a log from the start to where it is now, in pieces.
func logOf(t testing.TB, d *Dispatcher, id core.JobID) (data []byte, first int64, end bool) {
	t.Helper()
	for from := int64(0); ; {
		c, err := d.Log(t.Context(), id, from)
		if err != nil {
			t.Fatal(err)
		}
		if from == 0 {
			first = c.From
		}
		data = append(data, c.Data...)
		if from = c.Next; c.End || len(c.Data) == 0 {
			return data, first, c.End
		}
	}
}

// filesIn returns the names in a directory.
func filesIn(t testing.TB, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

func TestWhatAJobPrintsIsOnDiskByteForByte(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "logs")
	d := start(t, Options{LogDir: dir})
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v, %v", info, err)
	}
	g := newGate(t)
	const said = "Fra:12 \x1b[2J\xff\x00\r no newline"
	id := submitShell(t, d, `printf 'Fra:12 \033[2J\377\000\r no newline'; `+g.until()+`; echo; echo last`, func(s *core.Submission) {
		s.Name = "../../hostile\x1b[2J"
	})
	for text := []byte(nil); string(text) != said; {
		text, _, _ = logOf(t, d, id) // while it runs
	}
	quiet := submitShell(t, d, "true")
	waitOver(t, d, quiet)
	if names := filesIn(t, dir); len(names) != 1 || names[0] != string(id)+".log" {
		t.Errorf("files %q, want one, named by the id", names)
	}
	g.open(t)
	waitOver(t, d, id)
	if text, first, end := logOf(t, d, id); string(text) != said+"\nlast\n" || first != 0 || !end {
		t.Errorf("after the end: %q from %d, %v", text, first, end)
	}
	if b, err := os.ReadFile(filepath.Join(dir, string(id)+".log")); string(b) != said+"\nlast\n" {
		t.Errorf("the file holds %q, %v", b, err)
	}
}

func TestALineOfTenMegabytesIsKeptUpToTheLimit(t *testing.T) {
	dir := t.TempDir()
	d := start(t, Options{LogDir: dir, LogDiskBytes: 2 << 20})
	id := submitShell(t, d, `printf start; head -c 10000000 /dev/zero; printf end`)
	if j := waitOver(t, d, id); j.State != core.Completed {
		t.Fatalf("%s %q", j.State, j.Error)
	}
	text, first, _ := logOf(t, d, id)
	if len(text) < 1<<20 || len(text) > 2<<20 || first+int64(len(text)) != 10_000_008 || !bytes.HasSuffix(text, []byte("\x00end")) {
		t.Errorf("%d bytes from %d", len(text), first)
	}
	d.mu.Lock()
	log := d.reg.byID[id].log
	d.mu.Unlock()
	if data, next, err := log.Read(0, 10); len(data) != 10 || next-10 != first || err != nil {
		t.Errorf("%q up to %d, %v", data, next, err)
	}
}

func TestTheLogOfAPurgedJobIsRemoved(t *testing.T) {
	dir := t.TempDir()
	d := start(t, Options{LogDir: dir, Retain: 2, Slots: 1})
	var ids []core.JobID
	for range 5 {
		ids = append(ids, submitShell(t, d, "echo a line"))
		waitOver(t, d, ids[len(ids)-1])
	}
	d.mu.Lock()
	for d.tasks > 0 { // what the last end led to is done when its goroutine is over
		d.mu.Unlock()
		runtime.Gosched()
		d.mu.Lock()
	}
	d.mu.Unlock()
	want := string(ids[3]) + ".log " + string(ids[4]) + ".log"
	if got := strings.Join(filesIn(t, dir), " "); got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	if _, err := d.Log(t.Context(), ids[0], 0); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("log of a purged job: %v", err)
	}
}

func TestAStartRemovesOldLogsAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	const id = "01JDZ3N8Q4V7W9X2Y5Z6A7B8C9"
	old := time.Now().Add(-keepLogs - time.Hour)
	for _, f := range []struct {
		name string
		at   time.Time
		kept bool
	}{
		{id + ".log", old, false},
		{id + ".old.log", old, false},
		{"01JDZ3N8Q4V7W9X2Y5Z6A7B8CA.log", time.Now().Add(-keepLogs + time.Hour), true},
		{"notes.log", old, true},
		{id + ".txt", old, true},
		{id, old, true},
	} {
		name := filepath.Join(dir, f.name)
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chtimes(name, f.at, f.at)); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if _, err := os.Stat(name); (err == nil) != f.kept {
				t.Errorf("%s: %v, want kept: %v", f.name, err, f.kept)
			}
		}()
	}
	if err := os.MkdirAll(filepath.Join(dir, "01JDZ3N8Q4V7W9X2Y5Z6A7B8CB.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	start(t, Options{LogDir: dir})
}

func TestALogDirThatCannotBeIsToldAtTheStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{LogDir: file}, {LogDir: filepath.Join(file, "logs")}, {LogDir: t.TempDir(), LogDiskBytes: -1}} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), "log d") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestAJobGoesOnWhenItsLogDirIsTakenAway(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	d := start(t, Options{LogDir: dir})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	id := submitShell(t, d, "echo one; echo two")
	if j := waitOver(t, d, id); j.State != core.Completed {
		t.Errorf("%s %q", j.State, j.Error)
	}
	text, _, _ := logOf(t, d, id)
	if !strings.Contains(string(text), "one\ntwo\n") || strings.Count(string(text), "dcctop: log:") != 1 {
		t.Errorf("log %q", text)
	}
}

func TestFinishedJobsHoldNoFileOpen(t *testing.T) {
	const fds = "/proc/self/fd"
	if _, err := os.ReadDir(fds); err != nil {
		t.Skip("open files cannot be counted here: ", err)
	}
	d := start(t, Options{LogDir: t.TempDir(), Slots: 4})
	f := func() (n int) { return len(filesIn(t, fds)) }
	waitOver(t, d, submitShell(t, d, "echo a line")) // the guard is there
	before := f()
	var ids []core.JobID
	for range 60 {
		ids = append(ids, submitShell(t, d, "echo a line"))
	}
	for _, id := range ids {
		waitOver(t, d, id)
		if text, _, end := logOf(t, d, id); string(text) != "a line\n" || !end {
			t.Errorf("%q, %v", text, end)
		}
	}
	// The last job's pipes and log close just after it is over.
	for deadline := time.Now().Add(patience); f() > before+2; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d files are open, %d were before 60 jobs", f(), before)
		}
	}
}
