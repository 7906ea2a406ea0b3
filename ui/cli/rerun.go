package cli

import (
	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/transport"
)

func (a *app) rerunCommand() *cobra.Command {
	var request core.RerunRequest
	var wait bool
	cmd := &cobra.Command{
		Use:   "rerun ID",
		Short: "Submit a job that has ended again, and print the new id",
		Long: `Submit a job that has ended again, as a new job, and print the new id, alone, on
standard output. A job that is still stopping is refused: two would write the
same files.

With --only-unfinished, of a range of frames only the chunks that did not
complete are run.`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *transport.Client) error {
				ids, err := resolve(cmd.Context(), c, args, toAct)
				if err != nil {
					return err
				}
				request.ID = ids[0]
				return a.started(cmd.Context(), c, wait, func() (*core.Job, error) { return c.Rerun(cmd.Context(), request) })
			})
		},
	}
	cmd.Flags().BoolVar(&request.OnlyUnfinished, "only-unfinished", false, "of a range of frames: only the chunks that did not complete")
	cmd.Flags().BoolVar(&wait, "wait", false, "end when the job does, with its exit code")
	return cmd
}
