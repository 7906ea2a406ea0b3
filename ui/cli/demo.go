package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"dcctop/jobs"
	"dcctop/jobs/demo"
	"dcctop/ui/tui"
)

// demoStopsWithin bounds the end of a demo. Its deaf job never stops when
// asked, which is what it is there to show.
const demoStopsWithin = 1 * time.Second

func (a *app) demoCommand() *cobra.Command {
	var dir string
	var length time.Duration
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show it all with real work, and nothing else running",
		Long: `Run a dispatcher, real work and the monitor in one process: no server, no
account, nothing else installed. A small path tracer writes frames as PNG files,
bodies attract each other, one job listens rarely, one never does, one fails.
It leaves half of the cores free.

Without a terminal it runs for ten seconds and prints the feed as NDJSON.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if length <= 0 {
				return usage(cmd, fmt.Errorf("--for %v: give a duration above zero, as 10s", length))
			}
			ctx := cmd.Context()
			screen := tui.IsTerminal(a.in) && tui.IsTerminal(a.out)
			if !screen || cmd.Flags().Changed("for") {
				var stop context.CancelFunc
				ctx, stop = context.WithTimeout(ctx, length)
				defer stop()
			}
			return a.demo(ctx, dir, screen)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "where the frames go (default: a new temporary folder)")
	cmd.Flags().DurationVar(&length, "for", 10*time.Second, "end after this long; on a terminal it goes on until you leave, unless this is given")
	return cmd
}

func (a *app) demo(ctx context.Context, dir string, screen bool) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "dcctop-demo-"); err != nil {
			return fmt.Errorf("no folder for the frames (give one with --dir): %w", err)
		}
	}
	cores := demo.DefaultCores()
	d, err := jobs.New(jobs.Options{Source: "demo", Slots: cores})
	if err != nil {
		return err
	}
	working, leave := context.WithCancel(ctx)
	defer func() {
		leave() // work that looks rarely still sees its context end at once
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), demoStopsWithin)
		defer cancel()
		// The demo's own deaf job outlasts any bound; that is no failure of it.
		if failed := d.Shutdown(ending); !errors.Is(failed, context.DeadlineExceeded) {
			err = errors.Join(err, failed)
		}
	}()
	if err := demo.Start(working, d, demo.Options{Dir: dir, Cores: cores, By: me()}); err != nil {
		return err
	}
	if !screen {
		watching, stop := interruptible(ctx)
		defer stop()
		if err := a.printFeed(watching, d.Watch(watching), true); ctx.Err() == nil {
			return err
		}
		return nil // its time is up
	}
	summary, err := tui.Run(ctx, tui.Options{
		Feed: d, Canceller: d, Rerunner: d, Me: me(), Where: "demo", Note: "frames in " + dir, JobsEnd: true,
		In: a.in, Out: a.out, Env: a.env,
	})
	if err != nil {
		return err
	}
	a.noted("the demo is over; %d of its jobs ended with it. Its frames stay in %s", summary.Alive, dir)
	return nil
}
