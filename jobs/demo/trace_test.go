package demo

import (
	"math"
	"testing"
)

// average returns the mean of n calls of f.
func average(n int, f func(g *rng) vec) vec {
	g := newRNG(1, 2)
	var sum vec
	for range n {
		sum = sum.add(f(g))
	}
	return sum.scale(1 / float64(n))
}

func close3(a, b vec, tolerance float64) bool {
	d := a.sub(b)
	return max(math.Abs(d.x), math.Abs(d.y), math.Abs(d.z)) <= tolerance
}

// A ball alone under a sky that is equally bright all around sends back exactly
// its own share of the light, whatever its surface does with the directions.
func TestNoSurfaceMakesOrLosesLight(t *testing.T) {
	for _, c := range []struct {
		name      string
		m         material
		want      vec
		tolerance float64
	}{
		{"matt", material{surface: matt, colour: vec{0.2, 0.5, 0.8}}, vec{0.2, 0.5, 0.8}, 1e-9},
		{"white lacquer", material{surface: coat, colour: vec{1, 1, 1}}, vec{1, 1, 1}, 1e-9},
		{"a white mirror", material{surface: metal, colour: vec{1, 1, 1}}, vec{1, 1, 1}, 1e-9},
		{"clear glass", material{surface: glass, colour: vec{1, 1, 1}}, vec{1, 1, 1}, 0.03},
	} {
		s := &scene{sky: sky{zenith: vec{1, 1, 1}, horizon: vec{1, 1, 1}, ground: vec{1, 1, 1}}}
		s.add(vec{0, 0, 0}, 1, c.m)
		s.first = 1
		got := average(20000, func(g *rng) vec {
			o := vec{1.6*g.float() - 0.8, 0.3, 5}
			return s.radiance(o, vec{0, 0, -1}, g.float(), g)
		})
		if !close3(got, c.want, c.tolerance) {
			t.Errorf("%s: sends back %.4f, want %.4f", c.name, got, c.want)
		}
	}
}

// Right under a ball of radius r at height d that shines with L, a white floor
// sends back L·(r/d)².
func TestALampLightsTheFloorAsMuchAsItShould(t *testing.T) {
	s := &scene{}
	s.floor(material{surface: matt, colour: vec{1, 1, 1}})
	s.add(vec{0, 2, 0}, 0.5, material{surface: light, colour: vec{16, 8, 4}})
	s.first = 1
	h := hit{p: vec{}, n: vec{0, 1, 0}}
	if got := average(20000, func(g *rng) vec { return s.aimed(h, g) }); !close3(got, vec{1, 0.5, 0.25}, 0.01) {
		t.Errorf("floor sends back %.4f, want {1 0.5 0.25}", got)
	}
	s.add(vec{0, 1, 0}, 0.3, material{surface: matt})
	s.first = 2
	if got := average(1000, func(g *rng) vec { return s.aimed(h, g) }); got.x > 0.05 {
		t.Errorf("floor sends back %.4f in the shade", got)
	}
}

// In a hollow matt ball of radius 1 with a small lamp in its middle, light goes
// round and round; its sum is that of a geometric series. Paths that end early
// by chance must not make it less.
func TestLightThatGoesRoundAddsUp(t *testing.T) {
	const white, r, lamp = 0.8, 0.1, 10
	s := &scene{}
	s.add(vec{}, 1, material{surface: matt, colour: vec{white, white, white}})
	s.add(vec{}, r, material{surface: light, colour: vec{lamp, lamp, lamp}})
	s.first = 2
	got := average(40000, func(g *rng) vec {
		return s.radiance(vec{0, 0.5, 0}, g.hemisphere(vec{0, 1, 0}), g.float(), g)
	})
	const again = white * (1 - r*r) // what is not caught by the lamp
	want := white * lamp * r * r * (1 - math.Pow(again, maxBounces)) / (1 - again)
	if math.Abs(got.x/want-1) > 0.02 {
		t.Errorf("the ball sends back %.4f, want %.4f", got.x, want)
	}
}

func TestShadowsOfGlassAreLighterThanThoseOfStone(t *testing.T) {
	s := &scene{}
	s.add(vec{0, 1, 0}, 0.5, material{surface: glass})
	s.add(vec{3, 1, 0}, 0.5, material{surface: matt})
	s.first = 2
	up := vec{0, 1, 0}
	for _, c := range []struct {
		name string
		x    float64
		want float64
	}{{"free", -3, 1}, {"glass", 0, 0.75}, {"stone", 3, 0}} {
		if got := s.through(vec{c.x, 0, 0}, up, 10); got != c.want {
			t.Errorf("%s lets %v through, want %v", c.name, got, c.want)
		}
	}
	if got := s.through(vec{3, 0, 0}, up, 0.4); got != 1 {
		t.Errorf("a ball beyond the lamp takes light: %v", got)
	}
}

// The ball around the beads spares most rays the beads. It must hold them all,
// or they are cut off.
func TestTheClusterHoldsEveryBead(t *testing.T) {
	for l := range looks {
		for _, at := range []float64{0, 0.13, 0.5, 0.77, 1} {
			s := l.build(at)
			for _, b := range s.balls[s.first:] {
				d := b.c.sub(s.cluster.c)
				if out := math.Sqrt(d.dot(d)) + b.r; out > s.cluster.r {
					t.Errorf("look %d at %v: a bead reaches out to %.2f of %.2f", l, at, out, s.cluster.r)
				}
			}
		}
	}
}

func TestBasisIsRightAngled(t *testing.T) {
	g := newRNG(3, 4)
	for range 100 {
		n := g.ball().unit()
		u, v := basis(n)
		for _, dot := range []float64{u.dot(v), u.dot(n), v.dot(n), u.dot(u) - 1, v.dot(v) - 1} {
			if math.Abs(dot) > 1e-9 {
				t.Fatalf("basis of %v: %v %v", n, u, v)
			}
		}
	}
}
