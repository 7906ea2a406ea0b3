package demo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
	"dcctop/jobs"
)

var _ Submitter = (*jobs.Dispatcher)(nil)

// tinyScale is the demo in milliseconds.
func tinyScale() scale {
	return scale{
		width: 32, height: 18, strata: 1, frames: 4,
		galaxy: galaxy{bodies: 10, steps: 20, dt: 0.002, pictures: 1, width: 32, height: 18, seed: 1},
		dust:   dust{grains: 50, steps: 20, pictures: 2, width: 32, height: 18, seed: 1},
		bake:   bake{look: dusk, size: 8, samples: 2, every: time.Hour},
		plates: plates{first: 1001, last: 1004, missing: 1003, plate: frame{look: room, width: 16, height: 9, strata: 1}},
		pause:  time.Millisecond,
	}
}

func tinyDemo(t *testing.T, s Submitter) *demo {
	return &demo{jobs: s, budget: restless(), dir: t.TempDir(), cores: 1, scale: tinyScale(), by: core.Actor{User: "me", Host: "here"}}
}

func TestTheDemoShowsEveryEnd(t *testing.T) {
	f := newFarm(t)
	d := tinyDemo(t, f)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if err := d.start(ctx); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]core.State{
		"shot_010_beauty": core.Completed, "渲染_鏡頭010": core.Completed, "shot_020_beauty": core.Completed,
		"shot_010_beauty.0001": core.Completed, "shot_010_beauty.contact": core.Completed,
		"fx_galaxy_v007": core.Completed, "fx_dust_v003": core.Completed, "env_ao_bake_v002": core.Completed,
		"shot_030_comp_v012": core.Failed,
	} {
		if j := f.end(t, name); j.state != want {
			t.Errorf("%s ends %s (%v), want %s", name, j.state, j.err, want)
		}
	}
	for _, name := range []string{"frame_0001.png", "frame_0003.png", "contact.png"} {
		if _, err := readPNG(filepath.Join(d.dir, "渲染_鏡頭010", name)); err != nil {
			t.Error(err)
		}
	}
	// The queue never runs dry, and a second round goes over the first.
	f.end(t, "shot_040_beauty_v001")
	f.end(t, "shot_050_beauty_v001")
	f.end(t, "shot_040_beauty_v002")
	stop()
	if j := f.end(t, "🎬 dailies"); j.err != nil {
		t.Errorf("the dailies end with %v when the demo is over", j.err)
	}
	if folders := names(t, d.dir); len(folders) > 3+4+9 {
		t.Errorf("%d folders: the disk fills up: %q", len(folders), folders)
	}
	if sheet, frame := f.await(t, "shot_010_beauty.contact"), f.await(t, "shot_010_beauty.0001"); sheet.Priority <= frame.Priority {
		t.Error("a contact sheet waits for the frames of other shots")
	}
	for _, j := range f.all() {
		if j.By != d.by {
			t.Errorf("%s was submitted by %v", j.Name, j.By)
		}
		frame := j.Parent != ""
		if slots := *j.Slots; (slots > 0) != frame {
			t.Errorf("%s takes %d slots", j.Name, slots)
		}
	}
}

func TestNoMoreThanTwoShotsAreAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFarm(t)
		d := tinyDemo(t, f)
		d.budget.cores <- struct{}{} // the machine is busy for ever: no frame ends
		if _, err := f.SubmitFunc(core.Submission{Name: "dailies"}, func(ctx context.Context) error {
			return d.dailies(ctx, t.Context(), nil)
		}); err != nil {
			t.Fatal(err)
		}
		<-time.After(5 * time.Minute)
		shots := 0
		for _, j := range f.all() {
			if j.Parent == "" && strings.HasPrefix(j.Name, "shot_") {
				shots++
			}
		}
		if shots != ahead {
			t.Errorf("%d shots, want %d", shots, ahead)
		}
		f.await(t, "dailies").token.Cancel()
		if j := f.end(t, "dailies"); j.state != core.Cancelled {
			t.Errorf("cancelled dailies end %s (%v)", j.state, j.err)
		}
	})
}

