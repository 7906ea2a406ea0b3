package demo

import (
	"bytes"
	"context"
	"errors"
	"image"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// tiny is a frame that takes a few milliseconds.
func tiny(l look, number int) frame {
	return frame{look: l, number: number, of: 8, width: 48, height: 27, strata: 2}
}

func mustTrace(t *testing.T, f frame) *image.NRGBA {
	t.Helper()
	img, err := f.trace(t.Context(), newBudget(2))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestAFrameLooksTheSameHoweverManyRenderIt(t *testing.T) {
	for l := range looks {
		f := tiny(l, 3)
		once := mustTrace(t, f)
		f.workers = 3
		if again := mustTrace(t, f); !bytes.Equal(once.Pix, again.Pix) {
			t.Errorf("look %d: three workers render another picture than one", l)
		}
		if next := mustTrace(t, tiny(l, 4)); bytes.Equal(once.Pix, next.Pix) {
			t.Errorf("look %d: frames 3 and 4 are the same picture", l)
		}
	}
}

// grey returns how bright the pixel is, from 0 to 255.
func grey(img *image.NRGBA, x, y int) float64 {
	c := img.NRGBAAt(x, y)
	return (2*float64(c.R) + 5*float64(c.G) + float64(c.B)) / 8
}

// spread returns the mean and the standard deviation of the brightness of the
// rows from top to bottom.
func spread(img *image.NRGBA, top, bottom int) (mean, deviation float64) {
	var n, sum, squares float64
	for y := top; y < bottom; y++ {
		for x := range img.Rect.Dx() {
			g := grey(img, x, y)
			n, sum, squares = n+1, sum+g, squares+g*g
		}
	}
	mean = sum / n
	return mean, math.Sqrt(squares/n - mean*mean)
}

func TestEveryLookIsAPictureOfSomething(t *testing.T) {
	for l := range looks {
		mean, deviation := spread(mustTrace(t, tiny(l, 1)), 0, 27)
		if mean < 20 || mean > 200 || deviation < 20 {
			t.Errorf("look %d: brightness %.0f ± %.0f: nothing to see", l, mean, deviation)
		}
	}
}

func TestSkyIsAboveAndAChequeredFloorBelow(t *testing.T) {
	img := mustTrace(t, tiny(dusk, 1))
	if _, deviation := spread(img, 0, 3); deviation > 8 {
		t.Errorf("the sky varies by %.1f: it should be smooth", deviation)
	}
	if _, deviation := spread(img, 23, 27); deviation < 15 {
		t.Errorf("the floor varies by %.1f: there should be light and dark fields", deviation)
	}
}

// watcher is a sink that calls f with each progress.
type watcher struct {
	mu sync.Mutex // guards seen
	f  func(core.Progress)

	seen []core.Progress
}

func (w *watcher) Write(p []byte) (int, error) { return len(p), nil }

func (w *watcher) Progress(p core.Progress) {
	w.mu.Lock()
	w.seen = append(w.seen, p)
	w.mu.Unlock()
	if w.f != nil {
		w.f(p)
	}
}

// runAs runs f as a dispatcher runs a job, with that token.
func runAs(t *testing.T, token *core.CancelToken, w *watcher, f runner.Func) error {
	t.Helper()
	ctx, reset := core.WithCancelToken(t.Context(), token)
	defer reset()
	return runner.NewFunc(f).Run(ctx, w).Err
}

// names returns what is in the folder, hidden files included.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestACancelledFrameLeavesNoFileAndFinishedOnesStay(t *testing.T) {
	dir, token, w := t.TempDir(), core.NewCancelToken("J1"), &watcher{}
	w.f = func(p core.Progress) {
		if len(w.seen) == 27+5 {
			token.Cancel()
		}
	}
	err := runAs(t, token, w, func(ctx context.Context) error {
		for n := 1; n <= 3; n++ {
			if err := tiny(dusk, n).render(ctx, newBudget(1), dir); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, core.ErrCancelled) {
		t.Fatalf("got %v, want a cancel", err)
	}
	if got := names(t, dir); len(got) != 1 || got[0] != "frame_0001.png" {
		t.Errorf("folder holds %q, want frame_0001.png alone", got)
	}
	if last := w.seen[len(w.seen)-1]; last.Current != 5 {
		t.Errorf("went on to row %v after a cancel in row 5", last.Current)
	}
}

func TestProgressOfAFrameCountsItsRows(t *testing.T) {
	dir, w := t.TempDir(), &watcher{}
	f := tiny(room, 2)
	f.workers = 2
	if err := runAs(t, core.NewCancelToken("J1"), w, func(ctx context.Context) error {
		return f.render(ctx, newBudget(2), dir)
	}); err != nil {
		t.Fatal(err)
	}
	for i, p := range w.seen {
		if p.Current != float64(i+1) || p.Total != 27 {
			t.Fatalf("progress %d is %v of %v", i, p.Current, p.Total)
		}
	}
	if len(w.seen) != 27 {
		t.Errorf("%d reports, want one per row", len(w.seen))
	}
	img, err := readPNG(filepath.Join(dir, "frame_0002.png"))
	if err != nil || img.Bounds().Size() != image.Pt(48, 27) {
		t.Errorf("picture on disk: %v, %v", img, err)
	}
}

func TestAPictureThatCannotBeWrittenLeavesTheOldOne(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "frame_0001.png")
	if err := writePNG(path, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	if err := writePNG(path, image.NewGray(image.Rectangle{})); err == nil { // PNG has no empty pictures
		t.Error("an empty picture was written")
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("folder holds %q, want the old picture alone", got)
	}
	if _, err := readPNG(path); err != nil {
		t.Errorf("the old picture is gone: %v", err)
	}
	if err := writePNG(filepath.Join(dir, "none", "a.png"), image.NewGray(image.Rect(0, 0, 2, 2))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: got %v", err)
	}
}

func BenchmarkFrame(b *testing.B) {
	for l, name := range []string{dusk: "dusk", room: "room", neon: "neon"} {
		b.Run(name, func(b *testing.B) {
			f := full().frame(look(l))
			f.number, f.of = 1, 8
			for b.Loop() {
				if _, err := f.trace(b.Context(), newBudget(1)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(f.width*f.height*f.samples()*b.N)/1e6/b.Elapsed().Seconds(), "Msamples/s")
		})
	}
}
