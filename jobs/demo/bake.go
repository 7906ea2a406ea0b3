package demo

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// bake computes how much of the sky each place on a floor sees. It is a small
// job that looks at its token rarely, as work does that can only be stopped
// between two large steps.
type bake struct {
	look    look
	size    int // texels along an edge
	samples int // per texel
	every   time.Duration
}

// bakeEdge is the length of the floor that is baked, around the origin.
const bakeEdge = 9.0

// run bakes all texels and writes one picture into dir. It looks at its token
// when [bake.every] has passed since the last look. Once over has ended, which
// is when the whole demo does, it looks after each slice of work, so that
// nobody who quits has to wait for it.
func (s bake) run(ctx, over context.Context, b *budget, dir string) error {
	sink := runner.Report(ctx)
	world := s.look.build(0)
	img := image.NewGray(image.Rect(0, 0, s.size, s.size))
	total := s.size * s.size
	fmt.Fprintf(sink, "%dx%d texels, %d rays each; can stop every %v\n", s.size, s.size, s.samples, s.every)
	looked := time.Now()
	for done := 0; done < total; {
		b.sip(nil, func() {
			for end := time.Now().Add(slice); done < total; {
				img.Pix[done] = s.texel(world, done)
				done++
				if time.Now().After(end) {
					break
				}
			}
		})
		sink.Progress(core.Progress{
			Current: float64(done), Total: float64(total), Unit: "texel",
			Message: fmt.Sprintf("can stop every %v", s.every),
		})
		if time.Since(looked) < s.every && over.Err() == nil {
			continue
		}
		if err := checkpoint(ctx); err != nil {
			return err
		}
		looked = time.Now()
		fmt.Fprintf(sink, "texel %d of %d\n", done, total)
	}
	path := filepath.Join(dir, "ao_floor.png")
	if err := writePNG(path, img); err != nil {
		return err
	}
	fmt.Fprintf(sink, "saved %s\n", path)
	return nil
}

// texel returns the brightness of the texel with that number.
func (s bake) texel(world *scene, number int) uint8 {
	g := newRNG(uint64(s.look), uint64(number))
	step := bakeEdge / float64(s.size)
	p := vec{(float64(number%s.size)+0.5)*step - bakeEdge/2, 0, (float64(number/s.size)+0.5)*step - bakeEdge/2}
	var open float64
	for range s.samples {
		open += world.through(p, g.hemisphere(vec{0, 1, 0}), 6)
	}
	return tone(0.8 * open / float64(s.samples))
}
