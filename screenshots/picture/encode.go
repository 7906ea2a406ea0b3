package picture

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"math"
	"slices"
)

// alike is how far two colours may be apart to be taken for one: the square of
// the distance, each part counting from 0 to 255.
const alike = 48

// Encode writes a picture as PNG in at most 256 colours: those that it has most
// of, leaving out what is like one of them, so that a colour of only one small
// sign has its place. The others are shades at the edges of letters and take
// the nearest. It makes the file a third as large.
func Encode(w io.Writer, img *image.RGBA) error {
	count := map[[4]uint8]int{}
	for run, i := 1, 4; i <= len(img.Pix); i += 4 { // most pixels are like their neighbour
		if last := [4]uint8(img.Pix[i-4:]); i < len(img.Pix) && last == [4]uint8(img.Pix[i:]) {
			run++
		} else {
			count[last] += run
			run = 1
		}
	}
	most := slices.SortedFunc(maps.Keys(count), func(a, b [4]uint8) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), slices.Compare(a[:], b[:]))
	})
	var pal color.Palette
	var kept [][4]uint8
	index := make(map[[4]uint8]uint8, len(most))
	for _, c := range most {
		i, apart := nearest(c, kept)
		if apart > alike && len(kept) < 256 {
			i = len(kept)
			kept = append(kept, c)
			pal = append(pal, color.RGBA{c[0], c[1], c[2], c[3]})
		}
		index[c] = uint8(i)
	}
	small := image.NewPaletted(img.Rect, pal)
	var last [4]uint8
	var place uint8
	for i := range small.Pix {
		if c := [4]uint8(img.Pix[4*i:]); i == 0 || c != last {
			last, place = c, index[c]
		}
		small.Pix[i] = place
	}
	if err := png.Encode(w, small); err != nil {
		return fmt.Errorf("encode the picture: %w", err)
	}
	return nil
}

// nearest returns which of some colours is the most like c, and the square of
// the distance.
func nearest(c [4]uint8, among [][4]uint8) (best, apart int) {
	apart = math.MaxInt
	for i, o := range among {
		r, g, b := int(c[0])-int(o[0]), int(c[1])-int(o[1]), int(c[2])-int(o[2])
		if d := r*r + g*g + b*b; d < apart {
			best, apart = i, d
		}
	}
	return best, apart
}
