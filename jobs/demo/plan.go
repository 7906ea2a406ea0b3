package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// scale is how big the demo's jobs are. Tests use a small one.
type scale struct {
	width, height, strata int // of a frame
	frames                int // of the first shot, at least; the others have fewer
	galaxy                galaxy
	dust                  dust
	bake                  bake
	plates                plates
	pause                 time.Duration // between two shots of the dailies, at least
}

// full is the demo as it is shown. On one core of 2020 or later a frame takes 2
// to 4 s, the galaxies and the bake one to two minutes, the dust about five.
func full() scale {
	return scale{
		width: 320, height: 180, strata: 8, frames: 8,
		galaxy: galaxy{bodies: 400, steps: 8000, dt: 0.001, pictures: 24, width: 320, height: 180, seed: 7},
		dust:   dust{grains: 20000, steps: 6000, pictures: 20, width: 320, height: 180, seed: 3},
		bake:   bake{look: dusk, size: 256, samples: 800, every: 8 * time.Second},
		plates: plates{first: 1001, last: 1012, missing: 1009, plate: frame{look: dusk, width: 128, height: 72, strata: 3}},
		pause:  2 * time.Second,
	}
}

// frame returns what the frames of a shot with that look have in common.
func (s scale) frame(l look) frame {
	return frame{look: l, width: s.width, height: s.height, strata: s.strata}
}

// frames returns how many frames the first shot has, and each other. Two shots
// together have more than there are slots, so that some always wait.
func (d *demo) frames() (most, fewer int) {
	most = max(d.scale.frames, d.cores)
	return most, max(most*3/4, 1)
}

// firstShots returns the shots that are there from the beginning: more frames
// than fit the slots for a while.
func (d *demo) firstShots() []shot {
	most, fewer := d.frames()
	hero := 1
	if d.cores >= 4 {
		hero = 2 // where there is room, frames that take two slots and use them
	}
	label := func(number string) map[string]string {
		return map[string]string{"show": "demo", "shot": number, "dept": "lighting"}
	}
	return []shot{
		{name: "shot_010_beauty", folder: "shot_010_beauty", frames: most, priority: 50,
			slots: 1, frame: d.scale.frame(dusk), labels: label("010")},
		{name: "渲染_鏡頭010", folder: "渲染_鏡頭010", frames: fewer, priority: 20,
			slots: 1, frame: d.scale.frame(room), labels: label("010")},
		{name: "shot_020_beauty", folder: "shot_020_beauty", frames: fewer, priority: 10,
			slots: hero, frame: d.scale.frame(neon), labels: label("020")},
	}
}

// small is a job that works a little at a time and takes no slot.
type small struct {
	name, kind string
	shot, dept string
	run        runner.Func
}

func (s small) submission() core.Submission {
	return core.Submission{
		Name: s.name, Kind: s.kind, Slots: new(0), Priority: 30,
		Labels: map[string]string{"show": "demo", "shot": s.shot, "dept": s.dept},
	}
}

// smallJobs returns the simulations, the bake and the comp.
func (d *demo) smallJobs(over context.Context) []small {
	in := func(name string, run func(ctx context.Context, dir string) error) runner.Func {
		return func(ctx context.Context) error {
			dir := filepath.Join(d.dir, name)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			return run(ctx, dir)
		}
	}
	return []small{
		{"fx_galaxy_v007", "sim", "020", "fx", in("fx_galaxy_v007", func(ctx context.Context, dir string) error {
			return d.scale.galaxy.run(ctx, d.budget, dir)
		})},
		{"fx_dust_v003", "sim", "030", "fx", in("fx_dust_v003", func(ctx context.Context, dir string) error {
			return d.scale.dust.run(runner.Report(ctx), d.budget, dir)
		})},
		{"env_ao_bake_v002", "bake", "010", "lookdev", in("env_ao_bake_v002", func(ctx context.Context, dir string) error {
			return d.scale.bake.run(ctx, over, d.budget, dir)
		})},
		{"shot_030_comp_v012", "comp", "030", "comp", in("shot_030_comp_v012", func(ctx context.Context, dir string) error {
			return d.scale.plates.run(ctx, d.budget, dir)
		})},
	}
}

// moreShot returns the n-th shot that the dailies add, from 0. There are nine; after
// the ninth comes the first again in a new version, over the frames of the old
// one, so that a demo left running does not fill the disk.
func (d *demo) moreShot(n int) shot {
	const shots = 9
	_, fewer := d.frames()
	number := fmt.Sprintf("%03d", 40+10*(n%shots))
	folder := "shot_" + number + "_beauty"
	return shot{
		name: fmt.Sprintf("%s_v%03d", folder, 1+n/shots), folder: folder,
		frames: fewer, slots: 1, frame: d.scale.frame(look(n % int(looks))),
		labels: map[string]string{"show": "demo", "shot": number, "dept": "lighting"},
	}
}
