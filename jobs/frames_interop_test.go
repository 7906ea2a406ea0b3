//go:build interop && linux

package jobs

import (
	"path/filepath"
	"testing"

	"dcctop/core"
)

// Blender is the real one: go test -tags interop ./jobs.
func TestInteropARangeWithACancelledChunkEndsWithAllItsPictures(t *testing.T) {
	d := start(t, Options{Slots: 2, LogDir: t.TempDir()})
	scene, err := filepath.Abs("runner/testdata/scene.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pictures := func() int {
		list, err := filepath.Glob(filepath.Join(dir, "f????.png"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	j, err := d.Submit(t.Context(), core.Submission{Name: "shot", By: ana, Frames: &core.Frames{Range: "1-24", Chunk: 4}, Command: []string{
		"blender", "-b", "--factory-startup", "--python-exit-code", "1", "-P", scene,
		"-o", filepath.Join(dir, "f####"), "-s", "{start}", "-e", "{end}", "-j", "{step}", "-a"}})
	if err != nil {
		t.Fatal(err)
	}
	if j.Kind != "blender" {
		t.Errorf("kind %s", j.Kind)
	}
	waitFor(t, d, j.ID, "renders", func(j *core.Job) bool {
		return j.Children[core.Running] == 2 && j.Progress.Current > 0 && j.Progress.Current < 24
	})
	for _, k := range childrenOf(d, j.ID) {
		if k.Name == "shot 17-20" {
			cancelOK(t, d, k.ID)
		}
	}
	if j = waitOver(t, d, j.ID); j.State != core.Cancelled || j.Error != "1 of 6 chunks cancelled: 17-20" || pictures() != 20 {
		t.Fatalf("%s %q, %d pictures", j.State, j.Error, pictures())
	}
	again := waitOver(t, d, rerunOK(t, d, j.ID, true))
	if again.State != core.Completed || again.Progress.Current != 4 || pictures() != 24 {
		t.Errorf("%s %q, %+v, %d pictures", again.State, again.Error, again.Progress, pictures())
	}
}
