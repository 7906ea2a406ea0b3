package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/transport"
	"dcctop/ui/tui"
)

func (a *app) cancelCommand() *cobra.Command {
	var f format
	var reason string
	var wait bool
	var grace time.Duration
	cmd := &cobra.Command{
		Use:   "cancel ID...",
		Short: "Cancel jobs and their children",
		Long: `Cancel jobs and their children, and print one answer for each.

"accepted" means that the dispatcher has set the job's token: the running code
is yet to see it and to stop. With --wait the command ends when the work has.`,
		Args: usageArgs(func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no id: name each job to cancel, as dcctop ls shows it")
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(cmd); err != nil {
				return err
			}
			request := core.CancelRequest{Reason: reason}
			if cmd.Flags().Changed("grace") {
				if grace < 0 {
					return usage(cmd, fmt.Errorf("--grace %v is negative: give a duration as 30s", grace))
				}
				ms := grace.Milliseconds()
				request.GraceMS = &ms
			}
			return a.withClient(func(c *transport.Client) error {
				ctx, stop := interruptible(cmd.Context())
				defer stop()
				var err error
				if request.IDs, err = resolve(ctx, c, args, toAct); err != nil {
					return fmt.Errorf("nothing was cancelled: %w", err)
				}
				outcomes, err := c.Cancel(ctx, request)
				if err != nil {
					return err
				}
				if wait && (f.json || f.ndjson) {
					err := a.waitStopped(ctx, c, outcomes, func(*core.Job) {})
					return errors.Join(printList(a.out, f, outcomes, printOutcomes), err)
				}
				if err := printList(a.out, f, outcomes, printOutcomes); err != nil || !wait {
					return errors.Join(err, outcomeError(outcomes))
				}
				return a.waitStopped(ctx, c, outcomes, func(j *core.Job) { a.noted("%s  %s%s", j.ID, j.State, lateText(j)) })
			})
		},
	}
	f.flags(cmd, true)
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the record and every monitor")
	cmd.Flags().BoolVar(&wait, "wait", false, "end when the work has stopped")
	cmd.Flags().DurationVar(&grace, "grace", 0, "how long a process has before it is killed (default: the dispatcher's)")
	return cmd
}

// waitStopped waits until the work of every job that is being cancelled has
// stopped, puts the state in which it ended into its outcome, and tells it. It
// is an error that wraps errNothingToCancel when the cancel of one came too
// late.
func (a *app) waitStopped(ctx context.Context, c *transport.Client, outcomes []core.CancelOutcome, tell func(*core.Job)) error {
	jobs, err := a.waitFor(ctx, c, cancelling(outcomes))
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	late := 0
	for i, o := range outcomes {
		if j := jobs[o.ID]; j != nil {
			outcomes[i].State = j.State
			tell(j)
			if j.State != core.Cancelled {
				late++
			}
		}
	}
	if late > 0 {
		return fmt.Errorf("%w for %d of %d jobs: they ended by themselves first", errNothingToCancel, late, len(outcomes))
	}
	return outcomeError(outcomes)
}

// cancelling are the jobs that a cancel is under way for.
func cancelling(outcomes []core.CancelOutcome) []core.JobID {
	var ids []core.JobID
	for _, o := range outcomes {
		if o.Answer == core.Accepted || o.Answer == core.AlreadyRequested {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

func printOutcomes(w io.Writer, outcomes []core.CancelOutcome) error {
	for _, o := range outcomes {
		if _, err := fmt.Fprintf(w, "%s  %s\n", tui.Clean(string(o.ID)), answerText(o)); err != nil {
			return err
		}
	}
	return nil
}

// answerText is the answer in words.
func answerText(o core.CancelOutcome) string {
	switch o.Answer {
	case core.Accepted:
		if o.State == core.Cancelled {
			return "cancelled before it started"
		}
		return "accepted: the job has been asked to stop"
	case core.AlreadyRequested:
		return "already asked by " + tui.Clean(o.By) + " at " + local(o.At)
	case core.AlreadyFinished:
		return "already " + string(o.State)
	case core.Unknown:
		return "unknown: no such job"
	case core.Forbidden:
		return "forbidden: " + tui.Clean(o.Why)
	case core.NotCancellable:
		return "cannot be cancelled: " + tui.Clean(o.Why)
	case core.Unreachable:
		return "not reachable: " + tui.Clean(o.Source)
	}
	return tui.Clean(string(o.Answer))
}

// outcomeError is the worst of the answers as an error, nil when every job is
// being cancelled.
func outcomeError(outcomes []core.CancelOutcome) error {
	worst := []struct {
		answer core.Answer
		err    error
	}{
		{core.Unreachable, core.ErrUnreachable},
		{core.Unknown, core.ErrNotFound},
		{core.Forbidden, core.ErrForbidden},
		{core.NotCancellable, errNothingToCancel},
		{core.AlreadyFinished, errNothingToCancel},
	}
	for _, w := range worst {
		n := 0
		for _, o := range outcomes {
			if o.Answer == w.answer {
				n++
			}
		}
		if n > 0 {
			return fmt.Errorf("%w for %d of %d jobs", w.err, n, len(outcomes))
		}
	}
	return nil
}
