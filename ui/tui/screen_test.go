package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"dcctop/core"
)

// farm is a list with something of everything in it.
func farm() []*core.Job {
	at := start()
	mk := func(id, name string, s core.State, edit func(*core.Job)) *core.Job {
		j := job("01JF3Q7ZK2M8"+strings.Repeat("0", 14-len(id))+id, s)
		j.Name = name
		if edit != nil {
			edit(j)
		}
		return j
	}
	parent := mk("A1", "shot010 beauty", core.Running, func(j *core.Job) {
		j.Kind, j.Children = "farm", map[core.State]int{core.Running: 1, core.Completed: 2, core.Pending: 1}
	})
	child := func(j *core.Job) { j.Parent = parent.ID; j.Kind = "blender" }
	return []*core.Job{
		parent,
		mk("A2", "frame 0012", core.Running, func(j *core.Job) {
			child(j)
			j.Progress = &core.Progress{Current: 108, Total: 240, Unit: "samples", Message: "Sample 108/240"}
			j.LastCheckpointAt = at.Add(-400 * time.Millisecond)
		}),
		mk("A3", "frame 0013", core.Pending, child),
		mk("B1", "fx_smoke_v012", core.Cancelling, func(j *core.Job) {
			j.User = "bo"
			j.Progress = &core.Progress{Current: 3, Total: 10}
			j.LastCheckpointAt = at.Add(-400 * time.Millisecond)
			j.Cancellation = &core.Cancellation{By: "bo", From: "ws03", Reason: "wrong camera", RequestedAt: at.Add(-3 * time.Second), Step: core.StepToken}
		}),
		mk("B2", "渲染_鏡頭010", core.Running, func(j *core.Job) {
			j.DeafSince = at.Add(-45 * time.Second)
			j.Progress = &core.Progress{Current: 12, Unit: "frame"}
		}),
		mk("B3", "sim_cloth", core.Cancelling, func(j *core.Job) {
			j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: at.Add(-20 * time.Second), Step: core.StepToken}
		}),
		mk("C1", "transcode reel", core.Cancelled, func(j *core.Job) {
			j.Kind, j.StopsBy, j.Exit = "ffmpeg", core.StopsBySignal, &core.Exit{Code: 255}
			j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: at.Add(-9 * time.Second), StoppedAt: at.Add(-8500 * time.Millisecond), Step: core.StepTerm}
		}),
		mk("C2", "family \U0001F468\u200d\U0001F469\u200d\U0001F467 \U0001F1EB\U0001F1F7 שלום", core.Completed, func(j *core.Job) {
			j.Cancellation = &core.Cancellation{By: "ann", From: "ws01", RequestedAt: at.Add(-9 * time.Second), StoppedAt: at.Add(-8 * time.Second), Late: true}
		}),
		mk("C3", "e\u0301clair\x1b]52;c;aGk=\x07\x1b[2J\nrow\u202e", core.Failed, func(j *core.Job) {
			j.Error = "exit status 1: cannot read scene.blend"
			j.Exit = &core.Exit{Code: 1}
		}),
		mk("C4", "long_"+strings.Repeat("name_", 40), core.Interrupted, nil),
	}
}

// ageText of a screen changes with the clock; the bubble's stands still.
func inFarm(t *testing.T, o Options, profile colorprofile.Profile, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Where, o.Note = "render-7", "frames in /tmp/frames"
		r := newRig(t, o)
		r.m.profile = profile
		r.m.restyle()
		r.feed.logs[farm()[1].ID] = "reading scene.blend\n\x1b[32mFra:12\x1b[0m Mem:120M | Sample 107/240\r\nFra:12 Mem:120M | Sample 108/240\n"
		defer func() { <-time.After(time.Minute) }()
		r.snapshot(farm()...)
		test(r)
	})
}

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares what is drawn with a file in testdata. Escape bytes are
// written as ␛ so that the file can be read.
func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "\x1b", "␛") + "\n"
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs (go test -update writes it anew):\n%s\nwant:\n%s", file, got, want)
	}
}

