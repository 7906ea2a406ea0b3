package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dcctop/core"
	"dcctop/jobs/skill"
)

// runFlags is the command line of run. It becomes a submission; whether that
// makes a job is for the dispatcher to say.
type runFlags struct {
	s      core.Submission
	labels []string
	slots  int

	grace, timeout, killAfter time.Duration

	frames core.Frames

	skill, tool     string
	blender, script string
	params, python  string
}

func (f *runFlags) define(flags *pflag.FlagSet) {
	flags.SetInterspersed(false) // what follows the command is the command's own
	flags.StringVar(&f.s.Name, "name", "", "what to call the job (default: the name of the command, tool or file)")
	flags.StringVar(&f.s.Kind, "kind", "", "what it is, e.g. blender (default: seen from the command)")
	flags.StringVar((*string)(&f.s.Parent), "parent", "", "the id of the job that this is a part of")
	flags.IntVar(&f.s.Priority, "priority", 0, "higher starts sooner")
	flags.StringArrayVar(&f.labels, "label", nil, "KEY=VALUE; may be given again")
	flags.StringVar(&f.s.Dir, "dir", "", "where to run it (default: here)")
	flags.StringArrayVar(&f.s.Env, "env", nil, "KEY=VALUE for the command; may be given again")
	flags.IntVar(&f.slots, "slots", 1, "how many slots it takes; of a range, each chunk")
	flags.DurationVar(&f.grace, "grace", 0, "how long it has to stop before the next step: SIGTERM for one that listens, SIGKILL for any other (default: the dispatcher's)")
	flags.DurationVar(&f.killAfter, "kill-after", 0, "how long one that listened has from SIGTERM to SIGKILL (default: the dispatcher's)")
	flags.DurationVar(&f.timeout, "timeout", 0, "end it as failed after this long (default: never)")
	flags.StringVar(&f.s.NotCancellable, "not-cancellable", "", "why nobody may cancel it once it runs, e.g. \"publishes to the asset database\"")
	flags.StringVar(&f.s.Progress, "progress", "", "a regular expression that finds a percentage, or a count and a total, in its output")
	flags.StringVar(&f.frames.Range, "frames", "", "a range of frames, as 1-240, 1-240x2 or 1-10,15: one child for each chunk")
	flags.IntVar(&f.frames.Chunk, "chunk", 1, "how many frames a chunk has")
	flags.IntVar(&f.s.Retries, "retries", 0, "how often a chunk that failed is tried again")
	flags.StringVar(&f.skill, "skill", "", "a DCC-MCP skill script, or with --tool a folder of skills")
	flags.StringVar(&f.tool, "tool", "", "the tool to run: its name, skill.tool or dcc.skill.tool")
	flags.StringVar(&f.params, "params", "", "the script's parameters: a JSON object, @FILE, or - for standard input")
	flags.StringVar(&f.python, "python", "", "the interpreter for --skill (default: python3)")
	flags.StringVar(&f.blender, "blender", "", "a .blend file: render it, or run --script in it; what follows -- are Blender's own arguments")
	flags.StringVar(&f.script, "script", "", "a Python script to run inside Blender, with --blender")
}

func (f *runFlags) checkArgs(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	switch {
	case given("skill") && given("blender"):
		return errors.New("--skill and --blender: give one of them (a script inside Blender: --blender FILE --script SCRIPT)")
	case given("skill") && len(args) > 0:
		return fmt.Errorf("--skill and a command (%q): give one of them; a script gets its parameters with --params", args[0])
	case !given("skill") && !given("blender") && len(args) == 0:
		return errors.New("no command: say what to run after --, as in: dcctop run -- blender -b scene.blend -a")
	}
	for _, name := range []string{"skill", "tool", "blender", "script", "frames", "params", "python"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return fmt.Errorf("--%s is empty: give a value or leave it out", name)
		}
	}
	for _, r := range []struct {
		name  string
		needs []string
	}{
		{"tool", []string{"skill"}},
		{"python", []string{"skill"}},
		{"script", []string{"blender"}},
		{"params", []string{"skill", "script"}},
		{"chunk", []string{"frames"}},
		{"retries", []string{"frames"}},
	} {
		if given(r.name) && !slices.ContainsFunc(r.needs, given) {
			return fmt.Errorf("--%s without --%s: give both or neither", r.name, strings.Join(r.needs, " or --"))
		}
	}
	switch {
	case given("tool") && given("frames"):
		return errors.New("--tool and --frames: give one of them; parameters are checked once, and not for each chunk (its script can be run with --skill SCRIPT --frames)")
	case given("chunk") && f.frames.Chunk < 1:
		return fmt.Errorf("--chunk %d: give 1 frame or more", f.frames.Chunk)
	case given("frames") && !given("skill") && !given("blender") && !slices.ContainsFunc(args, hasFrame):
		return errors.New("--frames: the command has neither {start} nor {end}, so each chunk would do the same; put them where the frames belong")
	}
	return nil
}

