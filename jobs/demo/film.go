package demo

import (
	"image"
	"math"
)

// film gathers light that is added point by point.
type film struct {
	width, height int
	light         []vec
}

func newFilm(width, height int) *film {
	return &film{width, height, make([]vec, width*height)}
}

// fade keeps the share k of all light.
func (f *film) fade(k float64) {
	for i, c := range f.light {
		f.light[i] = c.scale(k)
	}
}

// splat adds light at x, y, shared among the four pixels around that place.
// What falls off the film is lost.
func (f *film) splat(x, y float64, colour vec) {
	x, y = x-0.5, y-0.5
	left, top := math.Floor(x), math.Floor(y)
	kx, ky := x-left, y-top
	i, j := int(left), int(top)
	f.dot(i, j, colour.scale((1-kx)*(1-ky)))
	f.dot(i+1, j, colour.scale(kx*(1-ky)))
	f.dot(i, j+1, colour.scale((1-kx)*ky))
	f.dot(i+1, j+1, colour.scale(kx*ky))
}

func (f *film) dot(x, y int, colour vec) {
	if x >= 0 && y >= 0 && x < f.width && y < f.height {
		f.light[y*f.width+x] = f.light[y*f.width+x].add(colour)
	}
}

// picture returns the film as a screen shows it, over a night-blue ground.
func (f *film) picture() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, f.width, f.height))
	for i, c := range f.light {
		ground := mix(vec{0.008, 0.010, 0.022}, vec{0.020, 0.014, 0.020}, float64(i/f.width)/float64(f.height))
		c = c.add(ground)
		p := img.Pix[4*i:][:4:4]
		p[0], p[1], p[2], p[3] = tone(c.x), tone(c.y), tone(c.z), 0xff
	}
	return img
}
