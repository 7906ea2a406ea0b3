// Package picture draws what a terminal shows. It needs no browser and no font
// of the machine's: letters come from the Go Mono family, and lines, blocks,
// braille and the common signs, which no font draws without seams, are drawn
// here. Of a character that neither has, a hatched box of its width is left.
package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"

	"dcctop/ui/tui/tuitest"
)

// Measures in pixels. At this size a Go Mono letter is exactly one cell wide.
const (
	fontSize = 20
	cellW    = 12
	cellH    = 24
	baseline = 18
	margin   = 14
)

// Painter draws screens. It keeps every character it has drawn, and is not safe
// for use by several goroutines at once.
type Painter struct {
	font  *sfnt.Font // the regular one: says which characters there are
	buf   sfnt.Buffer
	faces [4]font.Face // by bold (1) and italic (2)
	masks map[glyph]*image.Alpha
}

// glyph is one character in one style.
type glyph struct {
	text  string
	face  int
	width int // in cells
}

// New returns a painter.
func New() (*Painter, error) {
	p := &Painter{masks: make(map[glyph]*image.Alpha)}
	for i, ttf := range [][]byte{gomono.TTF, gomonobold.TTF, gomonoitalic.TTF, gomonobolditalic.TTF} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			return nil, fmt.Errorf("font %d: %w", i, err)
		}
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: fontSize, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			return nil, fmt.Errorf("font %d: %w", i, err)
		}
		if i == 0 {
			p.font = f
		}
		p.faces[i] = face
	}
	return p, nil
}

// Size returns the size in pixels of a picture of width by height cells.
func Size(width, height int) image.Point {
	return image.Pt(width*cellW+2*margin, height*cellH+2*margin)
}

// Draw draws a screen in the colours of a theme.
func (p *Painter) Draw(s tuitest.Screen, th tuitest.Theme) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: Size(s.Width, s.Height)})
	fg, bg := th.Resolve(s.Fg, th.Fg), th.Resolve(s.Bg, th.Bg)
	draw.Draw(img, img.Rect, image.NewUniform(bg), image.Point{}, draw.Src)
	for y, row := range s.Cells {
		for x, c := range row {
			if c.Width < 1 {
				continue
			}
			cursor := s.CursorShown && x == s.CursorX && y == s.CursorY
			p.cell(img, x, y, c, ink{th, fg, bg}, cursor, s.CursorBar)
		}
	}
	return img
}

// ink is the colours of a screen where a cell says nothing.
type ink struct {
	th     tuitest.Theme
	fg, bg color.RGBA
}

func (p *Painter) cell(img *image.RGBA, x, y int, c tuitest.Cell, k ink, cursor, bar bool) {
	at := image.Pt(margin+x*cellW, margin+y*cellH)
	box := image.Rectangle{Min: at, Max: at.Add(image.Pt(c.Width*cellW, cellH))}
	fg, bg := k.th.Resolve(c.Fg, k.fg), k.th.Resolve(c.Bg, k.bg)
	if c.Reverse {
		fg, bg = bg, fg
	}
	if cursor && !bar {
		fg, bg = bg, fg
	}
	if c.Faint {
		fg = mix(fg, bg, 0.45)
	}
	if bg != k.bg {
		draw.Draw(img, box, image.NewUniform(bg), image.Point{}, draw.Src)
	}
	paint := image.NewUniform(fg)
	if c.Text != "" && c.Text != " " {
		draw.DrawMask(img, box, paint, image.Point{}, p.mask(c), image.Point{}, draw.Over)
	}
	rule := func(top, height int, u image.Image) {
		r := image.Rect(box.Min.X, box.Min.Y+top, box.Max.X, box.Min.Y+top+height)
		draw.Draw(img, r, u, image.Point{}, draw.Src)
	}
	if c.Underline {
		rule(baseline+3, 1, image.NewUniform(k.th.Resolve(c.UnderlineColor, fg)))
	}
	if c.Strike {
		rule(cellH/2, 1, paint)
	}
	if cursor && bar {
		draw.Draw(img, image.Rect(box.Min.X, box.Min.Y, box.Min.X+2, box.Max.Y), paint, image.Point{}, draw.Src)
	}
}

// mix returns a with share of b in it.
func mix(a, b color.RGBA, share float64) color.RGBA {
	m := func(x, y uint8) uint8 { return uint8(float64(x)*(1-share) + float64(y)*share + 0.5) }
	return color.RGBA{R: m(a.R, b.R), G: m(a.G, b.G), B: m(a.B, b.B), A: 0xff}
}
