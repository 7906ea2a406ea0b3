package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"dcctop/core"
)

func inDetails(t *testing.T, j *core.Job, test func(r *rig)) {
	t.Helper()
	inFarm(t, Options{Width: 100, Height: 48}, colorprofile.TrueColor, func(r *rig) {
		r.snapshot(j)
		r.press("enter")
		test(r)
	})
}

func TestTheResultOfASkillIsReadableInTheDetails(t *testing.T) {
	j := job("J1", core.Failed)
	j.Result = json.RawMessage(`{"success":false,"message":"stopped after 7\u001b[2J frames","error":"DccMcpCancelledError",
		"prompt":"Run it again?","context":{"frames_done":7,"files":["a.png","b.png"],"deep":{"x":[1,2.50]},"none":null},"version":12345678901234567890}`)
	inDetails(t, j, func(r *rig) {
		r.wants("result     no success", "message    stopped after 7 frames", "error      DccMcpCancelledError", "prompt     Run it again?",
			"context    deep: {\"x\":[1,2.50]}", "files: a.png, b.png", "frames_done: 7", "version: 12345678901234567890")
		r.lacks("none", "[2J")
	})
	j = job("J2", core.Completed)
	j.Result = json.RawMessage(`{"success":true,"message":"counted to 3","context":{}}`)
	inDetails(t, j, func(r *rig) {
		r.wants("result     success", "message    counted to 3")
		r.lacks("context", "prompt")
	})
}

func TestAResultOfAnyShapeAndSizeIsBounded(t *testing.T) {
	many := map[string]any{}
	for i := range 500 {
		many[fmt.Sprintf("key%03d", i)] = strings.Repeat("v", 300)
	}
	big, err := json.Marshal(map[string]any{"success": true, "message": strings.Repeat("word ", 500), "context": many})
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{string(big), `[1,2,3]`, `"text"`, `null`, `{}`, `{"success":"yes","context":[1],"message":5}`, `{broken`, strings.Repeat("[", 20000)} {
		facts := readResult(json.RawMessage(raw), cleaner{})
		if n := len(facts); n > maxResultFacts+8 {
			t.Errorf("%.20s: %d lines", raw, n)
		}
		for _, f := range facts {
			if f.value != Clean(f.value) {
				t.Errorf("%.20s: %q is not clean", raw, f.value)
			}
		}
		j := job("J1", core.Completed)
		j.Result = json.RawMessage(raw)
		inDetails(t, j, func(r *rig) { r.wants("details", "name-J1") })
	}
}

func TestARerunATryAndTheLabelsAreInTheDetails(t *testing.T) {
	j := with(job("J1", core.Running), func(j *core.Job) {
		j.Name = "shot010 9-16"
		j.Labels = map[string]string{"frames": "9-16", "try": "2", "rerun_of": "01JOLD", "show": "dragon\x1b[2J", "dept": "fx"}
	})
	inDetails(t, j, func(r *rig) {
		r.wants("frames     9-16 · try 2", "rerun of   01JOLD", "labels     dept=fx  show=dragon")
		r.lacks("[2J")
		r.press("esc")
		if l := r.line("shot010 9-16"); !strings.Contains(l, "shot010 9-16 (try 2)") {
			t.Errorf("the row reads %q", l)
		}
	})
}

func TestAParentOfARangeShowsTheFramesThatAreDone(t *testing.T) {
	parent := with(job("P", core.Running), func(j *core.Job) {
		j.Name, j.Labels = "shot010", map[string]string{"frames": "1-48"}
		j.Children = map[core.State]int{core.Completed: 1, core.Running: 2}
		j.Progress = &core.Progress{Current: 12, Total: 48, Unit: "frame", Message: "1 of 6 chunks"}
	})
	inDetails(t, parent, func(r *rig) {
		r.wants("25%  12/48 frames", "1 of 6 chunks", "frames     1-48", "2 running, 1 completed")
	})
}
