package demo

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// slice is how long a small job holds a core at a time.
const slice = 8 * time.Millisecond

// galaxy is a simulation of two galaxies that meet. It is a small job that
// looks at its token before each step.
type galaxy struct {
	bodies, steps int
	dt            float64
	pictures      int // written over the whole run
	width, height int
	seed          uint64
}

// run simulates all steps and writes pictures of the trails into dir. The
// progress tells by how much the energy is off, which says whether the result
// is worth anything.
func (s galaxy) run(ctx context.Context, b *budget, dir string) error {
	sink := runner.Report(ctx)
	sim := galaxies(s.bodies, s.seed)
	film := newFilm(s.width, s.height)
	start := sim.energy()
	every := max(s.steps/max(s.pictures, 1), 1)
	fmt.Fprintf(sink, "%d bodies, %d steps, energy %.6f\n", len(sim.pos), s.steps, start)

	for step := 0; step < s.steps; {
		var err error
		var drift float64
		b.sip(ctx.Done(), func() {
			for end := time.Now().Add(slice); step < s.steps; {
				if err = checkpoint(ctx); err != nil {
					return
				}
				sim.step(s.dt)
				step++
				s.expose(film, sim)
				if step%every == 0 {
					err = s.save(sink, film, dir, step/every)
				}
				if err != nil || time.Now().After(end) {
					break
				}
			}
			drift = sim.energy()/start - 1
		})
		if err != nil {
			return err
		}
		sink.Progress(core.Progress{
			Current: float64(step), Total: float64(s.steps), Unit: "step",
			Message: fmt.Sprintf("energy drift %+.4f %%", 100*drift),
		})
	}
	return nil
}

// expose adds the light of all bodies to the film, on which older light fades.
func (s galaxy) expose(f *film, sim *bodies) {
	f.fade(0.985)
	half := sim.pos[:len(sim.pos)/2]
	scale := float64(s.height) / 4.2
	for i, p := range sim.pos {
		colour := vec{1.0, 0.62, 0.30}
		if i >= len(half) {
			colour = vec{0.30, 0.55, 1.0}
		}
		power := 0.035
		if sim.mass[i] == 1 {
			colour, power = vec{1, 0.95, 0.85}, 0.6
		}
		f.splat(float64(s.width)/2+p.x*scale, float64(s.height)/2-p.y*scale,
			colour.scale(power*math.Exp(0.3*p.z)))
	}
}

func (s galaxy) save(sink runner.Sink, f *film, dir string, number int) error {
	path := filepath.Join(dir, fmt.Sprintf("galaxy_%04d.png", number))
	if err := writePNG(path, f.picture()); err != nil {
		return err
	}
	fmt.Fprintf(sink, "saved %s\n", path)
	return nil
}
