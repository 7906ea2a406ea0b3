package picture

import "math"

// sign draws the common signs that Go Mono lacks or draws too small to be told
// apart: circles, triangles, ticks and crosses, and what media keys carry.
func sign(c *canvas, r rune) bool {
	m := point{c.w / 2, c.h/2 - 0.5}
	return circle(c, m, r) || triangle(c, m, r) || square(c, m, r) || tick(c, m, r) || media(c, m, r) || arrow(c, m, r)
}

func circle(c *canvas, m point, r rune) bool {
	const rad, thick = 5.0, 1.5
	halves := map[rune][2]float64{'◐': {0.25, 0.75}, '◑': {-0.25, 0.25}, '◒': {0, 0.5}, '◓': {0.5, 1},
		'◔': {-0.25, 0}, '◕': {-0.25, 0.5}}
	if h, ok := halves[r]; ok {
		c.ring(m, rad, thick)
		c.pie(m, rad-thick/2, h[0], h[1])
		return true
	}
	switch r {
	case '●', '⚫', '⬤':
		c.disc(m, rad)
	case '○', '⚪', '◯':
		c.ring(m, rad, thick)
	case '◌':
		for i := range 8 {
			c.disc(arc(m, rad-0.8, float64(i)/8, 1)[0], 0.9)
		}
	case '◎', '◉', '⦿', '⊙':
		c.ring(m, rad, thick)
		c.disc(m, map[rune]float64{'◎': 1.8, '◉': 2.8, '⦿': 2.8, '⊙': 1.4}[r])
	case '·', '⋅':
		c.disc(m, 1.4)
	case '◦':
		c.ring(m, 2.6, 1.3)
	case '⊘', '⊗', '⊕', '⊖':
		c.ring(m, rad, thick)
		d := (rad - 0.5) * math.Sqrt2 / 2
		switch r {
		case '⊘', '⊗':
			c.line(point{m.x - d, m.y + d}, point{m.x + d, m.y - d}, thick)
		default:
			c.line(point{m.x - rad, m.y}, point{m.x + rad, m.y}, thick)
		}
		switch r {
		case '⊗':
			c.line(point{m.x - d, m.y - d}, point{m.x + d, m.y + d}, thick)
		case '⊕':
			c.line(point{m.x, m.y - rad}, point{m.x, m.y + rad}, thick)
		}
	default:
		return false
	}
	return true
}

func triangle(c *canvas, m point, r rune) bool {
	all := []rune("▲△▶▷▼▽◀◁▴▵▸▹▾▿◂◃")
	for i, t := range all {
		if t != r {
			continue
		}
		size := 5.2
		if i >= 8 {
			size = 3.6
		}
		turn := float64(i%8/2) / 4 // up, right, down, left
		ps := make([]point, 3)
		for j := range ps {
			ps[j] = arc(m, size*1.1, turn-0.25+float64(j)/3, 1)[0]
		}
		if i%2 == 0 {
			c.poly(ps...)
		} else {
			c.outlined(m, 0.5, ps...)
		}
		return true
	}
	return false
}

func square(c *canvas, m point, r rune) bool {
	around := func(d float64, turned bool) []point {
		if turned {
			return []point{{m.x, m.y - d}, {m.x + d, m.y}, {m.x, m.y + d}, {m.x - d, m.y}}
		}
		return []point{{m.x - d, m.y - d}, {m.x + d, m.y - d}, {m.x + d, m.y + d}, {m.x - d, m.y + d}}
	}
	switch r {
	case '■', '◼', '⏹', '⬛':
		c.poly(around(4.5, false)...)
	case '□', '◻', '⬜', '☐':
		c.outlined(m, 0.68, around(4.5, false)...)
	case '▪', '◾':
		c.poly(around(2.6, false)...)
	case '▫', '◽':
		c.outlined(m, 0.55, around(2.8, false)...)
	case '◆', '⬥', '♦':
		c.poly(around(5.4, true)...)
	case '◇', '⬦':
		c.outlined(m, 0.65, around(5.4, true)...)
	case '◈':
		c.outlined(m, 0.7, around(5.4, true)...)
		c.poly(around(2.4, true)...)
	case '★', '☆':
		ps := make([]point, 10)
		for i := range ps {
			ps[i] = arc(m, []float64{5.8, 2.5}[i%2], -0.25+float64(i)/10, 1)[0]
		}
		if r == '★' {
			c.poly(ps...)
		} else {
			c.outlined(m, 0.6, ps...)
		}
	default:
		return false
	}
	return true
}

func tick(c *canvas, m point, r rune) bool {
	thin := map[rune]float64{'✓': 1.8, '✔': 2.8, '☑': 1.6, '✕': 1.8, '✗': 1.8, '✖': 2.8, '✘': 2.8, '☒': 1.6, '❯': 2, '❮': 2}[r]
	switch r {
	case '✓', '✔', '☑':
		c.stroke(thin, point{m.x - 4.2, m.y + 0.8}, point{m.x - 1.3, m.y + 4}, point{m.x + 4.2, m.y - 4.2})
	case '✕', '✗', '✖', '✘', '☒':
		c.stroke(thin, point{m.x - 3.9, m.y - 3.9}, point{m.x + 3.9, m.y + 3.9})
		c.stroke(thin, point{m.x - 3.9, m.y + 3.9}, point{m.x + 3.9, m.y - 3.9})
	case '❯', '❮':
		d := 2.6
		if r == '❮' {
			d = -d
		}
		c.stroke(thin, point{m.x - d, m.y - 5}, point{m.x + d, m.y}, point{m.x - d, m.y + 5})
	default:
		return false
	}
	return true
}

