package demo

import "math"

// bodies are masses that attract each other. The unit of length is a
// galaxy's radius, and the gravitational constant is 1.
type bodies struct {
	pos, vel, acc []vec
	mass          []float64
	soft2         float64 // bodies are balls of fluff: no force grows beyond all bounds
}

// galaxies returns two discs of n bodies in all, each around a heavy centre,
// on their way to pass through each other.
func galaxies(n int, seed uint64) *bodies {
	b := &bodies{soft2: 0.05 * 0.05}
	g := newRNG(seed, 1)
	for i := range 2 {
		side := float64(2*i - 1)
		centre := vec{1.25 * side, 0.45 * side, 0}
		drift := vec{-0.30 * side, 0.10 * side, 0}
		tilt := 0.5 + 0.6*float64(i)
		sin, cos := math.Sincos(tilt)
		b.put(centre, drift, 1)
		for range n/2 - 1 {
			r := 0.15 + 0.85*math.Sqrt(g.float())
			s, c := math.Sincos(2 * math.Pi * g.float())
			v := side * math.Sqrt(1/r)
			b.put(centre.add(vec{r * c, r * s * cos, r * s * sin}),
				drift.add(vec{-v * s, v * c * cos, v * c * sin}), 0.2/float64(n))
		}
	}
	b.pull()
	return b
}

func (b *bodies) put(pos, vel vec, mass float64) {
	b.pos, b.vel, b.mass = append(b.pos, pos), append(b.vel, vel), append(b.mass, mass)
	b.acc = append(b.acc, vec{})
}

// pull computes what each body feels of all others.
func (b *bodies) pull() {
	clear(b.acc)
	for i := range b.pos {
		p, m := b.pos[i], b.mass[i]
		var sum vec
		for j := i + 1; j < len(b.pos); j++ {
			d := b.pos[j].sub(p)
			r2 := d.dot(d) + b.soft2
			k := 1 / (r2 * math.Sqrt(r2))
			sum = sum.add(d.scale(k * b.mass[j]))
			b.acc[j] = b.acc[j].sub(d.scale(k * m))
		}
		b.acc[i] = b.acc[i].add(sum)
	}
}

// step moves all bodies by the time dt: half a kick, a drift, half a kick. This
// leapfrog is as cheap as the plainest scheme, and its error in energy swings
// instead of growing.
func (b *bodies) step(dt float64) {
	for i := range b.pos {
		b.vel[i] = b.vel[i].add(b.acc[i].scale(dt / 2))
		b.pos[i] = b.pos[i].add(b.vel[i].scale(dt))
	}
	b.pull()
	for i := range b.vel {
		b.vel[i] = b.vel[i].add(b.acc[i].scale(dt / 2))
	}
}

// energy returns the energy of motion and of position together. In nature it
// never changes.
func (b *bodies) energy() float64 {
	var e float64
	for i := range b.pos {
		e += 0.5 * b.mass[i] * b.vel[i].dot(b.vel[i])
		for j := i + 1; j < len(b.pos); j++ {
			d := b.pos[j].sub(b.pos[i])
			e -= b.mass[i] * b.mass[j] / math.Sqrt(d.dot(d)+b.soft2)
		}
	}
	return e
}
