package demo

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"path/filepath"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// plates is a comp of a sequence of plates, one of which was never delivered:
// the demo's job that fails. It is a small job.
type plates struct {
	first, last, missing int
	plate                frame // what a plate looks like
}

// run makes the plates that were delivered, then grades one after the other
// until it comes to the one that is not there.
func (s plates) run(ctx context.Context, b *budget, dir string) error {
	sink := runner.Report(ctx)
	total := 2*(s.last-s.first+1) - 1
	done := 0
	step := func(number int, what string, work func(path string) error) error {
		if err := checkpoint(ctx); err != nil {
			return err
		}
		name := fmt.Sprintf("plate_%d.png", number)
		var err error
		b.sip(ctx.Done(), func() { err = work(filepath.Join(dir, name)) })
		if err != nil {
			return fmt.Errorf("%s plate %d: %w", what, number, err)
		}
		done++
		fmt.Fprintf(sink, "%s %s\n", what, name)
		sink.Progress(core.Progress{Current: float64(done), Total: float64(total), Unit: "step", Message: what + " " + name})
		return nil
	}
	for number := s.first; number <= s.last; number++ {
		if number == s.missing {
			continue
		}
		err := step(number, "ingest", func(path string) error { return writePNG(path, s.shoot(number)) })
		if err != nil {
			return err
		}
	}
	for number := s.first; number <= s.last; number++ {
		err := step(number, "grade", func(path string) error {
			img, err := readPNG(path)
			if err != nil {
				return err
			}
			return writePNG(filepath.Join(dir, fmt.Sprintf("comp_%d.png", number)), warm(img))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// shoot returns the plate of that number.
func (s plates) shoot(number int) *image.NRGBA {
	f := s.plate
	f.number, f.of = number-s.first+1, s.last-s.first+1
	img := image.NewNRGBA(image.Rect(0, 0, f.width, f.height))
	world := f.build()
	for y := range f.height {
		f.row(world, y, img)
	}
	return img
}

// warm returns the picture with warmer light and darker corners.
func warm(img image.Image) *image.NRGBA {
	r := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	for y := range r.Dy() {
		for x := range r.Dx() {
			u, v := float64(2*x)/float64(r.Dx())-1, float64(2*y)/float64(r.Dy())-1
			k := 1 - 0.35*(u*u+v*v)/2
			cr, cg, cb, _ := img.At(r.Min.X+x, r.Min.Y+y).RGBA()
			lift := func(c uint32, gain float64) uint8 { return uint8(min(float64(c>>8)*gain*k, 255)) }
			out.SetNRGBA(x, y, color.NRGBA{lift(cr, 1.10), lift(cg, 1.0), lift(cb, 0.86), 255})
		}
	}
	return out
}
