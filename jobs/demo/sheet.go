package demo

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io/fs"
	"path/filepath"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// sheet is a contact sheet: the frames of a shot on one picture.
type sheet struct {
	frames []string // file names; one that is not there leaves its place empty
	across int
}

// run reads the frames from dir and writes contact.png beside them. It looks at
// its token before each.
func (s sheet) run(ctx context.Context, b *budget, dir string) error {
	sink := runner.Report(ctx)
	var page *image.NRGBA
	for i, name := range s.frames {
		var err error
		stop := b.burn(ctx, func() {
			var img image.Image
			if img, err = readPNG(filepath.Join(dir, name)); err == nil {
				if page == nil {
					page = s.page(img.Bounds().Size())
				}
				s.paste(page, i, img)
			}
		})
		switch {
		case stop != nil:
			return stop
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(sink, "no %s: left out\n", name)
		case err != nil:
			return err
		}
		sink.Progress(core.Progress{Current: float64(i + 1), Total: float64(len(s.frames)), Unit: "frame"})
	}
	if page == nil {
		return fmt.Errorf("contact sheet: no frames in %s", dir)
	}
	path := filepath.Join(dir, "contact.png")
	if err := writePNG(path, page); err != nil {
		return err
	}
	fmt.Fprintf(sink, "saved %s\n", path)
	return nil
}

// gap is the space around each frame of a sheet, in pixels.
const gap = 6

// page returns an empty sheet for frames of that size, shown at half of it.
func (s sheet) page(size image.Point) *image.NRGBA {
	down := (len(s.frames) + s.across - 1) / s.across
	page := image.NewNRGBA(image.Rect(0, 0, s.across*(size.X/2+gap)+gap, down*(size.Y/2+gap)+gap))
	draw.Draw(page, page.Bounds(), image.NewUniform(color.NRGBA{24, 24, 28, 255}), image.Point{}, draw.Src)
	return page
}

// paste puts a frame on the sheet, four pixels of it into one.
func (s sheet) paste(page *image.NRGBA, place int, img image.Image) {
	r := img.Bounds()
	left := gap + place%s.across*(r.Dx()/2+gap)
	top := gap + place/s.across*(r.Dy()/2+gap)
	for y := range r.Dy() / 2 {
		for x := range r.Dx() / 2 {
			var sum [3]uint32
			for k := range 4 {
				cr, cg, cb, _ := img.At(r.Min.X+2*x+k%2, r.Min.Y+2*y+k/2).RGBA()
				sum[0], sum[1], sum[2] = sum[0]+cr, sum[1]+cg, sum[2]+cb
			}
			page.SetNRGBA(left+x, top+y, color.NRGBA{uint8(sum[0] >> 10), uint8(sum[1] >> 10), uint8(sum[2] >> 10), 255})
		}
	}
}
