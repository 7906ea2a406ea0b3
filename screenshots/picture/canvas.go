package picture

import (
	"image"
	"math"

	"golang.org/x/image/vector"
)

// canvas collects shapes that are filled together. Where shapes overlap the
// result is their union; a shape wound the other way cuts a hole.
type canvas struct {
	w, h float64
	r    *vector.Rasterizer
	ink  float64 // how much of the colour the shapes have, 0 to 1
}

type point struct{ x, y float64 }

func newCanvas(w, h int) *canvas {
	return &canvas{w: float64(w), h: float64(h), r: vector.NewRasterizer(w, h), ink: 1}
}

func (c *canvas) mask() *image.Alpha {
	m := image.NewAlpha(image.Rectangle{Max: c.r.Size()})
	c.r.Draw(m, m.Rect, image.Opaque, image.Point{})
	if c.ink < 1 {
		for i, a := range m.Pix {
			m.Pix[i] = uint8(float64(a)*c.ink + 0.5)
		}
	}
	return m
}

// poly fills a polygon, wound clockwise whichever way it is given.
func (c *canvas) poly(ps ...point) {
	area := 0.0
	for i, p := range ps {
		q := ps[(i+1)%len(ps)]
		area += p.x*q.y - q.x*p.y
	}
	c.path(ps, area < 0)
}

// hole cuts a polygon out of what was filled.
func (c *canvas) hole(ps ...point) {
	area := 0.0
	for i, p := range ps {
		q := ps[(i+1)%len(ps)]
		area += p.x*q.y - q.x*p.y
	}
	c.path(ps, area > 0)
}

func (c *canvas) path(ps []point, backwards bool) {
	for i := range ps {
		p := ps[i]
		if backwards {
			p = ps[len(ps)-1-i]
		}
		if i == 0 {
			c.r.MoveTo(float32(p.x), float32(p.y))
		} else {
			c.r.LineTo(float32(p.x), float32(p.y))
		}
	}
	c.r.ClosePath()
}

func (c *canvas) rect(x0, y0, x1, y1 float64) {
	c.poly(point{x0, y0}, point{x1, y0}, point{x1, y1}, point{x0, y1})
}

// line draws a straight stroke with square ends.
func (c *canvas) line(a, b point, thick float64) {
	dx, dy := b.x-a.x, b.y-a.y
	l := math.Hypot(dx, dy)
	if l == 0 {
		return
	}
	nx, ny := -dy/l*thick/2, dx/l*thick/2
	c.poly(point{a.x + nx, a.y + ny}, point{b.x + nx, b.y + ny}, point{b.x - nx, b.y - ny}, point{a.x - nx, a.y - ny})
}

// stroke draws a line through points, with round joints.
func (c *canvas) stroke(thick float64, ps ...point) {
	for i := range ps[1:] {
		c.line(ps[i], ps[i+1], thick)
	}
	for _, p := range ps {
		c.disc(p, thick/2)
	}
}

// arc returns points on a circle, from angle a to b in turns, 0 being to the
// right and 0.25 down.
func arc(m point, r, a, b float64) []point {
	const steps = 48
	ps := make([]point, steps+1)
	for i := range ps {
		sin, cos := math.Sincos(2 * math.Pi * (a + (b-a)*float64(i)/steps))
		ps[i] = point{m.x + r*cos, m.y + r*sin}
	}
	return ps
}

func (c *canvas) disc(m point, r float64) { c.poly(arc(m, r, 0, 1)...) }

// ring draws a circle of outer radius r.
func (c *canvas) ring(m point, r, thick float64) {
	c.disc(m, r)
	c.hole(arc(m, r-thick, 0, 1)...)
}

// pie fills the part of a disc between two angles in turns.
func (c *canvas) pie(m point, r, a, b float64) { c.poly(append(arc(m, r, a, b), m)...) }

// outlined fills the edge of a convex polygon around m.
func (c *canvas) outlined(m point, inner float64, ps ...point) {
	c.poly(ps...)
	in := make([]point, len(ps))
	for i, p := range ps {
		in[i] = point{m.x + (p.x-m.x)*inner, m.y + (p.y-m.y)*inner}
	}
	c.hole(in...)
}
