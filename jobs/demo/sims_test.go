package demo

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// restless is a budget whose small jobs do not rest.
func restless() *budget {
	b := newBudget(1)
	b.rest = 0
	return b
}

// worst returns by how much the energy was off at the worst over that time.
func worst(dt, over float64) float64 {
	b := galaxies(60, 7)
	start := b.energy()
	var off float64
	for t := 0.0; t < over; t += dt {
		b.step(dt)
		off = max(off, math.Abs(b.energy()/start-1))
	}
	return off
}

func TestEnergyHardlyDrifts(t *testing.T) {
	coarse, fine := worst(0.004, 2), worst(0.002, 2)
	if fine > 1e-3 {
		t.Errorf("energy is off by %.5f after 1000 steps", fine)
	}
	// Leapfrog is of second order: half the step, a quarter of the error.
	if fine > coarse/2 {
		t.Errorf("half the step: off by %.6f instead of %.6f", fine, coarse)
	}
}

func TestGalaxiesKeepTheirMomentum(t *testing.T) {
	b := galaxies(60, 7)
	momentum := func() (sum vec) {
		for i, v := range b.vel {
			sum = sum.add(v.scale(b.mass[i]))
		}
		return sum
	}
	before := momentum()
	for range 200 {
		b.step(0.002)
	}
	if after := momentum(); !close3(before, after, 1e-12) {
		t.Errorf("momentum went from %v to %v", before, after)
	}
}

func smallGalaxy() galaxy {
	return galaxy{bodies: 20, steps: 60, dt: 0.002, pictures: 3, width: 32, height: 18, seed: 1}
}

func TestTheGalaxyWritesItsPicturesAndTellsTheDrift(t *testing.T) {
	dir, w := t.TempDir(), &watcher{}
	if err := runAs(t, core.NewCancelToken("J1"), w, func(ctx context.Context) error {
		return smallGalaxy().run(ctx, restless(), dir)
	}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); strings.Join(got, " ") != "galaxy_0001.png galaxy_0002.png galaxy_0003.png" {
		t.Errorf("folder holds %q", got)
	}
	if last := w.seen[len(w.seen)-1]; last.Current != 60 || !strings.Contains(last.Message, "energy drift") {
		t.Errorf("last progress %+v", last)
	}
}

func TestTheGalaxyStopsAtItsNextStep(t *testing.T) {
	dir, w, token := t.TempDir(), &watcher{}, core.NewCancelToken("J1")
	w.f = func(core.Progress) { token.Cancel() }
	s := smallGalaxy()
	s.steps, s.pictures = 1e6, 1
	err := runAs(t, token, w, func(ctx context.Context) error { return s.run(ctx, restless(), dir) })
	if !errors.Is(err, core.ErrCancelled) || len(w.seen) != 1 {
		t.Errorf("got %v after %d slices, want a cancel after the first", err, len(w.seen))
	}
}

func TestTheDeafJobNeverLooksAtItsToken(t *testing.T) {
	dir, w, token := t.TempDir(), &watcher{}, core.NewCancelToken("J1")
	token.Ask()
	w.f = func(core.Progress) { token.Cancel() }
	d := &demo{dir: dir, budget: restless(), scale: tinyScale()}
	var run runner.Func
	for _, s := range d.smallJobs(t.Context()) {
		if s.name == "fx_dust_v003" {
			run = s.run
		}
	}
	if err := runAs(t, token, w, run); err != nil {
		t.Errorf("it ends with %v, want none: it does not know of the cancel", err)
	}
	if at := token.LastCheckpoint(); !at.IsZero() {
		t.Errorf("it looked at its token at %v", at)
	}
	if !token.SeenAt().IsZero() || token.Cause() == nil {
		t.Error("the cancel was seen, or never made")
	}
	if len(w.seen) != d.scale.dust.steps {
		t.Errorf("%d reports, want one per step", len(w.seen))
	}
	if got := names(t, filepath.Join(dir, "fx_dust_v003")); len(got) != d.scale.dust.pictures {
		t.Errorf("folder holds %q", got)
	}
}

func TestTheBakeLooksAtItsTokenNowAndThen(t *testing.T) {
	over, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		name  string
		every time.Duration
		over  context.Context
		looks bool
	}{
		{"not before its time", time.Hour, t.Context(), false},
		{"when its time has come", 0, t.Context(), true},
		{"at once when the demo is over", time.Hour, over, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, token := t.TempDir(), core.NewCancelToken("J1")
			token.Cancel()
			s := tinyScale().bake
			s.every = c.every
			err := runAs(t, token, &watcher{}, func(ctx context.Context) error { return s.run(ctx, c.over, restless(), dir) })
			if looked := !token.SeenAt().IsZero(); looked != c.looks || errors.Is(err, core.ErrCancelled) != c.looks {
				t.Errorf("looked: %v, error: %v", looked, err)
			}
			if c.looks == (len(names(t, dir)) == 1) {
				t.Errorf("folder holds %q", names(t, dir))
			}
		})
	}
}

func TestTheCompFailsAtThePlateThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	s := tinyScale().plates
	err := s.run(t.Context(), restless(), dir)
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "grade plate 1003: ") {
		t.Errorf("got %v, want that plate 1003 does not exist", err)
	}
	if got := strings.Join(names(t, dir), " "); got != "comp_1001.png comp_1002.png plate_1001.png plate_1002.png plate_1004.png" {
		t.Errorf("folder holds %s", got)
	}
}

func TestAContactSheetLeavesOutWhatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{1, 3} {
		if err := tiny(dusk, n).render(t.Context(), newBudget(1), dir); err != nil {
			t.Fatal(err)
		}
	}
	s := sheet{frames: []string{"frame_0001.png", "frame_0002.png", "frame_0003.png"}, across: 2}
	if err := s.run(t.Context(), newBudget(1), dir); err != nil {
		t.Fatal(err)
	}
	img, err := readPNG(filepath.Join(dir, "contact.png"))
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got.X != 3*gap+2*24 || got.Y != 3*gap+2*13 {
		t.Errorf("sheet is %v", got)
	}
	if err := s.run(t.Context(), newBudget(1), t.TempDir()); err == nil {
		t.Error("a sheet of nothing")
	}
}

func BenchmarkGalaxyStep(b *testing.B) {
	sim := galaxies(full().galaxy.bodies, 1)
	for b.Loop() {
		sim.step(0.001)
	}
}
