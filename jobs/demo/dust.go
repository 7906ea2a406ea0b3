package demo

import (
	"fmt"
	"math"
	"path/filepath"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// dust is a simulation of a whirlwind full of dust. It is the demo's deaf job:
// it is given nothing that it could look at, as a plug-in that was written
// without a thought of cancelling, and runs to its end whatever anybody asks.
type dust struct {
	grains, steps int
	pictures      int // written over the whole run
	width, height int
	seed          uint64
}

// grain is one of many.
type grain struct{ pos, vel vec }

const (
	dustStep = 0.02 // s
	dustDrag = 0.12 // s in which a grain takes on the speed of the air
	dustTop  = 4.0
)

// run simulates all steps, and writes pictures into dir.
func (s dust) run(sink runner.Sink, b *budget, dir string) error {
	g := newRNG(s.seed, 2)
	grains := make([]grain, s.grains)
	for i := range grains {
		grains[i].emit(g)
		grains[i].pos.y = dustTop * g.float() * g.float()
	}
	fmt.Fprintf(sink, "%d grains, %d steps\n", s.grains, s.steps)
	every := max(s.steps/max(s.pictures, 1), 1)
	for step := 1; step <= s.steps; step++ {
		b.sip(nil, func() {
			t := float64(step) * dustStep
			for i := range grains {
				grains[i].move(t, g)
			}
		})
		sink.Progress(core.Progress{
			Current: float64(step), Total: float64(s.steps), Unit: "step",
			Message: fmt.Sprintf("%d grains", s.grains),
		})
		if step%every != 0 {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("dust_%04d.png", step/every))
		var err error
		b.sip(nil, func() { err = writePNG(path, s.expose(grains).picture()) })
		if err != nil {
			return err
		}
		fmt.Fprintf(sink, "saved %s\n", path)
	}
	return nil
}

// emit puts the grain back on the ground, in a ring around the whirl.
func (p *grain) emit(g *rng) {
	sin, cos := math.Sincos(2 * math.Pi * g.float())
	r := 0.2 + 1.6*math.Sqrt(g.float())
	*p = grain{pos: vec{r * cos, 0.02 + 0.1*g.float(), r * sin}}
}

// move carries the grain along for one step. One that has left the whirl
// starts again.
func (p *grain) move(t float64, g *rng) {
	air := wind(p.pos, t).sub(p.vel).scale(dustStep / dustDrag)
	p.vel = p.vel.add(air)
	p.vel.y -= 0.6 * dustStep
	p.pos = p.pos.add(p.vel.scale(dustStep))
	p.pos.y = max(p.pos.y, 0.02)
	if p.pos.y > dustTop || p.pos.x*p.pos.x+p.pos.z*p.pos.z > 9 {
		p.emit(g)
	}
}

// wind returns the speed of the air: a column that leans and sways, turns, draws
// in on the ground and rises in its middle, with some turbulence.
func wind(p vec, t float64) vec {
	x := p.x - 0.22*p.y*math.Sin(0.5*t+0.8*p.y)
	z := p.z - 0.22*p.y*math.Cos(0.4*t+0.7*p.y)
	wide := 0.16 + 0.13*p.y
	r2 := x*x + z*z
	turn := 3.2 / (r2 + wide) * math.Sqrt(wide)
	in := -1.6 * math.Exp(-2.5*p.y) / (0.4 + r2)
	in += 0.35 * math.Exp(-r2) * (p.y - 1.2) / dustTop
	up := 2.3 * math.Exp(-r2/(2*wide))
	w := vec{in*x - turn*z, up, in*z + turn*x}
	rough := 0.15 + 0.10*p.y
	return w.add(vec{
		math.Sin(5*p.z+1.3*t) + math.Cos(4*p.y-t),
		0.5 * math.Sin(5*p.x-0.7*t),
		math.Sin(4*p.y+t) + math.Cos(5*p.x+1.1*t),
	}.scale(rough))
}

// expose returns the grains as a camera beside the whirl sees them.
func (s dust) expose(grains []grain) *film {
	f := newFilm(s.width, s.height)
	c := lookAt(vec{0, 1.3, 7.5}, vec{0, 1.55, 0}, 38, 0)
	power := 0.9 * float64(s.width*s.height) / 57600 * 20000 / float64(max(s.grains, 1))
	for _, p := range grains {
		to := p.pos.sub(c.eye)
		depth := to.dot(c.ahead)
		if depth < 0.5 {
			continue
		}
		k := float64(s.height) / (2 * depth * c.tan)
		// The sun stands on the left: the right side lies in the whirl's own shade.
		lit := 0.55 - 0.4*math.Tanh(1.5*p.pos.x)
		colour := mix(vec{0.10, 0.07, 0.06}, vec{0.42, 0.27, 0.14}, lit)
		f.splat(float64(s.width)/2+to.dot(c.right)*k, float64(s.height)/2-to.dot(c.up)*k, colour.scale(power*20/(depth*depth)))
	}
	return f
}
