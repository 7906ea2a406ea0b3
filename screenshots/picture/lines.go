package picture

import "strings"

// arms says how each of the box-drawing characters from U+2500 on reaches the
// left, upper, right and lower edge of its cell: 0 not at all, 1 with a light,
// 2 with a heavy, 3 with a double line. Dashed, round and slanted ones are not
// in it.
const arms = "" +
	"1010 2020 0101 0202 .... .... .... .... .... .... .... .... 0011 0021 0012 0022 " +
	"1001 2001 1002 2002 0110 0120 0210 0220 1100 2100 1200 2200 0111 0121 0211 0112 " +
	"0212 0221 0122 0222 1101 2101 1201 1102 1202 2201 2102 2202 1011 2011 1021 2021 " +
	"1012 2012 1022 2022 1110 2110 1120 2120 1210 2210 1220 2220 1111 2111 1121 2121 " +
	"1211 1112 1212 2211 1221 2112 1122 2221 2122 2212 1222 2222 .... .... .... .... " +
	"3030 0303 0031 0013 0033 3001 1003 3003 0130 0310 0330 3100 1300 3300 0131 0313 " +
	"0333 3101 1303 3303 3031 1013 3033 3130 1310 3330 3131 1313 3333 .... .... .... " +
	".... .... .... .... 1000 0100 0010 0001 2000 0200 0020 0002 1020 0102 2010 0201 "

const (
	light  = 2.0
	heavy  = 4.0
	spread = 3.0 // from the middle to each of two parallel lines
)

// box draws a box-drawing character.
func box(c *canvas, r rune) bool {
	if r < 0x2500 || r > 0x257f {
		return false
	}
	mx, my := c.w/2, c.h/2
	switch {
	case strings.ContainsRune("┄┅┆┇┈┉┊┋╌╍╎╏", r):
		dashed(c, r)
	case strings.ContainsRune("╭╮╯╰", r):
		rounded(c, r)
	case r == '╱', r == '╳', r == '╲':
		if r != '╲' {
			c.line(point{c.w, 0}, point{0, c.h}, light)
		}
		if r != '╱' {
			c.line(point{0, 0}, point{c.w, c.h}, light)
		}
	default:
		a := arms[int(r-0x2500)*5:][:4]
		for i := range 4 {
			arm(c, mx, my, i, a)
		}
	}
	return true
}

// arm draws the i-th arm of a. To draw every arm as one that goes right, its
// points are turned: along is the way to the edge, across is to the right of
// that way.
func arm(c *canvas, mx, my float64, i int, a string) {
	along, edge := [4]point{{-1, 0}, {0, -1}, {1, 0}, {0, 1}}[i], [4]float64{mx, my, c.w - mx, c.h - my}[i]
	seg := func(from, off, thick float64) {
		p := point{mx + along.x*from - along.y*off, my + along.y*from + along.x*off}
		q := point{mx + along.x*edge - along.y*off, my + along.y*edge + along.x*off}
		c.line(p, q, thick)
	}
	// Where the line begins so that it fills the joint with whatever crosses.
	start := 0.0
	for _, side := range []int{1, 3} {
		switch a[(i+side)%4] {
		case '1':
			start = max(start, light/2)
		case '2':
			start = max(start, heavy/2)
		case '3':
			start = max(start, spread+light/2)
		}
	}
	switch a[i] {
	case '1':
		seg(-start, 0, light)
	case '2':
		seg(-start, 0, heavy)
	case '3':
		for _, side := range []int{1, 3} { // to the right of the way, and to its left
			off, from := spread, -start
			if side == 3 {
				off = -spread
			}
			if a[(i+side)%4] == '3' {
				from = spread - light/2
			}
			seg(from, off, light)
		}
	}
}

func dashed(c *canvas, r rune) {
	thick, n := light, 3.0
	if strings.ContainsRune("┅┇┉┋╍╏", r) {
		thick = heavy
	}
	switch {
	case strings.ContainsRune("┈┉┊┋", r):
		n = 4
	case strings.ContainsRune("╌╍╎╏", r):
		n = 2
	}
	for i := range int(n) {
		a, b := (float64(i)+0.2)/n, (float64(i)+0.8)/n
		if strings.ContainsRune("┄┅┈┉╌╍", r) {
			c.rect(a*c.w, c.h/2-thick/2, b*c.w, c.h/2+thick/2)
		} else {
			c.rect(c.w/2-thick/2, a*c.h, c.w/2+thick/2, b*c.h)
		}
	}
}

// rounded draws a corner as a quarter of a circle and what is left of its arms.
func rounded(c *canvas, r rune) {
	mx, my := c.w/2, c.h/2
	rad := mx
	sx, sy := 1.0, 1.0 // where the arms go
	if r == '╮' || r == '╯' {
		sx = -1
	}
	if r == '╰' || r == '╯' {
		sy = -1
	}
	m := point{mx + sx*rad, my + sy*rad}
	edge := func(rr float64) []point {
		ps := arc(point{}, rr, 0.5, 0.75)
		for i, p := range ps {
			ps[i] = point{m.x + p.x*sx, m.y + p.y*sy}
		}
		return ps
	}
	outer, inner := edge(rad+light/2), edge(rad-light/2)
	for i := len(inner) - 1; i >= 0; i-- {
		outer = append(outer, inner[i])
	}
	c.poly(outer...)
	c.line(point{mx, m.y}, point{mx, my + sy*my}, light)
}
