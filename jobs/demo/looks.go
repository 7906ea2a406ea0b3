package demo

import "math"

// look is a scene of the demo.
type look int

// The looks.
const (
	dusk look = iota // balls on a checker, a low sun
	room             // a box with coloured walls and a lamp in its ceiling
	neon             // glowing balls on a dark floor at night
	looks
)

// build returns the scene of the look at time t, which runs from 0 to 1 over a
// shot. The camera moves and something in the scene does.
func (l look) build(t float64) *scene {
	switch l {
	case room:
		return roomScene(t)
	case neon:
		return neonScene(t)
	}
	return duskScene(t)
}

// add puts a ball of its own material into the scene.
func (s *scene) add(c vec, r float64, m material) {
	s.mats = append(s.mats, m)
	s.balls = append(s.balls, sphere{c, r, len(s.mats) - 1})
	if m.surface == light {
		s.lights = append(s.lights, len(s.balls)-1)
	}
}

// wall puts a flat thing of its own material into the scene.
func (s *scene) wall(axis int, at float64, lo, hi [2]float64, m material) {
	s.mats = append(s.mats, m)
	s.walls = append(s.walls, wall{axis, at, lo, hi, len(s.mats) - 1})
	if m.surface == light {
		s.panels = append(s.panels, len(s.walls)-1)
	}
}

// floor puts an endless checker at height 0 into the scene.
func (s *scene) floor(m material) {
	inf := math.Inf(1)
	s.wall(1, 0, [2]float64{-inf, -inf}, [2]float64{inf, inf}, m)
}

// bead returns the i-th of n places on a ring of radius r around the origin,
// turned by turn, for balls of the given size that hop one after the other.
func bead(i, n int, r, size, turn, t float64) vec {
	a := 2*math.Pi*float64(i)/float64(n) + turn
	hop := math.Abs(math.Sin(math.Pi * (3*t + 3*float64(i)/float64(n))))
	return vec{r * math.Cos(a), size + 0.35*hop, r * math.Sin(a)}
}

// hue returns a colour of the rainbow; h runs from 0 to 1 and round again.
func hue(h float64) vec {
	wave := func(o float64) float64 { return 0.5 + 0.5*math.Cos(2*math.Pi*(h-o)) }
	return vec{wave(0), wave(1.0 / 3), wave(2.0 / 3)}
}

func duskScene(t float64) *scene {
	s := &scene{gain: 0.80, fog: 0.012, sky: sky{
		zenith: vec{0.05, 0.11, 0.30}, horizon: vec{0.62, 0.30, 0.17}, ground: vec{0.10, 0.07, 0.06},
		sunDir: vec{-0.80, 0.42, 0.18}.unit(), sun: vec{1.75, 1.15, 0.72}, sunCos: math.Cos(0.035),
	}}
	s.floor(material{surface: coat, colour: vec{0.62, 0.58, 0.54}, second: vec{0.07, 0.08, 0.11}, cell: 1})
	s.add(vec{0, 1.15, 0}, 1.15, material{surface: glass, colour: vec{0.98, 1, 0.99}})
	s.add(vec{-2.25, 0.9, -0.9}, 0.9, material{surface: metal, colour: vec{1, 0.72, 0.32}, fuzz: 0.04})
	s.add(vec{2.2, 0.95, -0.75}, 0.95, material{surface: coat, colour: vec{0.62, 0.05, 0.06}})
	s.add(vec{0.4, 0.75, -2.9}, 0.75, material{surface: matt, colour: vec{0.15, 0.42, 0.45}})
	s.first = len(s.balls)
	const beads, size = 16, 0.24
	for i := range beads {
		m := material{surface: coat, colour: hue(float64(i) / beads).scale(0.75)}
		if i%4 == 3 {
			m = material{surface: metal, colour: vec{0.85, 0.87, 0.9}}
		}
		s.add(bead(i, beads, 3.5, size, 0.7*t, t), size, m)
	}
	s.cluster = sphere{c: vec{0, size, 0}, r: 3.5 + 2*size}
	sin, cos := math.Sincos(0.35 + 0.9*t)
	s.camera = lookAt(vec{8 * sin, 2.3 + 0.4*t, 8 * cos}, vec{0, 0.85, 0}, 36, 0.05)
	return s
}

