//go:build interop && linux

package e2e_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"dcctop/core"
)

// blendFile makes a small scene of 24 frames.
func blendFile(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "shot.blend")
	out, err := exec.Command("blender", "-b", "--python-exit-code", "3", "--python-expr", `
import bpy
scene = bpy.context.scene
scene.render.engine = "CYCLES"
scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 16, False
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 160, 90, 100
scene.frame_start, scene.frame_end = 1, 24
bpy.ops.wm.save_as_mainfile(filepath=r"`+path+`")
`).CombinedOutput()
	if err != nil {
		t.Fatalf("blender: %v\n%s", err, out)
	}
	return path
}

func pictures(t *testing.T, dir string) int {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "f*.png"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// A real range of 24 frames in chunks of 4: one chunk is cancelled, what is
// unfinished is run again, and every picture is there.
func TestInteropABlenderRangeWithACancelledChunkIsFinishedByARerun(t *testing.T) {
	d := newDesk(t)
	d.serve("--slots", "2")
	dir := t.TempDir()
	blend := blendFile(t, dir)
	id := d.submit("--blender", blend, "--dir", dir, "--frames", "1-24", "--chunk", "4", "--", "-o", filepath.Join(dir, "f####"), "-t", "1")
	d.job(id, "a chunk to run", func(j core.Job) bool { return j.Children[core.Running] > 0 })
	_, out, _ := d.run("ls", "--json", "--state", "running")
	var running []core.Job
	if err := json.Unmarshal([]byte(out), &running); err != nil {
		t.Fatal(err)
	}
	chunk := ""
	for _, j := range running {
		if string(j.Parent) == id {
			chunk = string(j.ID)
		}
	}
	if code, _, errText := d.run("cancel", "--wait", chunk); code != 0 {
		t.Fatalf("cancel of chunk %q: exit %d, %s", chunk, code, errText)
	}
	j := d.job(id, "the end of the range", func(j core.Job) bool { return j.State.Terminal() })
	if j.State == core.Completed || j.Children[core.Completed] != 5 || j.Children[core.Cancelled] != 1 {
		t.Errorf("the range is %s with %v", j.State, j.Children)
	}
	if n := pictures(t, dir); n < 20 || n >= 24 {
		t.Errorf("%d pictures before the rerun", n)
	}
	code, out, errText := d.run("rerun", "--wait", "--only-unfinished", id)
	if code != 0 {
		t.Fatalf("rerun: exit %d, %s %s", code, out, errText)
	}
	if n := pictures(t, dir); n != 24 {
		t.Errorf("%d pictures, want 24", n)
	}
}

// The file's own range, and the exit code of a Python error in it.
func TestInteropABlenderFileRendersItsOwnRangeAndAPythonErrorFails(t *testing.T) {
	d := newDesk(t)
	d.serve()
	dir := t.TempDir()
	blend := blendFile(t, dir)
	short := filepath.Join(dir, "short.py")
	writeFile(t, short, "import bpy\nbpy.context.scene.frame_end = 2\nbpy.context.scene.render.filepath = r'"+filepath.Join(dir, "f####")+"'\n")
	if code, _, errText := d.run("run", "--wait", "--blender", blend, "--", "-P", short); code != 0 {
		t.Fatalf("exit %d, %s", code, errText)
	}
	if n := pictures(t, dir); n != 2 {
		t.Errorf("%d pictures, want 2", n)
	}
	broken := filepath.Join(dir, "broken.py")
	writeFile(t, broken, "raise RuntimeError('no camera')\n")
	if code, _, errText := d.run("run", "--wait", "--blender", blend, "--", "-P", broken); code == 0 {
		t.Errorf("a Python error exits 0: %s", errText)
	}
}

// A script in Blender: its parameters, the frames of its chunk, its result.
func TestInteropAScriptInBlenderHasItsParametersAndItsFrames(t *testing.T) {
	d := newDesk(t)
	d.serve()
	dir := t.TempDir()
	script := filepath.Join(dir, "ask.py")
	writeFile(t, script, `import bpy, json, sys
params, scene = json.load(sys.stdin), bpy.context.scene
print(json.dumps({"success": True, "context": [params["quality"], scene.frame_start, scene.frame_end, scene.frame_step]}))
`)
	id := d.submit("--blender", blendFile(t, dir), "--script", script, "--params", `{"quality": 2}`, "--frames", "1-9x2", "--chunk", "3")
	if j := d.job(id, "its end", func(j core.Job) bool { return j.State.Terminal() }); j.State != core.Completed {
		t.Fatalf("%+v", j)
	}
	var all []core.Job
	_, out, _ := d.run("ls", "--json")
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string][4]int{}
	for _, j := range all {
		var r struct{ Context [4]int }
		if string(j.Parent) == id && json.Unmarshal(j.Result, &r) == nil {
			got[j.Name] = r.Context
		}
	}
	if len(got) != 2 || got["ask 1-5"] != [4]int{2, 1, 5, 2} || got["ask 7-9"] != [4]int{2, 7, 9, 2} {
		t.Errorf("the chunks saw %v", got)
	}
}
