package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"dcctop/core"
)

// asked parses a command line of run and returns what would be submitted.
func asked(t *testing.T, stdin string, args ...string) (core.Submission, error) {
	t.Helper()
	var f runFlags
	var s core.Submission
	cmd := &cobra.Command{Use: "run", Args: usageArgs(f.checkArgs), SilenceErrors: true, SilenceUsage: true}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		s, err = f.submission(cmd, args, strings.NewReader(stdin))
		return err
	}
	f.define(cmd.Flags())
	cmd.SetArgs(args)
	err := cmd.Execute()
	return s, err
}

func TestABlenderFileBecomesTheCommandThatRendersIt(t *testing.T) {
	const blend = "/shots/sh010.blend"
	for args, want := range map[string]string{
		"":                          "--python-exit-code 1 -a",
		"-- -o //f/####":            "--python-exit-code 1 -o //f/#### -a",
		"-- -P setup.py":            "--python-exit-code 1 -P setup.py -a",
		"-- -s 3 -e 9":              "--python-exit-code 1 -s 3 -e 9 -a",
		"-- -f 12":                  "--python-exit-code 1 -f 12",
		"-- -o x -s 1 -e 2 -a":      "--python-exit-code 1 -o x -s 1 -e 2 -a",
		"-- -P a.py -- --quality 2": "--python-exit-code 1 -P a.py -a -- --quality 2",
		"--frames 1-48x2 --chunk 8": "--python-exit-code 1 -s {start} -e {end} -j {step} -a",
		"--frames 1-9 -- -o //####": "--python-exit-code 1 -o //#### -s {start} -e {end} -j {step} -a",
	} {
		s, err := asked(t, "", append([]string{"--blender", blend}, strings.Fields(args)...)...)
		if got, want := strings.Join(s.Command, " "), "blender -b "+blend+" "+want; err != nil || got != want {
			t.Errorf("%s: %v\n got  %s\n want %s", args, err, got, want)
		}
		if s.Name != "sh010" || s.Script != nil {
			t.Errorf("%s: %+v", args, s)
		}
	}
}

func TestAScriptInBlenderGetsTheFileAndTheFramesBeforeIt(t *testing.T) {
	s, err := asked(t, "", "--blender", "/a.blend", "--script", "/r.py", "--params", `{"q": 1}`, "--frames", "1-8", "--chunk", "4", "--", "-o", "x")
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Script; c == nil || c.Path != "/r.py" || c.Blend != "/a.blend" || string(c.Params) != `{"q": 1}` ||
		strings.Join(c.Args, " ") != "-o x -s {start} -e {end} -j {step}" {
		t.Errorf("%+v", s.Script)
	}
	if s.Command != nil || s.Frames == nil || *s.Frames != (core.Frames{Range: "1-8", Chunk: 4}) {
		t.Errorf("%+v", s)
	}
}

func TestASkillScriptIsSubmittedByItsWholePath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s, err := asked(t, "", "--skill", "count.py", "--python", "mayapy", "--dir", "/elsewhere", "--kill-after", "2s", "--grace", "1s")
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Script; c == nil || c.Path != filepath.Join(dir, "count.py") || c.Python != "mayapy" || string(c.Params) != "{}" {
		t.Errorf("%+v", s.Script)
	}
	if s.Dir != "/elsewhere" || *s.KillAfterMS != 2000 || *s.GraceMS != 1000 {
		t.Errorf("%+v", s)
	}
}

func TestParametersComeFromTheCommandLineAFileOrStandardInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.json")
	if err := os.WriteFile(file, []byte(" {\"from\": \"file\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{`{"from": "line"}`: "line", "@" + file: "file", "-": "stdin"} {
		s, err := asked(t, `{"from": "stdin"}`, "--skill", "x.py", "--params", given)
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		var p struct{ From string }
		if err := json.Unmarshal(s.Script.Params, &p); err != nil || p.From != want {
			t.Errorf("%s: %s", given, s.Script.Params)
		}
	}
}

func TestFlagsThatDoNotGoTogetherAreRefused(t *testing.T) {
	for _, c := range []struct{ args, say string }{
		{"", "no command"},
		{"--skill a.py --blender a.blend", "--skill and --blender"},
		{"--skill a.py -- echo", "--skill and a command"},
		{"--skill=", "--skill is empty"},
		{"--blender=", "--blender is empty"},
		{"--tool count -- echo", "--tool without --skill"},
		{"--tool count --blender a.blend", "--tool without --skill"},
		{"--script a.py -- echo", "--script without --blender"},
		{"--params {} -- echo", "--params without --skill or --script"},
		{"--params {} --blender a.blend", "--params without --skill or --script"},
		{"--python p -- echo", "--python without --skill"},
		{"--python p --blender a.blend", "--python without --skill"},
		{"--chunk 4 -- echo {start}", "--chunk without --frames"},
		{"--retries 4 -- echo {start}", "--retries without --frames"},
		{"--frames= -- echo {start}", "--frames is empty"},
		{"--frames 1-9 --chunk 0 -- echo {start}", "--chunk 0"},
		{"--frames 1-9 -- echo hello", "neither {start} nor {end}"},
		{"--frames 1-9 --skill d --tool t", "--tool and --frames"},
		{"--frames 1-9 --blender a.blend -- -s 1 -e 2", "--frames and Blender's own"},
		{"--frames 1-9 --blender a.blend -- -a", "--frames and Blender's own"},
		{"--blender a.blend --script b.py -- -o x -- more", "--params"},
		{"--grace -1s -- echo", "--grace"},
		{"--kill-after -1s -- echo", "--kill-after"},
		{"--label x -- echo", "--label"},
	} {
		_, err := asked(t, "", strings.Fields(c.args)...)
		if err == nil || exitCode(err) != exitUsage || !strings.Contains(err.Error(), c.say) {
			t.Errorf("run %s: exit %d, %v; want %q in it", c.args, exitCode(err), err, c.say)
		}
	}
}
