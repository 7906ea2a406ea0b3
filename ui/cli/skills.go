package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"dcctop/jobs/skill"
	"dcctop/ui/tui"
)

func (a *app) skillsCommand() *cobra.Command {
	var f format
	cmd := &cobra.Command{
		Use:   "skills DIR",
		Short: "List the DCC-MCP skills of a folder, and what is wrong with them",
		Long: `List the DCC-MCP skills of a folder, or the one that it is, with their tools.

What is wrong with a skill is listed below it with the file and the line, also
where the ecosystem would skip the skill and say so only in a log. It needs no
dispatcher. A tool is run with: dcctop run --skill DIR --tool NAME`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(cmd); err != nil {
				return err
			}
			skills, err := skill.List(args[0])
			if err != nil {
				return err
			}
			if len(skills) == 0 {
				a.noted("no skill in %s: a skill is a folder with a SKILL.md", args[0])
			}
			return printList(a.out, f, skills, printSkills)
		},
	}
	f.flags(cmd, true)
	return cmd
}

func printSkills(w io.Writer, skills []skill.Skill) error {
	var b strings.Builder
	for i := range skills {
		s := &skills[i]
		if i > 0 {
			b.WriteByte('\n')
		}
		state := ""
		if s.Skipped() {
			state = "  SKIPPED by the ecosystem"
		}
		fmt.Fprintf(&b, "%s%s\n", tui.Clean(strings.Join([]string{s.Name, s.DCC, s.Dir}, "  ")), state)
		width := 0
		for _, t := range s.Tools {
			width = max(width, utf8.RuneCountInString(tui.Clean(t.Slug)))
		}
		for _, t := range s.Tools {
			line := fmt.Sprintf("  %-*s  %s", min(width, 60), tui.Clean(t.Slug), tui.Clean(firstLine(t.Description)))
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		for _, p := range s.Problems {
			fmt.Fprintf(&b, "  ! %s (%s)\n", tui.Clean(p.String()), p.Effect)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// firstLine is the beginning of a description, for a list.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	const most = 100
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}
