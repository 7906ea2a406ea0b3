package demo

import "math"

// aimed returns the light that reaches h straight from the sun, from one of
// the balls that shine and from one of the panels, as a white matt surface
// sends it on.
func (s *scene) aimed(h hit, g *rng) vec {
	var sum vec
	if s.sky.sun != (vec{}) {
		d := g.cone(s.sky.sunDir, s.sky.sunCos)
		if cos := d.dot(h.n); cos > 0 {
			sum = sum.add(s.sky.sun.scale(cos * s.through(h.p, d, math.Inf(1))))
		}
	}
	if b, chance := s.pick(h.p, g); b != nil {
		to := b.c.sub(h.p)
		dist2 := to.dot(to)
		if sin2 := b.r * b.r / dist2; sin2 < 1 {
			cosMax := math.Sqrt(1 - sin2)
			d := g.cone(to.scale(1/math.Sqrt(dist2)), cosMax)
			far := b.meet(h.p, d)
			if cos := d.dot(h.n); cos > 0 && far > 0 {
				// Solid angle over π.
				k := cos * 2 * (1 - cosMax) / chance * s.through(h.p, d, far-eps)
				sum = sum.add(s.mats[b.mat].colour.scale(k))
			}
		}
	}
	if n := len(s.panels); n > 0 {
		w := &s.walls[s.panels[int(g.float()*float64(n))]]
		to := vec{
			w.lo[0] + g.float()*(w.hi[0]-w.lo[0]), w.at, w.lo[1] + g.float()*(w.hi[1]-w.lo[1]),
		}.sub(h.p)
		dist2 := to.dot(to)
		far := math.Sqrt(dist2)
		d := to.scale(1 / far)
		if cos := d.dot(h.n); cos > 0 && d.y > 0 {
			area := (w.hi[0] - w.lo[0]) * (w.hi[1] - w.lo[1])
			k := cos * d.y * area / (math.Pi * dist2) * float64(n) * s.through(h.p, d, far-eps)
			sum = sum.add(s.mats[w.mat].colour.scale(k))
		}
	}
	return sum
}

// pick returns one of the balls that shine and the chance with which it was
// picked: a near one more often, as it gives more light. It returns nil where
// there is none.
func (s *scene) pick(p vec, g *rng) (*sphere, float64) {
	var total, weight float64
	var picked *sphere
	for _, i := range s.lights {
		b := &s.balls[i]
		to := b.c.sub(p)
		w := b.r * b.r / to.dot(to)
		total += w
		if g.float()*total < w {
			picked, weight = b, w
		}
	}
	return picked, weight / total
}
