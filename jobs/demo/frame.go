package demo

import (
	"context"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"sync"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// frame is one picture of a shot, and all that decides what it looks like.
type frame struct {
	look          look
	number, of    int // from 1
	width, height int
	strata        int // samples per pixel are its square
	workers       int // goroutines; they change nothing in the picture
}

// samples returns the samples per pixel.
func (f frame) samples() int { return f.strata * f.strata }

// file returns the name of the picture's file.
func (f frame) file() string { return fmt.Sprintf("frame_%04d.png", f.number) }

// render traces the frame and writes it into dir. It looks at its token before
// every row, and leaves no file when it was cancelled.
func (f frame) render(ctx context.Context, b *budget, dir string) error {
	img, err := f.trace(ctx, b)
	if err != nil {
		return err
	}
	if err := checkpoint(ctx); err != nil {
		return err
	}
	if err := writePNG(filepath.Join(dir, f.file()), img); err != nil {
		return err
	}
	fmt.Fprintf(runner.Report(ctx), "saved %s\n", filepath.Join(dir, f.file()))
	return nil
}

// build returns what is to be seen in the frame.
func (f frame) build() *scene {
	return f.look.build(float64(f.number-1) / float64(max(f.of, 1)))
}

// trace renders the frame's rows from the top down.
func (f frame) trace(ctx context.Context, b *budget) (*image.NRGBA, error) {
	s := f.build()
	img := image.NewNRGBA(image.Rect(0, 0, f.width, f.height))
	meter := f.newMeter(runner.Report(ctx))

	var wg sync.WaitGroup
	workers := max(f.workers, 1)
	errs := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			// Rows by turns: neighbours cost about the same, so no worker is left
			// with the dear ones.
			for y := w; y < f.height; y += workers {
				if errs[w] = b.burn(ctx, func() { f.row(s, y, img) }); errs[w] != nil {
					return
				}
				meter.done()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return img, nil
}

// row renders the row y, counted from the top, into img.
func (f frame) row(s *scene, y int, img *image.NRGBA) {
	g := newRNG(uint64(f.look)<<32|uint64(f.number), uint64(y))
	step := 2 / float64(f.height)
	cell := 1 / float64(f.strata)
	for x := range f.width {
		var sum vec
		first := g.float()
		for i := range f.samples() {
			dx := (float64(i%f.strata) + g.float()) * cell
			dy := (float64(i/f.strata) + g.float()) * cell
			o, d := s.camera.ray(
				(float64(x)+dx)*step-float64(f.width)/float64(f.height),
				1-(float64(y)+dy)*step, g)
			// The golden ratio spreads any number of samples evenly over 0 to 1.
			_, draw := math.Modf(first + float64(i)/math.Phi)
			c := s.radiance(o, d, draw, g)
			// One lucky path must not leave a white dot.
			if m := c.max(); m > brightest {
				c = c.scale(brightest / m)
			}
			sum = sum.add(c)
		}
		sum = sum.scale(s.gain / float64(f.samples()))
		p := img.Pix[img.PixOffset(x, y):][:4:4]
		p[0], p[1], p[2], p[3] = tone(sum.x), tone(sum.y), tone(sum.z), 0xff
	}
}

// brightest bounds the light of one path.
const brightest = 12

// meter tells the progress of a frame, and prints a line for each tenth of it.
type meter struct {
	f     frame
	sink  runner.Sink
	start time.Time

	mu   sync.Mutex // guards rows and the order of what is told
	rows int
}

func (f frame) newMeter(sink runner.Sink) *meter {
	fmt.Fprintf(sink, "frame %d of %d: %dx%d, %d samples per pixel\n",
		f.number, f.of, f.width, f.height, f.samples())
	return &meter{f: f, sink: sink, start: time.Now()}
}

// done counts one row.
func (m *meter) done() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows++
	million := float64(m.rows*m.f.width*m.f.samples()) / 1e6
	m.sink.Progress(core.Progress{
		Current: float64(m.rows), Total: float64(m.f.height), Unit: "row",
		Message: fmt.Sprintf("%.1f M samples", million),
	})
	if tenth := max(m.f.height/10, 1); m.rows%tenth == 0 {
		fmt.Fprintf(m.sink, "row %4d/%d  %5.2f M samples  %5.1f s\n",
			m.rows, m.f.height, million, time.Since(m.start).Seconds())
	}
}
