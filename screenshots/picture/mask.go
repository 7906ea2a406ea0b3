package picture

import (
	"image"
	"image/color"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"

	"dcctop/ui/tui/tuitest"
)

// mask returns the shape of a cell's character.
func (p *Painter) mask(c tuitest.Cell) *image.Alpha {
	g := glyph{text: c.Text, width: c.Width}
	if c.Bold {
		g.face |= 1
	}
	if c.Italic {
		g.face |= 2
	}
	m, ok := p.masks[g]
	if !ok {
		m = p.shape(g)
		p.masks[g] = m
	}
	return m
}

func (p *Painter) shape(g glyph) *image.Alpha {
	runes := []rune(norm.NFC.String(g.text))
	c := newCanvas(g.width*cellW, cellH)
	base := runes[0]
	if len(runes) == 1 || runes[1] == 0xfe0e || runes[1] == 0xfe0f { // text or picture form of the same sign
		if box(c, base) || block(c, base) || braille(c, base) || sign(c, base) || hanSign(c, base) || clapper(c, base) {
			return c.mask()
		}
	}
	if !p.has(base) {
		hatched(c)
		return c.mask()
	}
	m := image.NewAlpha(image.Rect(0, 0, g.width*cellW, cellH))
	d := font.Drawer{Dst: m, Src: image.NewUniform(color.Opaque), Face: p.faces[g.face], Dot: fixed.P(0, baseline)}
	for _, r := range runes {
		// A mark that the font does not have is left out; all else is there.
		if r == base || p.has(r) && !unicode.Is(unicode.Cf, r) {
			d.DrawString(string(r))
		}
	}
	return m
}

func (p *Painter) has(r rune) bool {
	i, err := p.font.GlyphIndex(&p.buf, r)
	return err == nil && i != 0
}
