package demo

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// shot is a sequence of frames: a parent job, one child for each frame, and one
// for the contact sheet at the end.
type shot struct {
	name     string
	folder   string // in the demo's own
	frames   int
	priority int
	slots    int   // of each frame, which renders with as many goroutines
	frame    frame // what all frames have in common
	labels   map[string]string
}

// shot submits a shot's parent. The parent only waits, so it takes no slot.
func (d *demo) shot(s shot) (*core.Job, error) {
	return d.submit(s.parent(), func(ctx context.Context) error { return d.coordinate(ctx, s) })
}

func (s shot) parent() core.Submission {
	return core.Submission{Name: s.name, Kind: "render", Priority: s.priority, Slots: new(0), Labels: s.labels}
}

// child returns the submission of a part of the shot.
func (s shot) child(parent core.JobID, kind, part string, slots int) core.Submission {
	return core.Submission{
		Name: s.name + "." + part, Kind: kind, Parent: parent,
		Priority: s.priority, Slots: new(slots), Labels: maps.Clone(s.labels),
	}
}

// coordinate submits the frames, waits for them, and lets a contact sheet be
// made of those that there are. A frame that somebody cancelled is no failure
// of the shot; a cancel of the shot reaches its frames through the dispatcher.
func (d *demo) coordinate(ctx context.Context, s shot) error {
	dir := filepath.Join(d.dir, s.folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("shot %s: %w", s.name, err)
	}
	sink := runner.Report(ctx)
	self := core.CurrentJobID(ctx)
	fmt.Fprintf(sink, "%d frames into %s\n", s.frames, dir)

	var jobs []core.JobID
	var files []string
	for number := 1; number <= s.frames; number++ {
		if err := checkpoint(ctx); err != nil {
			return err
		}
		f := s.frame
		f.number, f.of, f.workers = number, s.frames, s.slots
		j, err := d.submit(s.child(self, "render", fmt.Sprintf("%04d", number), s.slots),
			func(ctx context.Context) error { return f.render(ctx, d.budget, dir) })
		if err != nil {
			return refusal(ctx, fmt.Errorf("submit frame %d: %w", number, err))
		}
		jobs, files = append(jobs, j.ID), append(files, f.file())
	}

	ended := make(map[core.State]int)
	for i, id := range jobs {
		j, err := d.wait(ctx, ctx, id)
		if err != nil {
			return err
		}
		ended[j.State]++
		fmt.Fprintf(sink, "%s %s\n", j.Name, j.State)
		sink.Progress(core.Progress{Current: float64(i + 1), Total: float64(len(jobs)), Unit: "frame", Message: s.tell(ended)})
	}
	if n := ended[core.Failed]; n > 0 {
		return fmt.Errorf("%d of %d frames failed", n, len(jobs))
	}
	if ended[core.Completed] == 0 {
		return nil // every frame was cancelled: nothing to show
	}
	page := sheet{frames: files, across: int(math.Ceil(math.Sqrt(float64(len(files)))))}
	last := s.child(self, "comp", "contact", 1)
	last.Priority++ // or the shot would wait for all frames of the next one
	j, err := d.submit(last,
		func(ctx context.Context) error { return page.run(ctx, d.budget, dir) })
	if err != nil {
		return refusal(ctx, fmt.Errorf("submit contact sheet: %w", err))
	}
	j, err = d.wait(ctx, ctx, j.ID)
	if err == nil && j.State == core.Failed {
		err = fmt.Errorf("contact sheet: %s", j.Error)
	}
	return err
}

// refusal returns what a parent ends with when the dispatcher takes no child: a
// parent that is being cancelled gets none, and that is no failure.
func refusal(ctx context.Context, err error) error {
	if cancel := checkpoint(ctx); cancel != nil {
		return cancel
	}
	return err
}

// tell says in words what became of the frames so far.
func (s shot) tell(ended map[core.State]int) string {
	words := fmt.Sprintf("%d rendered", ended[core.Completed])
	for _, state := range []core.State{core.Cancelled, core.Failed, core.Interrupted} {
		if n := ended[state]; n > 0 {
			words += fmt.Sprintf(", %d %s", n, state)
		}
	}
	return words
}
