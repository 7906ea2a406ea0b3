package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dcctop/core"
)

// runBlender turns --blender into a submission: a command that renders, or a
// script that Blender runs.
func (f *runFlags) runBlender(cmd *cobra.Command, s *core.Submission, args []string, stdin io.Reader) error {
	blend, err := filepath.Abs(f.blender)
	if err != nil {
		return fmt.Errorf("--blender: %w", err)
	}
	own, after := splitArgs(args)
	if s.Frames != nil && slices.ContainsFunc(own, choosesFrames) {
		return usage(cmd, fmt.Errorf("--frames and Blender's own choice of frames (%s): give one of them", strings.Join(own, " ")))
	}
	var span []string
	if s.Frames != nil {
		span = []string{"-s", "{start}", "-e", "{end}", "-j", "{step}"}
	}
	if f.script == "" {
		if s.Name == "" {
			s.Name = strings.TrimSuffix(filepath.Base(blend), filepath.Ext(blend))
		}
		s.Command = blenderArgv(blend, span, own, after)
		return nil
	}
	if len(after) > 0 {
		return usage(cmd, fmt.Errorf("--script and %q: a script gets its parameters with --params", strings.Join(after, " ")))
	}
	s.Script = &core.Script{Blend: blend, Args: append(own, span...)}
	if s.Script.Path, err = filepath.Abs(f.script); err != nil {
		return fmt.Errorf("--script: %w", err)
	}
	s.Script.Params, err = readParams(f.params, stdin)
	return err
}

// blenderArgv is the command that renders a file without a window. Blender
// carries its arguments out in their order, so the exit code of a Python error
// comes before any -P, and what to render comes last.
func blenderArgv(blend string, span, own, after []string) []string {
	argv := []string{"blender", "-b", blend, "--python-exit-code", "1"}
	argv = append(append(argv, own...), span...)
	if !slices.ContainsFunc(own, renders) {
		argv = append(argv, "-a")
	}
	return append(argv, after...)
}

// splitArgs separates Blender's arguments from those after --, which it leaves
// to its scripts.
func splitArgs(args []string) (own, after []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return slices.Clone(args[:i]), args[i:]
	}
	return slices.Clone(args), nil
}

func renders(arg string) bool {
	return slices.Contains([]string{"-a", "--render-anim", "-f", "--render-frame"}, arg)
}

func choosesFrames(arg string) bool {
	return renders(arg) || slices.Contains([]string{"-s", "--frame-start", "-e", "--frame-end", "-j", "--frame-jump"}, arg)
}
