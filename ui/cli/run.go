package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/transport"
)

func (a *app) runCommand() *cobra.Command {
	var s core.Submission
	var labels []string
	var grace, timeout time.Duration
	var slots int
	var wait bool
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARG...]",
		Short: "Submit a command as a job and print its id",
		Long: `Submit a command as a job and print its id, alone, on standard output.

The dispatcher starts it in this directory when a slot is free, in a process
group of its own. Progress is read from what Blender, ffmpeg, RenderMan, husk,
mantra and Arnold print, or with --progress from anything.

With --wait the command ends when the job does, with the job's exit code.`,
		Args: usageArgs(func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no command: say what to run after --, as in: dcctop run -- blender -b scene.blend -a")
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.Command = args
			var err error
			if s.Labels, err = parseLabels(labels); err != nil {
				return usage(cmd, err)
			}
			if s.Dir == "" {
				if s.Dir, err = os.Getwd(); err != nil {
					return fmt.Errorf("cannot tell this directory (give one with --dir): %w", err)
				}
			}
			if cmd.Flags().Changed("grace") {
				ms := grace.Milliseconds()
				s.GraceMS = &ms
			}
			if cmd.Flags().Changed("slots") {
				s.Slots = &slots
			}
			s.TimeoutMS = timeout.Milliseconds()
			return a.withClient(func(c *transport.Client) error { return a.submit(cmd.Context(), c, s, wait) })
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows the command is the command's own
	flags.StringVar(&s.Name, "name", "", "what to call the job (default: the command's name)")
	flags.StringVar(&s.Kind, "kind", "", "what it is, e.g. blender (default: seen from the command)")
	flags.StringVar((*string)(&s.Parent), "parent", "", "the id of the job that this is a part of")
	flags.IntVar(&s.Priority, "priority", 0, "higher starts sooner")
	flags.StringArrayVar(&labels, "label", nil, "KEY=VALUE; may be given again")
	flags.StringVar(&s.Dir, "dir", "", "where to run it (default: here)")
	flags.StringArrayVar(&s.Env, "env", nil, "KEY=VALUE for the command; may be given again")
	flags.IntVar(&slots, "slots", 1, "how many slots it takes")
	flags.DurationVar(&grace, "grace", 0, "how long it has after SIGTERM before it is killed (default: the dispatcher's)")
	flags.DurationVar(&timeout, "timeout", 0, "end it as failed after this long (default: never)")
	flags.StringVar(&s.Progress, "progress", "", "a regular expression that finds a percentage, or a count and a total, in its output")
	flags.BoolVar(&wait, "wait", false, "end when the job does, with its exit code")
	return cmd
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

func (a *app) submit(ctx context.Context, c *transport.Client, s core.Submission, wait bool) error {
	j, err := c.Submit(ctx, s)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.out, j.ID); err != nil || !wait {
		return err
	}
	for {
		interrupted, stop := interruptible(ctx)
		jobs, err := waitFor(interrupted, c, []core.JobID{j.ID})
		if interrupted.Err() == nil {
			stop()
			if err != nil {
				return err
			}
			return a.ended(jobs[j.ID])
		}
		stop() // a second Ctrl+C, at the question, ends this command at once
		if !a.askCancel(j.ID) {
			a.noted("job %s is left running; to cancel it: dcctop cancel %s", j.ID, j.ID)
			return errInterrupted
		}
		outcomes, err := c.Cancel(ctx, core.CancelRequest{IDs: []core.JobID{j.ID}, Reason: "Ctrl+C in dcctop run"})
		if err != nil {
			return err
		}
		for _, o := range outcomes {
			a.noted("%s  %s", o.ID, answerText(o))
		}
	}
}

// askCancel asks what Ctrl+C is to mean. Only y is yes: leaving must never
// cancel the work.
func (a *app) askCancel(id core.JobID) bool {
	fmt.Fprintf(a.err, "\ncancel job %s? [y/N: leave it running] ", id)
	line, _ := bufio.NewReader(a.in).ReadString('\n') // an end of input is no yes
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// ended turns the end of a job into this command's.
func (a *app) ended(j *core.Job) error {
	text := string(j.State) + lateText(j)
	if j.Error != "" {
		text += ": " + j.Error
	}
	a.noted("%s  %s", j.ID, text)
	switch {
	case j.Exit != nil && j.Exit.Signal != "":
		return commandExit{128 + signalNumber(j.Exit.Signal)}
	case j.Exit != nil && j.Exit.Code != 0:
		return commandExit{j.Exit.Code}
	case j.State == core.Completed, j.Exit != nil:
		return nil // also when it exited 0 as it was told to stop: its own exit code
	}
	return commandExit{exitError}
}
