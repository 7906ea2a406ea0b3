package cli

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/transport"
	"dcctop/ui/tui"
)

func (a *app) watchCommand() *cobra.Command {
	var f format
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print every change as it comes",
		Long: `Print every change as it comes: a line for each change of a state, or with
--ndjson the feed itself, one update a line.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withClient(func(c *transport.Client) error {
				ctx, stop := interruptible(cmd.Context())
				defer stop()
				return a.printFeed(ctx, c.Watch(ctx), f.ndjson)
			})
		},
	}
	cmd.Flags().BoolVar(&f.ndjson, "ndjson", false, "print one JSON object a line")
	return cmd
}

// printFeed prints updates until they end.
func (a *app) printFeed(ctx context.Context, updates iter.Seq2[core.Update, error], ndjson bool) error {
	var view core.View
	for u, err := range updates {
		if err != nil {
			if ctx.Err() != nil {
				return errInterrupted
			}
			return err
		}
		if ndjson {
			if err := printLine(a.out, u); err != nil {
				return err
			}
			continue
		}
		before := view.Jobs
		if u.Change != nil {
			before = known(view.Jobs, u.Change.Jobs)
		}
		if err := view.Apply(u); err != nil {
			return err
		}
		if err := printUpdate(a.out, before, u); err != nil {
			return err
		}
	}
	return nil
}

// known keeps what was known of the jobs that are about to change.
func known(jobs map[core.JobID]*core.Job, changed []*core.Job) map[core.JobID]*core.Job {
	before := make(map[core.JobID]*core.Job, len(changed))
	for _, j := range changed {
		before[j.ID] = jobs[j.ID]
	}
	return before
}

// printUpdate prints a line for each job whose state, or whose cancel, moved.
func printUpdate(w io.Writer, before map[core.JobID]*core.Job, u core.Update) error {
	var jobs []*core.Job
	switch {
	case u.Link != nil:
		text := strings.TrimSpace(tui.Clean(u.Link.Source + " " + string(u.Link.State)))
		if u.Link.Why != "" {
			text += ": " + tui.Clean(u.Link.Why)
		}
		_, err := fmt.Fprintln(w, text)
		return err
	case u.Snapshot != nil:
		jobs = u.Snapshot.Jobs
	case u.Change != nil:
		jobs = u.Change.Jobs
	}
	for _, j := range jobs {
		was := before[j.ID]
		if was != nil && was.State == j.State && seen(was) == seen(j) {
			continue
		}
		line := fmt.Sprintf("%s  %-11s  %s", tui.Clean(string(j.ID)), tui.Clean(string(j.State)), tui.Clean(j.Name))
		if c := j.Cancellation; c != nil {
			line += "  (" + cancelText(j, c.RequestedAt.Std())
			if c.Reason != "" {
				line += ": " + tui.Clean(c.Reason)
			}
			line += ")"
		}
		if j.Error != "" {
			line += "  " + tui.Clean(j.Error)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

func seen(j *core.Job) bool { return j.Cancellation != nil && !j.Cancellation.SeenAt.IsZero() }
