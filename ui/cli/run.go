package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/transport"
	"dcctop/ui/tui"
)

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	var wait bool
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARG...]",
		Short: "Submit a command, a skill or a Blender file as a job and print its id",
		Long: `Submit a job and print its id, alone, on standard output.

  dcctop run -- ffmpeg -y -i plate.mov dailies.mp4
  dcctop run --frames 1-240x2 --chunk 8 --retries 2 -- render -s {start} -e {end} -b {step}
  dcctop run --skill script.py --params '{"iterations": 20}'
  dcctop run --skill DIR --tool count --params @params.json
  dcctop run --blender shot.blend --frames 1-48 --chunk 8 -- -o //frames/####
  dcctop run --blender shot.blend --script render.py

The dispatcher starts it in this directory when a slot is free, in a process
group of its own. Progress is read from what Blender, ffmpeg, RenderMan, husk,
mantra and Arnold print, or with --progress from anything.

A range of frames becomes one job with a child for each chunk. {start}, {end}
and {step} in the command stand for the chunk's frames.

A skill script gets its parameters as JSON on standard input and prints its
result as one JSON object; a check in it sees a cancel. Those of a skill
directory's tool are checked against its schema before anything starts.

With --wait the command ends when the job does, with the job's exit code.`,
		Args: usageArgs(f.checkArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.submission(cmd, args, a.in)
			if err != nil {
				return err
			}
			if err := checkText(s); err != nil {
				return err
			}
			if f.blender != "" && s.Script == nil { // of a script, the dispatcher says so
				if _, err := os.Stat(f.blender); err != nil {
					return fmt.Errorf("--blender: %w; give the path of a .blend file", err)
				}
			}
			return a.withClient(func(c *transport.Client) error {
				return a.started(cmd.Context(), c, wait, func() (*core.Job, error) { return c.Submit(cmd.Context(), s) })
			})
		},
	}
	f.define(cmd.Flags())
	cmd.Flags().BoolVar(&wait, "wait", false, "end when the job does, with its exit code")
	return cmd
}

// started prints the id of the job that start makes, and with wait stays until
// it ends.
func (a *app) started(ctx context.Context, c *transport.Client, wait bool, start func() (*core.Job, error)) error {
	j, err := start()
	if err != nil {
		return err
	}
	if !wait {
		_, err := fmt.Fprintln(a.out, tui.Clean(string(j.ID)))
		return err
	}
	for shown := false; ; shown = true {
		// From before the id is seen on, Ctrl+C asks.
		interrupted, stop := interruptible(ctx)
		if !shown {
			if _, err := fmt.Fprintln(a.out, tui.Clean(string(j.ID))); err != nil {
				stop()
				return err
			}
		}
		jobs, err := a.waitFor(interrupted, c, []core.JobID{j.ID})
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
		outcomes, err := c.Cancel(ctx, core.CancelRequest{IDs: []core.JobID{j.ID}, Reason: "Ctrl+C in dcctop"})
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
	case j.State == core.Completed, j.Exit != nil && j.State != core.Failed:
		return nil // also when it exited 0 as it was told to stop: its own exit code
	}
	return commandExit{exitError}
}
