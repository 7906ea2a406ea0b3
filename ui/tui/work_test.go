package tui

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
)

// floorJobs is a list of real work: a range of frames, processes that are being
// stopped, a skill.
func floorJobs() []*core.Job {
	at := start()
	parent := with(job("01JF3Q7ZK2M800000000000RG1", core.Failed), func(j *core.Job) {
		j.Name, j.Kind, j.FinishedAt = "shot010", "blender", at
		j.Labels = map[string]string{"frames": "1-24", "show": "dragon"}
		j.Children = map[core.State]int{core.Completed: 4, core.Failed: 2, core.Cancelled: 1}
		j.Progress = &core.Progress{Current: 16, Total: 24, Unit: "frame", Message: "4 of 6 chunks, 1 failed, 1 cancelled"}
		j.Error = "1 of 6 chunks failed: 9-12 (exit status 1); 1 were cancelled: 21-24"
	})
	chunk := func(n int, s core.State, frames, try string) *core.Job {
		return with(job(fmt.Sprintf("01JF3Q7ZK2M800000000000RC%d", n), s), func(j *core.Job) {
			j.Name, j.Kind, j.Parent, j.StopsBy = "shot010 "+frames, "blender", parent.ID, core.StopsBySignal
			j.Labels = map[string]string{"frames": frames}
			if try != "" {
				j.Labels["try"] = try
			}
		})
	}
	return []*core.Job{
		with(listens("01JF3Q7ZK2M800000000000LD1"), func(j *core.Job) {
			j.Name, j.Kind, j.LastCheckpointAt = "publish_check", "python", at.Add(-18*time.Second)
			j.Labels = map[string]string{"rerun_of": "01JF3Q7ZK2M800000000000LD0"}
		}),
		with(signalled("01JF3Q7ZK2M800000000000LD2"), func(j *core.Job) {
			j.Name, j.Kind = "cache_fx", "shell"
			j.Left = []core.Process{{PID: 4711, Name: "cycles"}, {PID: 4712, Name: "sh"}}
		}),
		with(job("01JF3Q7ZK2M800000000000PB1", core.Running), func(j *core.Job) {
			j.Name, j.NotCancellable = "publish", "writes to the asset database"
		}),
		parent,
		chunk(1, core.Completed, "1-4", ""), chunk(3, core.Failed, "9-12", ""), chunk(4, core.Failed, "9-12", "2"), chunk(6, core.Cancelled, "21-24", ""),
		with(job("01JF3Q7ZK2M800000000000SK1", core.Failed), func(j *core.Job) {
			j.Name, j.Kind = "check_scene", "skill"
			j.Error = "3 textures are missing"
			j.Result = json.RawMessage(`{"success":false,"message":"3 textures are missing","prompt":"Relink them and run again.","context":{"missing":["a.exr","b.exr","c.exr"],"scene":"shot010.blend"}}`)
		}),
	}
}

func TestTheScreenOfRealWorkIsAsDrawn(t *testing.T) {
	keys := map[string][]string{
		"work-list": {}, "work-force": {"c"}, "work-left": {"down", "enter"}, "work-grace": {"enter"}, "work-bulk": {"a", "c"},
		"work-rerun": {"down", "down", "down", "R"}, "work-range": {"down", "down", "down", "enter"}, "work-skill": {"G", "enter"},
	}
	for _, s := range []Size{{80, 24}, {160, 48}, {40, 10}} {
		for name, ks := range keys {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, Options{Width: s.Width, Height: s.Height, Where: "render-7"})
				r.snapshot(floorJobs()...)
				r.press(ks...)
				if r.m.dialog != nil {
					r.pass(guardFor)
				}
				golden(t, fmt.Sprintf("%s-%dx%d", name, s.Width, s.Height), r.screen())
				<-time.After(time.Minute)
			})
		}
	}
}
