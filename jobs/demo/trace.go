package demo

import "math"

// ior is the refractive index of glass.
const ior = 1.5

// maxBounces bounds the length of a path.
const maxBounces = 9

// radiance returns the light that comes back along the ray o, d: one path of a
// path tracer that also aims at the lights from every matt surface it meets.
// draw, from 0 to 1, decides whether the first glass or lacquer mirrors the
// ray: spread evenly over the samples of a pixel it leaves little to chance,
// and a lamp's reflection is smooth instead of speckled.
func (s *scene) radiance(o, d vec, draw float64, g *rng) vec {
	var sum vec
	thr := vec{1, 1, 1}
	// Light that a matt surface has already aimed at is not counted again when
	// the path runs into it.
	direct := true
	for bounce := 0; bounce < maxBounces; bounce++ {
		h, ok := s.hit(o, d)
		if !ok {
			sum = sum.add(thr.mul(s.sky.from(d, direct)))
			break
		}
		if s.fog > 0 && bounce == 0 {
			// The floor runs into the sky instead of ending at an edge.
			clear := math.Exp(-s.fog * h.t)
			sum = sum.add(s.sky.from(vec{d.x, max(d.y, 0), d.z}, false).scale(1 - clear))
			thr = thr.scale(clear)
		}
		if h.mat.surface == light {
			if direct {
				sum = sum.add(thr.mul(h.mat.colour))
			}
			break
		}
		o = h.p
		if bounce > 0 {
			draw = g.float()
		}
		colour := h.mat.at(h.p, h.t)
		switch kind := h.mat.surface; {
		case kind == glass:
			d = refract(d, h, draw)
			thr = thr.mul(colour)
		case kind == metal:
			d = reflect(d, h.n)
			if h.mat.fuzz > 0 {
				d = d.add(g.ball().scale(h.mat.fuzz)).unit()
			}
			if d.dot(h.n) <= 0 {
				return sum
			}
			thr = thr.mul(mix(colour, vec{1, 1, 1}, schlick(d.dot(h.n), 0)))
		case kind == coat && draw < schlick(-d.dot(h.n), 0.04):
			d = reflect(d, h.n)
		default:
			thr = thr.mul(colour)
			sum = sum.add(thr.mul(s.aimed(h, g)))
			direct = false
			d = g.hemisphere(h.n)
		}
		if bounce > 2 {
			keep := min(thr.max(), 0.95)
			if g.float() >= keep {
				break
			}
			thr = thr.scale(1 / keep)
		}
	}
	return sum
}

// schlick returns the share of light that a surface mirrors at the angle of
// cosine cos, where it mirrors f0 of what comes head on.
func schlick(cos, f0 float64) float64 {
	m := 1 - min(max(cos, 0), 1)
	return f0 + (1-f0)*m*m*m*m*m
}

// refract returns the direction of a ray after a surface of glass: mirrored or
// bent, in the proportion in which light is, as draw decides.
func refract(d vec, h hit, draw float64) vec {
	eta := 1 / ior
	if h.in {
		eta = ior
	}
	cos := min(-d.dot(h.n), 1)
	sin2 := eta * eta * (1 - cos*cos)
	if sin2 >= 1 {
		return reflect(d, h.n)
	}
	out := math.Sqrt(1 - sin2)
	f := schlick(cos, 0.04)
	if h.in {
		f = schlick(out, 0.04)
	}
	if draw < f {
		return reflect(d, h.n)
	}
	return d.scale(eta).add(h.n.scale(eta*cos - out)).unit()
}
