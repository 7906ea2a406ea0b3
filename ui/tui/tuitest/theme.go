package tuitest

import (
	"image/color"

	"github.com/charmbracelet/x/ansi"
)

// Theme is the colours that a terminal brings along.
type Theme struct {
	Fg, Bg  color.Color
	Palette [16]color.Color // the colours that programs know by number
}

// Dark returns a theme with light text on a dark ground.
func Dark() Theme {
	return Theme{
		Fg: rgb(0xd8dbe2), Bg: rgb(0x16181d),
		Palette: palette(
			0x2a2e37, 0xe0606c, 0x8fc26b, 0xdcb563, 0x62a5ea, 0xc480dd, 0x58b7c3, 0xc3c8d2,
			0x6b7280, 0xf0818c, 0xa9d98a, 0xf0cd85, 0x86bff5, 0xd9a0ee, 0x7fd0da, 0xf2f4f8),
	}
}

// Light returns a theme with dark text on a light ground.
func Light() Theme {
	return Theme{
		Fg: rgb(0x24292f), Bg: rgb(0xfbfbf8),
		Palette: palette(
			0x24292f, 0xc02735, 0x2f7d32, 0x946200, 0x1e66c4, 0x8a3fb0, 0x0f7681, 0x6e7781,
			0x57606a, 0xa40e26, 0x1a6b2a, 0x7a5200, 0x0b51a8, 0x6f2c96, 0x0a5f69, 0x8c959f),
	}
}

func palette(hex ...uint32) (p [16]color.Color) {
	for i := range p {
		p[i] = rgb(hex[i])
	}
	return p
}

func rgb(hex uint32) color.Color {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// Resolve returns what c looks like in this theme; other is what is meant where
// there is no colour.
func (t Theme) Resolve(c, other color.Color) color.RGBA {
	switch v := c.(type) {
	case nil:
		c = other
	case ansi.BasicColor:
		c = t.Palette[v&15]
	case ansi.IndexedColor:
		if v < 16 {
			c = t.Palette[v]
		}
	}
	r, g, b, a := c.RGBA()
	return color.RGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: uint8(a >> 8)}
}
