package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the real programs print when they fail, and what of it is told.
func TestTheReasonIsFoundInWhatRealProgramsPrint(t *testing.T) {
	for file, want := range map[string]string{
		"blender_missing_file":   "Error: Cannot read file '/shots/missing.blend': No such file or directory",
		"blender_python_expr":    "RuntimeError: no camera",
		"blender_python_script":  "MissingCamera: no camera in 'shot_010'",
		"ffmpeg_missing_input":   "missing.mov: No such file or directory",
		"ffmpeg_unknown_encoder": "Unknown encoder 'nope'",
		"python_own_exception":   "MissingCamera: no camera in 'shot_010'",
		"python_library":         "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
		"python_cause":           "Missing: texture plate.exr",
		"bash_not_found":         "bash: line 1: nosuchprogram: command not found",
		"sh_not_found":           "sh: 1: nosuchprogram: not found",
	} {
		printed, err := os.ReadFile(filepath.Join("testdata/failures", file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if got := reasonOf(string(printed)); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// reasonOf is what is told of a command that printed a text.
func reasonOf(printed string) string {
	o := &output{sink: discard{}, decoder: percent{}}
	o.copyFrom(strings.NewReader(printed))
	return streams{out: o}.reason()
}

func TestTheReasonIsTheLastLineThatLooksLikeAnError(t *testing.T) {
	for _, c := range []struct{ printed, want string }{
		{"", ""},
		{"\n \n", ""},
		{"start\nno licence left\n\n", "no licence left"},
		{"Error: no camera\nfreeing memory\n", "Error: no camera"},
		{"error one\nerror two\ndone\n", "error two"},
		{"Blender quit\n", "Blender quit"},
		{"Saved: '/shots/a.png'\n\nBlender quit\n", "Saved: '/shots/a.png'"},
		{"Error: script failed, file: 's.py', exiting.\nBlender quit\n", "Error: script failed, file: 's.py', exiting."},
		{"\x1b[1;31mFATAL\x1b[0m: no \x1b]52;c;x\x07GPU\nbye", "FATAL: no GPU"},
		{"FATAL\nbye", "FATAL"},
		{"cannot open plate.exr\nbye", "cannot open plate.exr"},
		{"no output\nfinished with 0 errors, 2 warnings", "finished with 0 errors, 2 warnings"},
		{"Errors: 0, warnings: 2\nlicence lost", "licence lost"},
		{"no error so far\nlicence lost", "licence lost"},
		{"Saved: '/out/error_pass.0001.png'\nlicence lost", "licence lost"},
		{"writing errors_1 and an error\nbye", "writing errors_1 and an error"},
		{"exceptional quality\nlicence lost", "licence lost"},
		{traceback + ":\n  File \"a.py\", line 1, in <module>\n    raise Error\n", "    raise Error"},
		{traceback + ":\n  File \"a.py\", line 1\nKeyboardInterrupt\nbye", "KeyboardInterrupt"},
		{"Error: old\n" + strings.Repeat("freeing memory\n", recentLines-1), "Error: old"},
		{"Error: too old\n" + strings.Repeat("freeing memory\n", recentLines), "freeing memory"},
	} {
		if got := reasonOf(c.printed); got != strings.TrimSpace(c.want) {
			t.Errorf("%.60q: %q, want %q", c.printed, got, c.want)
		}
	}
}

func TestOfTwoStreamsTheOneThatSaysWhyIsHeard(t *testing.T) {
	for _, c := range []struct{ out, err, want string }{
		{"loaded\n", "no licence\n", "no licence"},
		{"loaded\n", "", "loaded"},
		{"Error: no camera\nBlender quit\n", "ALSA lib: no sound card\n", "Error: no camera"},
		{"Error: no camera\n", "Error: no disk\n", "Error: no disk"},
	} {
		var s [2]*output
		for i, text := range []string{c.out, c.err} {
			s[i] = &output{sink: discard{}, decoder: percent{}}
			s[i].copyFrom(strings.NewReader(text))
		}
		if got := (streams{out: s[0], err: s[1]}).reason(); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.out, c.err, got, c.want)
		}
	}
}

func TestWhatIsKeptForTheReasonIsBounded(t *testing.T) {
	var r recent
	for i := range 10 * recentLines {
		r.add([]byte(strings.Repeat("x", maxLine) + fmt.Sprint(i)))
	}
	kept := 0
	for _, line := range r.lines {
		kept += cap(line)
	}
	if kept > 2*recentLines*recentBytes {
		t.Errorf("%d bytes are kept", kept)
	}
}
