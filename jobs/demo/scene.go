package demo

import "math"

// surface is how a material treats light.
type surface int

const (
	matt  surface = iota
	coat          // matt under a clear layer of lacquer
	metal         // a mirror with a colour
	glass
	light
)

// material is what a thing is made of.
type material struct {
	surface surface
	colour  vec     // reflected share per channel; for a light, what it sends out
	fuzz    float64 // of a metal: 0 is a perfect mirror
	second  vec     // the other colour of a checker
	cell    float64 // size of a checker's fields; 0 for a plain colour
}

// sphere is a ball.
type sphere struct {
	c   vec
	r   float64
	mat int
}

// wall is a flat thing across one axis (0, 1, 2 for x, y, z), seen from both
// sides. An edge that is infinite is written as an infinity.
type wall struct {
	axis   int
	at     float64
	lo, hi [2]float64 // along the two other axes, in their order
	mat    int
}

// scene is everything there is to see at one frame. It is not changed once
// built, so any number of goroutines may trace it.
type scene struct {
	sky     sky
	mats    []material
	balls   []sphere
	walls   []wall
	lights  []int // indices into balls
	panels  []int // indices into walls: lights that shine down
	fog     float64
	camera  camera
	gain    float64 // exposure
	cluster sphere  // holds every ball from first on: most rays miss it
	first   int
}

// hit is where a ray meets the scene.
type hit struct {
	t    float64
	p, n vec // n looks against the ray
	mat  *material
	in   bool // the ray comes from inside a ball
}

// eps keeps a ray from meeting the surface that it starts on.
const eps = 1e-4

// meet returns the distance along the ray o+t·d to the ball, or 0 for none.
func (s *sphere) meet(o, d vec) float64 {
	oc := o.sub(s.c)
	b := oc.dot(d)
	disc := b*b - oc.dot(oc) + s.r*s.r
	if disc <= 0 {
		return 0
	}
	root := math.Sqrt(disc)
	if t := -b - root; t > eps {
		return t
	}
	if t := -b + root; t > eps {
		return t
	}
	return 0
}

// meet returns the distance along the ray o+t·d to the wall, or 0 for none.
func (w *wall) meet(o, d vec) float64 {
	var oa, da, ou, du, ov, dv float64
	switch w.axis {
	case 0:
		oa, da, ou, du, ov, dv = o.x, d.x, o.y, d.y, o.z, d.z
	case 1:
		oa, da, ou, du, ov, dv = o.y, d.y, o.x, d.x, o.z, d.z
	default:
		oa, da, ou, du, ov, dv = o.z, d.z, o.x, d.x, o.y, d.y
	}
	t := (w.at - oa) / da // an infinity or NaN where the ray runs along the wall: refused below
	if !(t > eps && t < 1e6) {
		return 0
	}
	if u := ou + t*du; u < w.lo[0] || u > w.hi[0] {
		return 0
	}
	if v := ov + t*dv; v < w.lo[1] || v > w.hi[1] {
		return 0
	}
	return t
}

// hit returns the first thing on the ray, and false where there is none.
func (s *scene) hit(o, d vec) (hit, bool) {
	best, ball, flat := math.Inf(1), -1, -1
	for i := range s.walls {
		if t := s.walls[i].meet(o, d); t > 0 && t < best {
			best, flat = t, i
		}
	}
	for i, n := 0, s.reach(o, d); i < n; i++ {
		if t := s.balls[i].meet(o, d); t > 0 && t < best {
			best, ball = t, i
		}
	}
	h := hit{t: best, p: o.add(d.scale(best))}
	switch {
	case ball >= 0:
		b := &s.balls[ball]
		h.n, h.mat = h.p.sub(b.c).scale(1/b.r), &s.mats[b.mat]
	case flat >= 0:
		w := &s.walls[flat]
		h.mat = &s.mats[w.mat]
		switch w.axis {
		case 0:
			h.n.x = 1
		case 1:
			h.n.y = 1
		default:
			h.n.z = 1
		}
	default:
		return hit{}, false
	}
	if h.n.dot(d) > 0 {
		h.n, h.in = h.n.scale(-1), ball >= 0
	}
	return h, true
}

// reach returns how many of the balls a ray has to be tried against.
func (s *scene) reach(o, d vec) int {
	if s.first < len(s.balls) && s.cluster.meet(o, d) == 0 {
		return s.first
	}
	return len(s.balls)
}

// through returns how much light gets from o along d over the distance far.
// Glass lets most of it pass, straight on: a renderer's usual white lie, without which
// a glass ball throws the shadow of a stone.
func (s *scene) through(o, d vec, far float64) float64 {
	for i := range s.walls {
		if t := s.walls[i].meet(o, d); t > 0 && t < far {
			return 0
		}
	}
	pass := 1.0
	for i, n := 0, s.reach(o, d); i < n; i++ {
		if t := s.balls[i].meet(o, d); t > 0 && t < far {
			if s.mats[s.balls[i].mat].surface != glass {
				return 0
			}
			pass *= 0.75
		}
	}
	return pass
}

// at returns the material's colour at p, seen over the distance t. A checker
// fades to its mean far away, where its fields would only be noise.
func (m *material) at(p vec, t float64) vec {
	if m.cell == 0 {
		return m.colour
	}
	c := m.second
	if (int(math.Floor(p.x/m.cell))+int(math.Floor(p.z/m.cell)))&1 == 0 {
		c = m.colour
	}
	return mix(c, mix(m.colour, m.second, 0.5), 1-1/(1+t*t/900))
}