func hasFrame(arg string) bool {
	return strings.Contains(arg, "{start}") || strings.Contains(arg, "{end}")
}

// submission returns what the flags ask for. It sends nothing.
func (f *runFlags) submission(cmd *cobra.Command, args []string, stdin io.Reader) (core.Submission, error) {
	s := f.s
	var err error
	if s.Labels, err = parseLabels(f.labels); err != nil {
		return s, usage(cmd, err)
	}
	if s.Dir == "" {
		if s.Dir, err = os.Getwd(); err != nil {
			return s, fmt.Errorf("cannot tell this directory (give one with --dir): %w", err)
		}
	}
	if s.Dir, err = filepath.Abs(s.Dir); err != nil { // the dispatcher has another
		return s, fmt.Errorf("--dir: %w", err)
	}
	given := cmd.Flags().Changed
	for _, d := range []struct {
		name  string
		value time.Duration
		to    **int64
	}{{"grace", f.grace, &s.GraceMS}, {"kill-after", f.killAfter, &s.KillAfterMS}} {
		if d.value < 0 {
			return s, usage(cmd, fmt.Errorf("--%s %v is negative: give a duration as 30s", d.name, d.value))
		}
		if given(d.name) {
			ms := d.value.Milliseconds()
			*d.to = &ms
		}
	}
	if given("slots") {
		if f.slots < 0 {
			return s, usage(cmd, fmt.Errorf("--slots %d: give 0 or more", f.slots))
		}
		s.Slots = &f.slots
	}
	if given("timeout") && f.timeout < time.Millisecond {
		return s, usage(cmd, fmt.Errorf("--timeout %v: give 1ms or more, or leave it out for none", f.timeout))
	}
	s.TimeoutMS = f.timeout.Milliseconds()
	if given("frames") {
		frames := f.frames
		s.Frames = &frames
	}
	switch {
	case given("skill"):
		return s, f.runSkill(&s, stdin)
	case given("blender"):
		return s, f.runBlender(cmd, &s, args, stdin)
	}
	s.Command = args
	return s, nil
}

func (f *runFlags) runSkill(s *core.Submission, stdin io.Reader) error {
	path, err := filepath.Abs(f.skill)
	if err != nil {
		return fmt.Errorf("--skill: %w", err)
	}
	s.Script = &core.Script{Path: path, Python: f.python}
	if f.tool == "" {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return f.nameATool(path)
		}
		s.Script.Params, err = readParams(f.params, stdin)
		return err
	}
	found, tool, err := skill.Find(path, f.tool)
	if err != nil {
		return err
	}
	if s.Script.Params, err = readParams(f.params, stdin); err != nil {
		return err
	}
	if err := tool.Check(s.Script.Params); err != nil {
		return err
	}
	s.Script.Path = tool.Script
	if s.Name == "" {
		s.Name = tool.Name
	}
	s.DCC = found.DCC
	return nil
}

// nameATool says which tools a folder has, or why it has none.
func (f *runFlags) nameATool(dir string) error {
	skills, err := skill.List(dir)
	if err != nil {
		return err
	}
	var slugs []string
	for _, s := range skills {
		for _, t := range s.Tools {
			slugs = append(slugs, t.Slug)
		}
	}
	if len(slugs) == 0 {
		return fmt.Errorf("--skill %s: no tool in this folder; to see why: dcctop skills %s", f.skill, f.skill)
	}
	return &usageError{fmt.Errorf("--skill %s is a folder: name one of its tools with --tool: %s", f.skill, strings.Join(slugs, ", "))}
}

func parseLabels(labels []string) (map[string]string, error) {
	var m map[string]string
	for _, l := range labels {
		k, v, ok := strings.Cut(l, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("--label %q is no KEY=VALUE", l)
		}
		if m == nil {
			m = map[string]string{}
		}
		m[k] = v
	}
	return m, nil
}