func TestTheDailiesGiveUpWhenShotsOnlyFail(t *testing.T) {
	f := newFarm(t)
	d := tinyDemo(t, f)
	d.dir = filepath.Join(d.dir, "file")
	if err := os.WriteFile(d.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.SubmitFunc(core.Submission{Name: "dailies"}, func(ctx context.Context) error {
		return d.dailies(ctx, t.Context(), nil)
	}); err != nil {
		t.Fatal(err)
	}
	if j := f.end(t, "dailies"); j.err == nil || !strings.Contains(j.err.Error(), "3 shots in a row failed") {
		t.Errorf("got %v", j.err)
	}
}

func TestAShotThatIsCancelledEndsCancelledWithItsFrames(t *testing.T) {
	f := newFarm(t)
	d := tinyDemo(t, f)
	d.budget.cores <- struct{}{} // frames wait for ever
	if _, err := d.shot(d.firstShots()[0]); err != nil {
		t.Fatal(err)
	}
	f.await(t, "shot_010_beauty.0004")
	f.await(t, "shot_010_beauty").token.Cancel()
	for _, name := range []string{"shot_010_beauty", "shot_010_beauty.0001", "shot_010_beauty.0004"} {
		if j := f.end(t, name); j.state != core.Cancelled {
			t.Errorf("%s ends %s (%v)", name, j.state, j.err)
		}
	}
	if got := names(t, filepath.Join(d.dir, "shot_010_beauty")); len(got) != 0 {
		t.Errorf("folder holds %q", got)
	}
}

func TestACancelledFrameIsNoFailureOfItsShot(t *testing.T) {
	f := newFarm(t)
	d := tinyDemo(t, f)
	d.budget.cores <- struct{}{} // frames wait
	if _, err := d.shot(d.firstShots()[0]); err != nil {
		t.Fatal(err)
	}
	f.await(t, "shot_010_beauty.0002").token.Cancel()
	f.end(t, "shot_010_beauty.0002")
	<-d.budget.cores
	if j := f.end(t, "shot_010_beauty"); j.state != core.Completed {
		t.Errorf("the shot ends %s (%v)", j.state, j.err)
	}
	got := strings.Join(names(t, filepath.Join(d.dir, "shot_010_beauty")), " ")
	if got != "contact.png frame_0001.png frame_0003.png frame_0004.png" {
		t.Errorf("folder holds %s", got)
	}
}

func TestAShotThatWaitsIsNotDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFarm(t)
		d := tinyDemo(t, f)
		d.budget.cores <- struct{}{}
		if _, err := d.shot(d.firstShots()[0]); err != nil {
			t.Fatal(err)
		}
		parent := f.await(t, "shot_010_beauty")
		<-time.After(time.Minute)
		parent.token.Ask()
		<-time.After(time.Second)
		if at := parent.token.LastCheckpoint(); time.Since(at) > time.Second {
			t.Errorf("last looked at its token at %v, now is %v", at, time.Now())
		}
	})
}

func TestBadOptionsAreRefused(t *testing.T) {
	for field, o := range map[string]Options{
		"dir":   {},
		"cores": {Dir: "x", Cores: -1},
	} {
		err := Start(t.Context(), newFarm(t), o)
		if !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

func TestTheDemoRunsOnTheRealDispatcher(t *testing.T) {
	disp, err := jobs.New(jobs.Options{Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := tinyDemo(t, disp)
	bounded, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	defer disp.Shutdown(bounded)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if err := d.start(ctx); err != nil {
		t.Fatal(err)
	}
	want := map[string]core.State{
		"shot_010_beauty": core.Completed, "渲染_鏡頭010": core.Completed, "shot_020_beauty": core.Completed,
		"fx_galaxy_v007": core.Completed, "fx_dust_v003": core.Completed, "env_ao_bake_v002": core.Completed,
		"shot_030_comp_v012": core.Failed,
	}
	for _, j := range disp.List() {
		if state := want[j.Name]; state != "" {
			end, err := disp.Wait(bounded, j.ID)
			if err != nil {
				t.Fatal(err)
			}
			if end.State != state {
				t.Errorf("%s ends %s (%s), want %s", j.Name, end.State, end.Error, state)
			}
			delete(want, j.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("never submitted: %v", want)
	}
	stop()
	if err := disp.Shutdown(bounded); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	for _, j := range disp.List() {
		if !j.State.Terminal() {
			t.Errorf("%s is %s after the shutdown", j.Name, j.State)
		}
	}
}
