package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/transport"
	"dcctop/ui/tui"
)

func (a *app) showCommand() *cobra.Command {
	var f format
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show all that is known of a job",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *transport.Client) error {
				ids, err := resolve(cmd.Context(), c, args, toLook)
				if err != nil {
					return err
				}
				j, err := c.Get(cmd.Context(), ids[0])
				if err != nil {
					return err
				}
				if f.json {
					return printJSON(a.out, j)
				}
				return printJob(a.out, j)
			})
		},
	}
	f.flags(cmd, false)
	return cmd
}

func printJob(w io.Writer, j *core.Job) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(tw, "%s\t%s\n", name, tui.Clean(value))
		}
	}
	at := func(name string, t core.Time, more ...string) {
		if !t.IsZero() {
			row(name, strings.TrimSpace(local(t)+" "+strings.Join(more, " ")))
		}
	}
	row("id", string(j.ID))
	row("name", j.Name)
	row("state", string(j.State)+lateText(j))
	row("kind", j.Kind)
	row("user", j.User)
	row("host", j.Host)
	row("parent", string(j.Parent))
	row("children", childrenText(j.Children))
	row("labels", labelsText(j.Labels))
	row("command", shellWords(j.Command))
	row("dir", j.Dir)
	at("created", j.CreatedAt)
	at("started", j.StartedAt)
	at("finished", j.FinishedAt)
	if j.Progress != nil {
		row("progress", strings.TrimSpace(progress(j)+"  "+j.Progress.Message))
	}
	at("last checkpoint", j.LastCheckpointAt)
	at("deaf since", j.DeafSince, "(has not looked at its token)")
	if c := j.Cancellation; c != nil {
		by := "by " + c.By
		if c.From != "" {
			by += " on " + c.From
		}
		at("cancel asked", c.RequestedAt, by)
		row("reason", c.Reason)
		at("cancel seen", c.SeenAt)
		at("stopped", c.StoppedAt)
		if c.Step != "" {
			row("step", stepText(c.Step))
		}
		at("next step", c.NextStepAt)
	}
	if j.Exit != nil {
		row("exit", exitText(j.Exit))
	}
	row("left running", leftText(j.Left))
	row("error", j.Error)
	row("result", string(j.Result))
	return tw.Flush()
}

func local(t core.Time) string { return t.Std().In(time.Local).Format("2006-01-02 15:04:05.000") }

func lateText(j *core.Job) string {
	if j.Cancellation != nil && j.Cancellation.Late {
		return " (the cancel came too late)"
	}
	return ""
}

func exitText(e *core.Exit) string {
	if e.Signal != "" {
		return "ended by " + e.Signal
	}
	return fmt.Sprintf("code %d", e.Code)
}

// leftText names the processes that a job has left.
func leftText(left []core.Process) string {
	parts := make([]string, len(left))
	for i, p := range left {
		parts[i] = strings.TrimSpace(fmt.Sprintf("%d %s", p.PID, p.Name))
	}
	return strings.Join(parts, ", ")
}

func childrenText(children map[core.State]int) string {
	var parts []string
	for _, s := range core.States() {
		if n := children[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(parts, ", ")
}

// shellWords writes a command so that it can be pasted into a shell.
func shellWords(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !strings.ContainsRune("-_./:=,+@%#", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}

func labelsText(labels map[string]string) string {
	parts := make([]string, 0, len(labels))
	for k, v := range labels {
		parts = append(parts, k+"="+v)
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
