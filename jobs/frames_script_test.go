//go:build unix

package jobs

import (
	"encoding/json"
	"testing"

	"dcctop/core"
)

func TestAScriptGetsTheFramesOfItsChunk(t *testing.T) {
	d := start(t, Options{Slots: 2})
	script := skill(t, `printf '{"success":true,"got":%s}' "$(cat)"`)
	script.Params = json.RawMessage(`{"first":"{start}","last":"{end}","out":"pic.{start}.png"}`)
	id := submit(t, d, core.Submission{Script: script, Frames: &core.Frames{Range: "1-4", Chunk: 2}, By: ana}).ID
	j := waitOver(t, d, id)
	if j.State != core.Completed || j.Name != "bake" || j.Kind != "skill" || j.DCC != "python" {
		t.Errorf("parent: %+v", j)
	}
	if n := len(j.Command); n == 0 || j.Command[n-1] != script.Path {
		t.Errorf("command of the parent: %q", j.Command)
	}
	want := []string{`{"success":true,"got":{"first":1,"last":2,"out":"pic.1.png"}}`, `{"success":true,"got":{"first":3,"last":4,"out":"pic.3.png"}}`}
	for i, k := range childrenOf(d, id) {
		if string(k.Result) != want[i] || k.Name != []string{"bake 1-2", "bake 3-4"}[i] {
			t.Errorf("%s: %s %q", k.Name, k.Result, k.Error)
		}
	}
	again := waitOver(t, d, rerunOK(t, d, childrenOf(d, id)[1].ID, false))
	if again.State != core.Completed || string(again.Result) != want[1] {
		t.Errorf("rerun of a chunk: %s %s", again.State, again.Result)
	}
	if all := waitOver(t, d, rerunOK(t, d, id, false)); all.State != core.Completed || all.Children[core.Completed] != 2 {
		t.Errorf("rerun of the range: %s %q %v", all.State, all.Error, all.Children)
	}
	if _, err := d.Submit(t.Context(), core.Submission{Script: skill(t, "true"), Frames: &core.Frames{Range: "1-4"}}); err == nil {
		t.Error("a script that is told no frames was taken")
	}
}