func media(c *canvas, m point, r rune) bool {
	switch r {
	case '⏸':
		c.rect(m.x-4, m.y-5, m.x-1.4, m.y+5)
		c.rect(m.x+1.4, m.y-5, m.x+4, m.y+5)
	case '⏵':
		c.poly(point{m.x - 3.6, m.y - 5}, point{m.x + 5, m.y}, point{m.x - 3.6, m.y + 5})
	case '⏺':
		c.disc(m, 5)
	case '⏳', '⌛', '⧗':
		c.poly(point{m.x - 4, m.y - 5.5}, point{m.x + 4, m.y - 5.5}, m)
		c.poly(point{m.x - 4, m.y + 5.5}, point{m.x + 4, m.y + 5.5}, m)
		c.rect(m.x-4.6, m.y-6.5, m.x+4.6, m.y-5.2)
		c.rect(m.x-4.6, m.y+5.2, m.x+4.6, m.y+6.5)
	case '⚠':
		c.outlined(point{m.x, m.y + 1.5}, 0.72, point{m.x, m.y - 6.5}, point{m.x + 6, m.y + 5.5}, point{m.x - 6, m.y + 5.5})
		c.rect(m.x-0.8, m.y-2, m.x+0.8, m.y+1.8)
		c.rect(m.x-0.8, m.y+2.6, m.x+0.8, m.y+3.9)
	case '⚡':
		c.poly(point{m.x + 1.5, m.y - 6.5}, point{m.x - 4, m.y + 1}, point{m.x - 0.4, m.y + 1}, point{m.x - 1.5, m.y + 6.5},
			point{m.x + 4, m.y - 1}, point{m.x + 0.4, m.y - 1})
	case '⚑':
		c.rect(m.x-4, m.y-6, m.x-2.6, m.y+6)
		c.poly(point{m.x - 2.6, m.y - 6}, point{m.x + 4.5, m.y - 3}, point{m.x - 2.6, m.y})
	case '⋯':
		for i := range 3 {
			c.disc(point{m.x + float64(i-1)*3.8, m.y}, 1.1)
		}
	case '⋮':
		for i := range 3 {
			c.disc(point{m.x, m.y + float64(i-1)*4.5}, 1.1)
		}
	default:
		return false
	}
	return true
}

func arrow(c *canvas, m point, r rune) bool {
	const thick = 1.6
	head := func(at point, turn float64) {
		for _, d := range []float64{0.375, -0.375} {
			p := arc(at, 4, turn+d, 1)[0]
			c.stroke(thick, at, p)
		}
	}
	switch r {
	case '↵', '⏎', '↩':
		c.stroke(thick, point{m.x + 4.5, m.y - 4.5}, point{m.x + 4.5, m.y + 2}, point{m.x - 4.5, m.y + 2})
		head(point{m.x - 4.5, m.y + 2}, 0.5)
	case '⇧':
		c.outlined(m, 0.6, point{m.x, m.y - 6}, point{m.x + 5.5, m.y}, point{m.x + 2.4, m.y}, point{m.x + 2.4, m.y + 5},
			point{m.x - 2.4, m.y + 5}, point{m.x - 2.4, m.y}, point{m.x - 5.5, m.y})
	case '⇥':
		c.stroke(thick, point{m.x - 5, m.y}, point{m.x + 4, m.y})
		head(point{m.x + 3.6, m.y}, 0)
		c.rect(m.x+4.2, m.y-4, m.x+5.6, m.y+4)
	case '⇒', '⇐':
		s := map[rune]float64{'⇒': 1, '⇐': -1}[r]
		for _, y := range []float64{-1.7, 1.7} {
			c.stroke(1.3, point{m.x - 5*s, m.y + y}, point{m.x + 3*s, m.y + y})
		}
		c.stroke(thick, point{m.x + 1*s, m.y - 4.2}, point{m.x + 5*s, m.y}, point{m.x + 1*s, m.y + 4.2})
	case '↻', '⟳', '↺', '⟲':
		// Three quarters of a turn, and a head where it ends.
		ps, tip := arc(m, 4.6, 0.05, 0.78), []point{{0, -3}, {4, 0.4}, {-0.4, 3}}
		s := 1.0
		if r == '↺' || r == '⟲' {
			s = -1
		}
		for i, p := range ps {
			ps[i].x = m.x + s*(p.x-m.x)
		}
		end := ps[len(ps)-1]
		for i, p := range tip {
			tip[i] = point{end.x + s*p.x, end.y + p.y}
		}
		c.stroke(1.5, ps...)
		c.poly(tip...)
	case '␣':
		c.stroke(thick, point{m.x - 4, m.y + 2}, point{m.x - 4, m.y + 5.5}, point{m.x + 4, m.y + 5.5}, point{m.x + 4, m.y + 2})
	default:
		return false
	}
	return true
}