func roomScene(t float64) *scene {
	s := &scene{gain: 1.0}
	const half, high, deep = 3.2, 3.6, 2.6
	white := material{surface: matt, colour: vec{0.73, 0.71, 0.68}}
	s.wall(1, 0, [2]float64{-half, -deep}, [2]float64{half, 9}, material{
		surface: coat, colour: vec{0.70, 0.66, 0.60}, second: vec{0.28, 0.24, 0.22}, cell: 0.8})
	s.wall(1, high, [2]float64{-half, -deep}, [2]float64{half, 9}, white)
	s.wall(2, -deep, [2]float64{-half, 0}, [2]float64{half, high}, white)
	s.wall(2, 9, [2]float64{-half, 0}, [2]float64{half, high}, white)
	s.wall(0, -half, [2]float64{0, -deep}, [2]float64{high, 9}, material{surface: matt, colour: vec{0.60, 0.07, 0.06}})
	s.wall(0, half, [2]float64{0, -deep}, [2]float64{high, 9}, material{surface: matt, colour: vec{0.08, 0.36, 0.42}})
	s.wall(1, high-0.02, [2]float64{-1.3, -1.1}, [2]float64{1.3, 1.1}, material{surface: light, colour: vec{8.5, 7.4, 5.8}})
	sin, cos := math.Sincos(2 * math.Pi * t)
	s.add(vec{-1.45, 1.0, -1.0}, 1.0, material{surface: metal, colour: vec{0.95, 0.93, 0.90}})
	s.add(vec{1.35, 0.85, 0.2}, 0.85, material{surface: glass, colour: vec{0.98, 1, 1}})
	s.add(vec{-0.1 + 0.9*cos, 0.45 + 0.5*math.Abs(sin), 0.9 + 0.5*sin}, 0.45, material{surface: coat, colour: vec{0.85, 0.48, 0.05}})
	s.add(vec{0.5, 0.35, -1.7}, 0.35, material{surface: metal, colour: vec{0.95, 0.55, 0.40}, fuzz: 0.15})
	s.first = len(s.balls)
	s.camera = lookAt(vec{1.1 * math.Sin(1.2*(t-0.5)), 1.9, 7.6 - 0.9*t}, vec{0, 1.5, 0}, 36, 0.02)
	return s
}

func neonScene(t float64) *scene {
	s := &scene{gain: 1.7, fog: 0.03, sky: sky{
		zenith: vec{0.002, 0.004, 0.014}, horizon: vec{0.032, 0.012, 0.050}, ground: vec{0.01, 0.01, 0.02},
		stars: true,
	}}
	s.floor(material{surface: coat, colour: vec{0.30, 0.31, 0.36}, second: vec{0.10, 0.10, 0.13}, cell: 1})
	s.add(vec{0, 1.25, 0}, 1.25, material{surface: metal, colour: vec{0.92, 0.93, 0.96}})
	s.add(vec{-2.3, 0.8, 0.7}, 0.8, material{surface: glass, colour: vec{0.97, 0.99, 1}})
	s.add(vec{2.2, 0.8, 0.5}, 0.8, material{surface: matt, colour: vec{0.75, 0.75, 0.78}})
	s.first = len(s.balls)
	const beads, size = 9, 0.22
	for i := range beads {
		s.add(bead(i, beads, 3.1, size, 1.2*t, t), size, material{surface: light, colour: hue(float64(i) / beads).mul(hue(float64(i) / beads)).scale(9)})
	}
	s.cluster = sphere{c: vec{0, size, 0}, r: 3.1 + 2*size}
	sin, cos := math.Sincos(-0.5 + 0.8*t)
	s.camera = lookAt(vec{7.6 * sin, 2.0, 7.6 * cos}, vec{0, 0.9, 0}, 37, 0.04)
	return s
}
