package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/transport"
	"dcctop/ui/tui"
)

func (a *app) lsCommand() *cobra.Command {
	var f format
	var states []string
	var user string
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the jobs",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.validate(cmd); err != nil {
				return err
			}
			for _, s := range states {
				if !core.State(s).Known() {
					return usage(cmd, fmt.Errorf("--state %q is none of %v", s, core.States()))
				}
			}
			return a.withClient(func(c *transport.Client) error {
				s, err := snapshot(cmd.Context(), c)
				if err != nil {
					return err
				}
				jobs := slices.DeleteFunc(s.Jobs, func(j *core.Job) bool {
					return len(states) > 0 && !slices.Contains(states, string(j.State)) || user != "" && j.User != user
				})
				sortJobs(jobs)
				return printList(a.out, f, jobs, printJobs)
			})
		},
	}
	f.flags(cmd, true)
	cmd.Flags().StringSliceVar(&states, "state", nil, "only jobs in these states, comma-separated")
	cmd.Flags().StringVar(&user, "user", "", "only jobs of this user")
	return cmd
}

// sortJobs puts live jobs before ended ones, and each in the order of their
// making, which for ULIDs is that of their ids.
func sortJobs(jobs []*core.Job) {
	slices.SortFunc(jobs, func(x, y *core.Job) int {
		if x.State.Terminal() != y.State.Terminal() {
			if x.State.Terminal() {
				return 1
			}
			return -1
		}
		return strings.Compare(string(x.ID), string(y.ID))
	})
}

func printJobs(w io.Writer, jobs []*core.Job) error {
	now := time.Now()
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "ID\tSTATE\tDONE\tAGE\tUSER\tHOST\tKIND\tNAME")
	for _, j := range jobs {
		name := tui.Clean(j.Name)
		if text := cancelText(j, now); text != "" {
			name += "  (" + text + ")"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", tui.Clean(string(j.ID)), tui.Clean(string(j.State)), progress(j), age(j, now),
			orDash(j.User), orDash(j.Host), orDash(j.Kind), name)
	}
	return tw.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return tui.Clean(s)
}
