package feed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A seeded bug is a rule of the feed left out: for each file, what stands there
// and what the bug makes of it.
type bug struct {
	name    string
	patches []patch
}

type patch struct{ file, right, wrong string }

var bugs = []bug{
	{"no epoch check", []patch{
		{"jobs/registry.go", "p.Source != r.source || p.Epoch != r.epoch || p.Seq > r.seq", "p.Source != r.source || p.Seq > r.seq"},
		{"core/change.go", "p.Source != c.Source || p.Epoch != c.Epoch", "p.Source != c.Source"},
		{"transport/follower.go", "p.Epoch != f.at.Epoch || p.Source", "p.Source"},
	}},
	{"ring floor off by one", []patch{
		{"jobs/registry.go", "return seq - uint64(len(r.ids))", "return max(seq-uint64(len(r.ids)), 1) - 1"},
	}},
	{"tombstones dropped on resume", []patch{
		{"jobs/registry.go", "			c.Gone = append(c.Gone, id)\n", ""},
		{"jobs/registry.go", "} else {\n		}", "}"},
	}},
	{"late registration", []patch{
		{"jobs/watcher.go", "	r.watchers = append(r.watchers, w)\n", ""},
		{"jobs/watch.go", "		if !yield(first, nil) {\n			return\n		}\n", `		if !yield(first, nil) {
			return
		}
		d.mu.Lock()
		d.reg.watchers = append(d.reg.watchers, w)
		d.mu.Unlock()
`},
	}},
	{"merging loses a key", []patch{
		{"jobs/watcher.go", "	for e := range w.dirty {\n", "	for e := range w.dirty {\n		if len(c.Jobs) == 2 {\n			break\n		}\n"},
	}},
	{"from not checked", []patch{
		{"core/change.go", "case p.Seq != c.From:", "case p.Seq < c.From && false:"},
		{"transport/follower.go", " || p.Seq != f.at.Seq {", " {"},
	}},
}

// The test above is worth something only if it fails when a rule is broken.
func TestTheFeedTestHasTeeth(t *testing.T) {
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bugs {
		t.Run(b.name, func(t *testing.T) {
			overlay := overlayOf(t, root, b)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-overlay", overlay, "-run", "^TestEveryClientEndsWithTheDispatchersState$",
				".", "-rapid.checks=20000", "-rapid.shrinktime=0s", "-rapid.nofailfile")
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the bug was not found:\n%s", out)
			}
			if !bytes.Contains(out, []byte("--- FAIL: TestEveryClientEndsWithTheDispatchersState")) {
				t.Fatalf("the test did not fail by itself: %v\n%s", err, out)
			}
		})
	}
}

// overlayOf writes the patched files beside the sources, never over them.
func overlayOf(t *testing.T, root string, b bug) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for i, p := range b.patches {
		source := filepath.Join(root, filepath.FromSlash(p.file))
		read := source
		if patched, ok := replace[source]; ok {
			read = patched
		}
		text, err := os.ReadFile(read)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), p.right); n != 1 {
			t.Fatalf("%s holds %q %d times: the bug must be seeded anew", p.file, p.right, n)
		}
		patched := filepath.Join(dir, strings.ReplaceAll(p.file, "/", "_")+string(rune('a'+i)))
		if err := os.WriteFile(patched, []byte(strings.Replace(string(text), p.right, p.wrong, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[source] = patched
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
