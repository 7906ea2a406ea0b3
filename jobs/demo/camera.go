package demo

import "math"

// camera turns a place on the picture into a ray.
type camera struct {
	eye              vec
	right, up, ahead vec
	tan              float64 // of half the vertical angle of view
	lens, focus      float64 // radius of the lens, and the distance that is sharp
}

// lookAt returns a camera at eye that looks at target. fov is the vertical
// angle of view in degrees.
func lookAt(eye, target vec, fov, lens float64) camera {
	ahead := target.sub(eye)
	focus := math.Sqrt(ahead.dot(ahead))
	ahead = ahead.scale(1 / focus)
	right := ahead.cross(vec{0, 1, 0}).unit()
	return camera{
		eye: eye, right: right, up: right.cross(ahead), ahead: ahead,
		tan: math.Tan(fov * math.Pi / 360), lens: lens, focus: focus,
	}
}

// ray returns the ray through x, y: both from -1 to 1 over the picture's
// height, x growing to the right and y upwards.
func (c *camera) ray(x, y float64, g *rng) (o, d vec) {
	d = c.ahead.add(c.right.scale(x * c.tan)).add(c.up.scale(y * c.tan))
	if c.lens == 0 {
		return c.eye, d.unit()
	}
	r := c.lens * math.Sqrt(g.float())
	sin, cos := math.Sincos(2 * math.Pi * g.float())
	off := c.right.scale(r * cos).add(c.up.scale(r * sin))
	return c.eye.add(off), d.scale(c.focus).sub(off).unit()
}

// tone turns linear light into a byte as a screen wants it: a film-like curve
// (bright parts roll off instead of clipping), then the screen's gamma.
func tone(v float64) uint8 {
	v = v * (2.51*v + 0.03) / (v*(2.43*v+0.59) + 0.14)
	v = min(max(v, 0), 1)
	if v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return uint8(v*255 + 0.5)
}
