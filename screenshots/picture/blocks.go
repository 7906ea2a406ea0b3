package picture

// block draws a character from U+2580 to U+259F: parts of a filled cell.
func block(c *canvas, r rune) bool {
	if r < 0x2580 || r > 0x259f {
		return false
	}
	w, h := c.w, c.h
	switch {
	case r == '▀':
		c.rect(0, 0, w, h/2)
	case r <= '█': // lower eighths
		c.rect(0, h-h*float64(r-0x2580)/8, w, h)
	case r <= '▏': // left eighths, from seven on
		c.rect(0, 0, w*float64(0x2590-r)/8, h)
	case r == '▐':
		c.rect(w/2, 0, w, h)
	case r <= '▓':
		c.rect(0, 0, w, h)
		c.ink = float64(r-0x2590) / 4
	case r == '▔':
		c.rect(0, 0, w, h/8)
	case r == '▕':
		c.rect(w*7/8, 0, w, h)
	default:
		// Quarters: upper left 1, upper right 2, lower left 4, lower right 8.
		q := [...]int{4, 8, 1, 1 + 4 + 8, 1 + 8, 1 + 2 + 4, 1 + 2 + 8, 2, 2 + 4, 2 + 4 + 8}[r-0x2596]
		for i := range 4 {
			if q&(1<<i) != 0 {
				x, y := float64(i%2)*w/2, float64(i/2)*h/2
				c.rect(x, y, x+w/2, y+h/2)
			}
		}
	}
	return true
}

// braille draws the dots of a character from U+2800 to U+28FF.
func braille(c *canvas, r rune) bool {
	if r < 0x2800 || r > 0x28ff {
		return false
	}
	at := [8][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}
	for bit, p := range at {
		if (r-0x2800)&(1<<bit) != 0 {
			c.disc(point{c.w * (0.28 + 0.44*float64(p[0])), c.h * (0.17 + 0.21*float64(p[1]))}, 1.7)
		}
	}
	return true
}

// hatched marks a character that cannot be drawn, in its width.
func hatched(c *canvas) {
	x0, y0, x1, y1 := 1.5, 4.0, c.w-1.5, c.h-5
	c.rect(x0, y0, x1, y0+1)
	c.rect(x0, y1-1, x1, y1)
	c.rect(x0, y0, x0+1, y1)
	c.rect(x1-1, y0, x1, y1)
	for d := x0 - (y1 - y0) + 4; d < x1; d += 4 {
		// From the lower left to the upper right, cut at the frame.
		a, b := point{d, y1}, point{d + (y1 - y0), y0}
		if a.x < x0 {
			a = point{x0, y1 - (x0 - d)}
		}
		if b.x > x1 {
			b = point{x1, y0 + (b.x - x1)}
		}
		c.line(a, b, 0.8)
	}
	c.ink = 0.7
}
