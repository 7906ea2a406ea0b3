package demo

import (
	"math"
	"math/rand/v2"
)

// vec is a point, a direction or a linear colour.
type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec       { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec       { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) mul(b vec) vec       { return vec{a.x * b.x, a.y * b.y, a.z * b.z} }
func (a vec) scale(k float64) vec { return vec{a.x * k, a.y * k, a.z * k} }
func (a vec) dot(b vec) float64   { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) max() float64        { return max(a.x, a.y, a.z) }

func (a vec) cross(b vec) vec {
	return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

// unit returns a with length 1. It must not be called on a zero vector.
func (a vec) unit() vec { return a.scale(1 / math.Sqrt(a.dot(a))) }

// mix returns a where k is 0, b where it is 1, and a blend between.
func mix(a, b vec, k float64) vec { return a.scale(1 - k).add(b.scale(k)) }

// reflect returns d mirrored in a surface of normal n.
func reflect(d, n vec) vec { return d.sub(n.scale(2 * d.dot(n))) }

// basis returns two directions that form a right-angled frame with n, without
// the square root that a cross product with a chosen axis would need.
func basis(n vec) (vec, vec) {
	sign := math.Copysign(1, n.z)
	a := -1 / (sign + n.z)
	b := n.x * n.y * a
	return vec{1 + sign*n.x*n.x*a, sign * b, -sign * n.x}, vec{b, sign + n.y*n.y*a, -n.y}
}

// rng is a stream of random numbers that depends on its two seeds alone, so
// that a row of a frame looks the same whoever renders it, and when.
type rng struct{ src rand.PCG }

func newRNG(a, b uint64) *rng {
	g := &rng{}
	g.src.Seed(a, b)
	g.src.Uint64() // neighbouring seeds start alike
	return g
}

// float returns the next number in [0, 1).
func (g *rng) float() float64 { return float64(g.src.Uint64()>>11) * 0x1p-53 }

// hemisphere returns a direction around n, as a matt surface scatters light.
func (g *rng) hemisphere(n vec) vec {
	r2, phi := g.float(), 2*math.Pi*g.float()
	r := math.Sqrt(r2)
	sin, cos := math.Sincos(phi)
	u, v := basis(n)
	return u.scale(r * cos).add(v.scale(r * sin)).add(n.scale(math.Sqrt(1 - r2)))
}

// cone returns a direction within the cone around n whose half angle has the
// cosine cosMax, all of them equally likely.
func (g *rng) cone(n vec, cosMax float64) vec {
	cos := 1 - g.float()*(1-cosMax)
	r := math.Sqrt(max(0, 1-cos*cos))
	s, c := math.Sincos(2 * math.Pi * g.float())
	u, v := basis(n)
	return u.scale(r * c).add(v.scale(r * s)).add(n.scale(cos))
}

// ball returns a point in the ball of radius 1.
func (g *rng) ball() vec {
	for {
		p := vec{2*g.float() - 1, 2*g.float() - 1, 2*g.float() - 1}
		if p.dot(p) < 1 {
			return p
		}
	}
}