func TestTheScreenAtEverySizeIsAsDrawn(t *testing.T) {
	keys := map[string][]string{
		"list": {}, "details": {"down", "enter"}, "log": {"down", "l"}, "dialog": {"down", "down", "c"},
		"marked": {"space", "space", "c"}, "help": {"?"},
	}
	for _, s := range []Size{{80, 24}, {160, 48}, {40, 10}} {
		for name, ks := range keys {
			inFarm(t, Options{Width: s.Width, Height: s.Height}, colorprofile.TrueColor, func(r *rig) {
				r.press(ks...)
				golden(t, fmt.Sprintf("%s-%dx%d", name, s.Width, s.Height), r.screen())
			})
		}
	}
}

func TestTheScreenInEveryColouringIsAsDrawn(t *testing.T) {
	painted := func(r *rig) string {
		lines, _ := r.m.screen()
		return strings.Join(lines, "\n")
	}
	o := Options{Width: 80, Height: 24}
	inFarm(t, o, colorprofile.TrueColor, func(r *rig) { golden(t, "dark-80x24", painted(r)) })
	inFarm(t, o, colorprofile.TrueColor, func(r *rig) {
		r.m.dark = false
		r.m.restyle()
		golden(t, "light-80x24", painted(r))
	})
	inFarm(t, o, colorprofile.ANSI, func(r *rig) { golden(t, "16colours-80x24", painted(r)) })
	inFarm(t, o, colorprofile.ASCII, func(r *rig) { golden(t, "nocolour-80x24", painted(r)) })
	inFarm(t, o, colorprofile.ANSI, func(r *rig) {
		r.m.clean.ascii = true
		r.m.keys = newKeyMap(true, false)
		r.m.restyle()
		golden(t, "ascii-80x24", painted(r))
		r.press("?")
		golden(t, "ascii-help-80x24", painted(r))
		for _, c := range painted(r) {
			if c > 0x7e {
				t.Errorf("%q is not ASCII", c)
			}
		}
	})
	inFarm(t, o, colorprofile.TrueColor, func(r *rig) {
		r.cutLink()
		r.pass(25 * time.Second)
		golden(t, "stale-80x24", painted(r))
	})
}

func TestTheRightBorderIsStraightAtEveryWidth(t *testing.T) {
	views := [][]string{{}, {"enter"}, {"l"}, {"c"}, {"a", "c"}, {"?"}, {"/"}, {"C"}, {"v", "down", "down"}, {"t", "s"}, {"G", "R"}, {"G", "C"}, {"l", "/"}, {"!"}}
	for _, ks := range views {
		inFarm(t, Options{}, colorprofile.TrueColor, func(r *rig) {
			r.press(ks...)
			for w := minWidth; w <= 210; w++ {
				for _, h := range []int{minHeight, 13, 24, 33, 100} {
					if h != 24 && w%9 != 0 {
						continue
					}
					r.give(tea.WindowSizeMsg{Width: w, Height: h})
					lines, _ := r.m.screen()
					if len(lines) != h {
						t.Fatalf("%v at %dx%d: %d lines", ks, w, h, len(lines))
					}
					for i, l := range lines {
						if n := ansi.StringWidth(l); n != w {
							t.Fatalf("%v at %dx%d: line %d is %d wide: %q", ks, w, h, i, n, ansi.Strip(l))
						}
						if n := ansi.StringWidthWc(ansi.Strip(l)); n != w {
							t.Fatalf("%v at %dx%d: line %d is %d wide by code points: %q", ks, w, h, i, n, ansi.Strip(l))
						}
					}
				}
			}
		})
	}
}

func TestBelowTheLeastSizeItSaysSo(t *testing.T) {
	inFarm(t, Options{}, colorprofile.TrueColor, func(r *rig) {
		for _, s := range []tea.WindowSizeMsg{{Width: 39, Height: 10}, {Width: 40, Height: 9}, {Width: 5, Height: 1}, {Width: 0, Height: 0}} {
			r.give(s)
			if got := r.screen(); s.Width > 30 && !strings.Contains(got, "too small: needs 40x10") {
				t.Errorf("%v: %q", s, got)
			}
		}
		r.press("c")
		r.give(tea.WindowSizeMsg{Width: 80, Height: 24})
		if r.m.dialog != nil {
			t.Error("a key on a screen that shows nothing opened a dialog")
		}
	})
}

