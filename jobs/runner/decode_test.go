package runner

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"dcctop/core"
)

// said is a sink that keeps what it is told.
type said struct {
	bytes.Buffer
	progress []core.Progress
}

func (s *said) Progress(p core.Progress) { s.progress = append(s.progress, p) }

// read runs text through the decoder of a command, as its output would be.
func read(t *testing.T, argv []string, pattern, text string) *said {
	t.Helper()
	dec, err := newDecoder(argv, pattern)
	if err != nil {
		t.Fatal(err)
	}
	var s said
	(&output{sink: &s, decoder: dec}).copyFrom(strings.NewReader(text))
	if s.String() != text {
		t.Errorf("the output was changed: %d bytes of %d came through", s.Len(), len(text))
	}
	return &s
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func frames(current, total float64, message string) core.Progress {
	return core.Progress{Current: current, Total: total, Unit: "frame", Message: message}
}

func TestARealBlenderRenderIsAPartOfItsFramesWhereTheArgumentsNameThem(t *testing.T) {
	got := read(t, []string{"blender", "-b", "-P", "scene.py", "-s", "1", "-e", "4", "-a"}, "", testdata(t, "blender.txt"))
	want := []core.Progress{
		frames(0, 4, "frame 1"), frames(0.25, 4, "frame 1"), frames(0.99, 4, "frame 1"), frames(1, 4, "frame 1"),
		frames(1, 4, "frame 2"), frames(1.25, 4, "frame 2"), frames(1.99, 4, "frame 2"), frames(2, 4, "frame 2"),
		frames(2, 4, "frame 3"), frames(2.25, 4, "frame 3"), frames(2.99, 4, "frame 3"), frames(3, 4, "frame 3"),
	}
	if !slices.Equal(got.progress, want) {
		t.Errorf("progress:\n%v\nwant:\n%v", got.progress, want)
	}
}

func TestARealBlenderRenderIsACountOfFramesWhereTheyAreNotKnown(t *testing.T) {
	for _, argv := range [][]string{{"blender", "-b", "shot.blend", "-a"}, {"sh", "render.sh"}} {
		got := read(t, argv, "", testdata(t, "blender.txt"))
		want := []core.Progress{
			frames(0, 0, "frame 1"), frames(1, 0, "frame 1"), frames(1, 0, "frame 2"),
			frames(2, 0, "frame 2"), frames(2, 0, "frame 3"), frames(3, 0, "frame 3"),
		}
		if !slices.Equal(got.progress, want) {
			t.Errorf("%q: progress:\n%v\nwant:\n%v", argv, got.progress, want)
		}
	}
}

func TestBlenderLines(t *testing.T) {
	args := []string{"blender", "-b", "-f", "7,3,7"}
	for _, c := range []struct {
		name, text string
		want       []core.Progress
	}{
		{"frames in the order given, one of them twice",
			"Fra:7 a\nSaved: 'x'\nFra:3 b\nSaved: 'x'\nFra:7 c\nSaved: 'x'\n",
			[]core.Progress{frames(0, 3, "frame 7"), frames(1, 3, "frame 7"), frames(1, 3, "frame 3"), frames(2, 3, "frame 3"),
				frames(2, 3, "frame 7"), frames(3, 3, "frame 7")}},
		{"two files of one frame count once", "Fra:7 a\nSaved: 'l'\nSaved: 'r'\n",
			[]core.Progress{frames(0, 3, "frame 7"), frames(1, 3, "frame 7")}},
		{"a video", "Fra:7 a\nAppend frame 7\n", []core.Progress{frames(0, 3, "frame 7"), frames(1, 3, "frame 7")}},
		{"tiles and samples", "Fra:7 Mem:1M | Rendered 1/4 Tiles, Sample 8/16\n", []core.Progress{frames(0.375, 3, "frame 7")}},
		{"eevee", "Fra:7 Mem:1M | Rendering 16 / 64 samples\n", []core.Progress{frames(0.25, 3, "frame 7")}},
		{"a newer release", "00:01.234  render           | Fra: 7 | Mem: 1M | Sample 1/2\n", []core.Progress{frames(0.5, 3, "frame 7")}},
		{"another frame than asked for", "Fra:8 a\nSaved: 'x'\n", nil},
		{"odd samples", "Fra:7 Sample 9/0\nFra:7 Sample 9/3\nFra:7 Sample -1/3\n", []core.Progress{frames(0, 3, "frame 7")}},
		{"not a frame", "Fra:x\nFra:\nInfra:7\nFra:99999999999999999999\nSaved session recovery to 'x'\nSaved: 'x'\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, args, "", c.text).progress; !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestTheFramesThatBlendersArgumentsAskFor(t *testing.T) {
	for _, c := range []struct {
		args  string
		total int
	}{
		{"-b x.blend -s 1 -e 40 -a", 40},
		{"-b x.blend --frame-start 11 --frame-end 20 --render-anim", 10},
		{"-b x.blend -s 1 -e 10 -j 3 -a", 4}, // 1 4 7 10
		{"-b x.blend -f 5", 1},
		{"-b x.blend -f 1..10", 10},
		{"-b x.blend -f 1,3,5..9", 7},
		{"-b x.blend -f 1 -f 2", 2},
		{"-b x.blend -s 1 -e 10 -a -s 20 -e 24 -a", 15},
		{"-b x.blend -o -s -s 1 -e 3 -a", 3},                        // "-s" is the output's name
		{"-b -P scene.py -o /out/f#### -s 1 -e 6 -a", 6},            // a script is not a file
		{"-b x.blend -p 0 0 640 480 -s 1 -e 6 -a", 6},               // four values
		{"-b x.blend -s 1 -e 6 -a -- -s 1 -e 100 -a", 6},            // the script's own
		{"-b -s 1 -e 6 x.blend -a", 0},                              // the file brings its own range
		{"-b x.blend -s 1 -e 6 -S Other -a", 0},                     // so does a scene
		{"-b x.blend -a -s 1 -e 6", 0},                              // too late
		{"-b x.blend -s 3 -a", 0},                                   // no end
		{"-b x.blend -f +2", 0},                                     // relative
		{"-b x.blend -f -2", 0},                                     //
		{"-b x.blend -s +2 -e 9 -a", 0},                             //
		{"-b x.blend -s 9 -e 1 -a", 0},                              // nothing to render
		{"-b x.blend -j 0 -s 1 -e 9 -a", 0},                         //
		{"-b x.blend -f 9..1", 0},                                   //
		{"-b x.blend -f 1,x", 0},                                    //
		{"-b x.blend -f 99999999999", 0},                            //
		{"-b x.blend -f", 0},                                        //
		{"-b x.blend -s 0 -e 2147483647 -f 0..2147483647", 1 << 31}, // -s and -e alone render nothing
		{"", 0},
	} {
		if got := newBlender(strings.Fields(c.args)).total; got != c.total {
			t.Errorf("blender %s: %d frames, want %d", c.args, got, c.total)
		}
	}
}

func seconds(current, total float64, message string) core.Progress {
	return core.Progress{Current: current, Total: total, Unit: "s", Message: message}
}

func TestARealTranscodeIsAPartOfItsDuration(t *testing.T) {
	argv := []string{"ffmpeg", "-i", "a.mp4", "b.mp4"}
	t.Run("statistics", func(t *testing.T) {
		got := read(t, argv, "", testdata(t, "ffmpeg_stats.txt")).progress
		if len(got) != 7 || got[2] != seconds(0.52, 10, "frame 63 at 0.499x") || got[6] != seconds(9.88, 10, "frame 250 at 3.36x") {
			t.Errorf("progress: %v", got)
		}
	})
	t.Run("progress blocks", func(t *testing.T) {
		got := read(t, argv, "", testdata(t, "ffmpeg_progress.txt")).progress
		if len(got) != 6 || got[0] != seconds(0, 10, "frame 1 at 0x") || got[5].Current < 9.88 || got[5].Total != 10 {
			t.Errorf("progress: %v", got)
		}
	})
	t.Run("from a shell script", func(t *testing.T) {
		got := read(t, []string{"make.sh"}, "", testdata(t, "ffmpeg_stats.txt")).progress
		if len(got) != 7 || got[6] != seconds(9.88, 10, "frame 250 at 3.36x") {
			t.Errorf("progress: %v", got)
		}
	})
}

func TestHowLongTheOutputOfFFmpegWillBe(t *testing.T) {
	const banner = "  Duration: 00:01:40.00, start: 0.000000, bitrate: 45 kb/s\n"
	const none = "  Duration: N/A, start: 0.000000, bitrate: N/A\n"
	const short = "  Duration: 00:00:30.50, start: 0.000000, bitrate: 45 kb/s\n"
	for _, c := range []struct {
		args, banner string
		total        float64
	}{
		{"-i a b", banner, 100},
		{"-i a b", none, 0},
		{"-f lavfi -i testsrc -t 10 b", none, 10},
		{"-f lavfi -t 10 -i testsrc b", none, 10},
		{"-i a -t 00:00:20 b", banner, 20},
		{"-i a -t 500ms b", banner, 0.5},
		{"-i a -t 1000 b", banner, 100},
		{"-ss 10 -i a b", banner, 90},
		{"-ss 10 -to 30 -i a b", banner, 20},
		{"-i a -ss 0:10 -to 1:00.5 b", banner, 50.5},
		{"-i a -i c b", banner + short, 100},
		{"-i a -i c -shortest b", banner + short, 30.5},
		{"-loop 1 -i a.png -i c b", "  Duration: 00:00:00.04, start: 0\n" + short, 30.5},
		{"-i a -t -5 b", banner, 100},
		{"-i a -t x b", banner, 100},
		{"-i a b", "  Duration: 1:2:3:4, \n  Duration: -1, \n  Duration:\n", 0},
	} {
		f := newFFmpeg(strings.Fields(c.args))
		for line := range strings.Lines(c.banner) {
			f.decode(strings.TrimRight(line, "\n"))
		}
		if got := f.total(); got != c.total {
			t.Errorf("ffmpeg %s with %q: %g s, want %g", c.args, c.banner, got, c.total)
		}
	}
}

func TestFFmpegValuesThatAreNotThereYet(t *testing.T) {
	argv := []string{"ffmpeg", "-i", "a", "-frames:v", "50", "b"}
	text := "frame=0\nout_time_us=N/A\nout_time=N/A\nspeed=N/A\nprogress=continue\n" +
		"frame=5\nout_time_us=N/A\nprogress=continue\n" +
		"frame=  7 fps=0 q=0 size=N/A time=N/A bitrate=N/A speed=N/A\r"
	want := []core.Progress{frames(0, 50, "frame 0"), frames(5, 50, "frame 5")}
	if got := read(t, argv, "", text).progress; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	text = "out_time_us=N/A\nprogress=continue\nsize=N/A time=N/A bitrate=N/A\r"
	if got := read(t, argv[:3], "", text).progress; got != nil {
		t.Errorf("nothing is known, but got %v", got)
	}
}

func TestPercents(t *testing.T) {
	percent := func(v float64) core.Progress { return core.Progress{Current: v, Total: 100, Unit: "%"} }
	for _, c := range []struct {
		line string
		want []core.Progress
	}{
		{"ALF_PROGRESS 45%", []core.Progress{percent(45)}},
		{"  ALF_PROGRESS  45.5% of it", []core.Progress{percent(45.5)}},
		{"00:00:07   512MB         |    45% done - 123 rays/pixel", []core.Progress{percent(45)}},
		{"45% done", []core.Progress{percent(45)}},
		{"(45% done)", []core.Progress{percent(45)}},
		{"ALF_PROGRESS 45%\rALF_PROGRESS 45%\rALF_PROGRESS 44%", []core.Progress{percent(45), percent(44)}},
		{"ALF_PROGRESS 45", nil},
		{"ALF_PROGRESS nan%", nil},
		{"ALF_PROGRESS %", nil},
		{"x% done", nil},
		{"% done", nil},
		{"-5% done", nil},
		{"0x10% done", nil},
		{"1.2.3% done", nil},
		{strings.Repeat("9", 400) + "% done", nil},
	} {
		if got := read(t, []string{"husk"}, "", c.line).progress; !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.line, got, c.want)
		}
	}
}

func TestAnExpressionOfTheUsersOwn(t *testing.T) {
	for _, c := range []struct {
		pattern, line string
		want          []core.Progress
	}{
		{`step (\d+) of (\d+)`, "step 3 of 8", []core.Progress{{Current: 3, Total: 8}}},
		{`step (\d+)(?: of )?(\d+)?`, "step 3", []core.Progress{{Current: 3}}},
		{`wedge (\d+)`, "wedge 12", []core.Progress{{Current: 12}}},
		{`at ([\d.]+)`, "at 12.5 % now", []core.Progress{{Current: 12.5, Total: 100, Unit: "%"}}},
		{`at (\S+)`, "at 12.5%", []core.Progress{{Current: 12.5, Total: 100, Unit: "%"}}},
		{`at (\S+)`, "at last", nil},
		{`(x)?at`, "at", nil},
		{`(\d+)/(\w+)`, "3/x", nil},
		{`wedge (\d+)`, "Fra:12 Sample 1/2\nALF_PROGRESS 3%", nil}, // nothing but it is read
	} {
		if got := read(t, []string{"blender"}, c.pattern, c.line).progress; !slices.Equal(got, c.want) {
			t.Errorf("%q on %q: got %v, want %v", c.pattern, c.line, got, c.want)
		}
	}
}

func TestProgramsAreKnownByTheirName(t *testing.T) {
	for _, c := range []struct{ command, kind, name string }{
		{"blender -b", "blender", "blender"},
		{"/opt/blender-4.2.1/blender-4.2 -b", "blender", "blender-4.2"},
		{`C:\Blender\Blender.EXE -b`, "blender", "Blender"},
		{"/path/ffmpeg -i a b", "ffmpeg", "ffmpeg"},
		{"ffmpeg-static", "ffmpeg", "ffmpeg-static"},
		{"python3.11 x.py", "python", "python3.11"},
		{"/usr/nuke/Nuke15.0 -x", "nuke", "Nuke15.0"},
		{"3dsmaxcmd", "3dsmax", "3dsmaxcmd"},
		{"Render -r arnold", "maya", "Render"},
		{"hython", "houdini", "hython"},
		{"sh -c x", "shell", "sh"},
		{"nice -n 10 blender -b", "blender", "nice"},
		{"env A=ffmpeg xvfb-run -a blender -b", "blender", "env"},
		{"nice -n 10 mine", "command", "nice"},
		{"mine blender", "command", "mine"},
		{"md5sum x", "command", "md5sum"},
		{"", "command", ""},
	} {
		argv := strings.Fields(c.command)
		if got := KindOf(argv); got != c.kind {
			t.Errorf("kind of %q: %q, want %q", c.command, got, c.kind)
		}
		if got := NameOf(argv); got != c.name {
			t.Errorf("name of %q: %q, want %q", c.command, got, c.name)
		}
	}
	if got := read(t, strings.Fields("nice -n 10 blender -b x -s 1 -e 4 -a"), "", "Fra:2 a\n").progress; len(got) != 1 || got[0].Total != 4 {
		t.Errorf("arguments behind nice were not read: %v", got)
	}
}
