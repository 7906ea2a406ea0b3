package demo

import "math"

// sky is what a ray meets that leaves the scene.
type sky struct {
	zenith, horizon, ground vec
	sunDir                  vec
	sun                     vec     // what a matt white surface facing the sun sends back; zero for no sun
	sunCos                  float64 // cosine of the sun's half angle
	stars                   bool
}

// from returns the light that comes from the direction d, and with disc the
// sun itself where it stands.
func (k *sky) from(d vec, disc bool) vec {
	if d.y < 0 {
		return mix(k.horizon, k.ground, math.Sqrt(-d.y))
	}
	c := mix(k.horizon, k.zenith, math.Sqrt(d.y))
	if k.sun != (vec{}) {
		cos := d.dot(k.sunDir)
		if cos > 0 {
			halo := math.Pow(cos, 6)*0.08 + math.Pow(cos, 64)*0.30
			c = c.add(k.sun.scale(halo))
		}
		if disc && cos > k.sunCos {
			c = c.add(k.sun.scale(12))
		}
	}
	if k.stars && disc && d.y > 0.02 {
		c = c.add(star(d))
	}
	return c
}

// star returns the light of the stars in the direction d: a grid of cells over
// the sky, a few of which hold one.
func star(d vec) vec {
	const cells = 110
	u, v := math.Atan2(d.x, d.z)*cells, d.y*cells*2
	h := uint64(int64(math.Floor(u)))*0x9e3779b97f4a7c15 ^ uint64(int64(math.Floor(v)))*0xbf58476d1ce4e5b9
	h = (h ^ h>>29) * 0x94d049bb133111eb
	h ^= h >> 32
	if h%29 != 0 {
		return vec{}
	}
	x, y := u-math.Floor(u)-0.5, v-math.Floor(v)-0.5
	glow := math.Exp(-(x*x + y*y) * 90)
	return mix(vec{0.7, 0.8, 1}, vec{1, 0.85, 0.7}, float64(h>>8&255)/255).scale(glow * (0.3 + float64(h>>16&255)/200))
}