func TestStatesAndSelectionAreToldApartWithoutColour(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		th := newTheme(true, ascii, colorprofile.ASCII)
		seen := map[string]core.State{}
		for _, s := range core.States() {
			g := th.glyphs.state[s]
			if o, dup := seen[g]; dup || g == "" {
				t.Errorf("ascii %v: %s and %s share the glyph %q", ascii, s, o, g)
			}
			seen[g] = s
		}
	}
	inFarm(t, Options{}, colorprofile.ASCII, func(r *rig) {
		for _, s := range core.States() {
			r.wants(r.m.theme.glyphs.state[s] + " " + string(s))
		}
		if n := strings.Count(r.screen(), r.m.theme.cursor); n != 1 {
			t.Errorf("%d cursor markers", n)
		}
		lines, _ := r.m.screen()
		if s := strings.Join(lines, ""); strings.Contains(s, "38;") || strings.Contains(s, "48;") || !strings.Contains(s, "\x1b[7") {
			t.Error("colours without colour, or no reverse for the cursor")
		}
	})
}

func TestACancelledJobIsNotCountedAsFailed(t *testing.T) {
	inFarm(t, Options{Width: 160, Height: 40}, colorprofile.TrueColor, func(r *rig) {
		r.wants("1 cancelled", "1 failed")
		th := r.m.theme
		if th.state[core.Cancelled] == th.state[core.Failed] || th.glyphs.state[core.Cancelled] == th.glyphs.state[core.Failed] {
			t.Error("cancelled looks like failed")
		}
	})
}

func TestTheCancelColumnTellsWhatIsKnown(t *testing.T) {
	inFarm(t, Options{Width: 160, Height: 40}, colorprofile.TrueColor, func(r *rig) {
		r.pass(3 * time.Second)
		for name, want := range map[string]string{
			"fx_smoke": "cancelling 00:06 · last check 3.4 s ago", "渲染": "deaf for 48 s",
			"sim_cloth": "cancelling 00:23 · not seen yet", "transcode": "exited 255 after SIGTERM · took 500 ms · by you",
			"family": "cancel came too late · by you",
		} {
			if l := r.line(name); !strings.Contains(l, want) {
				t.Errorf("%s reads %q, want %q", name, l, want)
			}
		}
	})
}

func TestNoDispatcherSaysWhatToTypeAndKeepsTrying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{Hint: "type: dcctop serve"})
		r.wants("looking for a dispatcher at farm")
		now := core.At(time.Now())
		r.update(core.Update{Link: &core.Link{State: core.LinkConnecting, Since: now, Why: "connection refused", Retry: now.Add(4 * time.Second)}})
		r.wants("no dispatcher found at farm", "connection refused", "type: dcctop serve", "it keeps trying: next try in 4 s", "connecting")
		r.pass(time.Second)
		r.wants("next try in 3 s")
		r.press("c", "enter", "l", "y", "j", "esc", "esc")
		r.snapshot()
		r.wants("no jobs", "live")
		r.snapshot(running("J1")...)
		r.wants("name-J1")
		r.press("/")
		r.typeText("nothing")
		r.wants("none of 1 job is shown", "Esc clears the filter")
		<-time.After(time.Minute)
	})
}

func TestEveryKeyOfTheKeyMapIsInTheHelp(t *testing.T) {
	inFarm(t, Options{Width: 100, Height: 60}, colorprofile.TrueColor, func(r *rig) {
		r.press("?")
		n := 0
		for _, g := range r.m.keys.groups() {
			for _, b := range g.keys {
				n++
				r.wants(b.Help().Key, b.Help().Desc)
			}
		}
		if all := reflect.TypeFor[keyMap]().NumField(); n != all {
			t.Errorf("%d bindings in the help, want all %d", n, all)
		}
		for _, later := range []string{"mouse", "palette", "export"} {
			r.lacks(later)
		}
	})
}
