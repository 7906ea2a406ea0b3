package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/transport"
	"dcctop/ui/tui"
)

// followEvery is how often logs -f asks for more. A person does not see the
// difference to less, and a hundred followers cost the dispatcher little.
const followEvery = 250 * time.Millisecond

// wholePiece is from which size on a piece is one of several: a shorter one has
// caught up with the job.
const wholePiece = 32 << 10

func (a *app) logsCommand() *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "logs ID",
		Short: "Print what a job has printed",
		Long: `Print what a job has printed: the end of it, as much as the dispatcher keeps.

On a terminal, control characters are taken out. To a file or a pipe goes every
byte as it was.`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *transport.Client) error {
				ids, err := resolve(cmd.Context(), c, args, toLook)
				if err != nil {
					return err
				}
				ctx, stop := interruptible(cmd.Context())
				defer stop()
				return a.copyLog(ctx, c, ids[0], follow)
			})
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the job ends")
	return cmd
}

func (a *app) copyLog(ctx context.Context, c *transport.Client, id core.JobID, follow bool) (err error) {
	write := func(p []byte) error {
		_, err := a.out.Write(p)
		return err
	}
	if tui.IsTerminal(a.out) {
		clean := &lineCleaner{to: a.out}
		defer func() { err = errors.Join(err, clean.Flush()) }()
		write = func(p []byte) error {
			_, err := clean.Write(p)
			return err
		}
	}
	var lost time.Time
	for from := int64(0); ; {
		chunk, err := c.Log(ctx, id, from)
		switch {
		case err == nil:
			lost = time.Time{}
		case ctx.Err() != nil:
			return errInterrupted
		case follow && errors.Is(err, core.ErrUnreachable) && (lost.IsZero() || time.Since(lost) < lostWithin):
			if lost.IsZero() {
				lost = time.Now()
			}
			if !pause(ctx) {
				return errInterrupted
			}
			continue
		default:
			return err
		}
		if chunk.From > from && from > 0 {
			a.noted("[%d bytes are no longer kept]", chunk.From-from)
		}
		if err := write(chunk.Data); err != nil {
			return err
		}
		from = chunk.Next
		switch {
		case chunk.End:
			return nil
		case len(chunk.Data) >= wholePiece:
			continue // there is more already
		case !follow:
			return nil
		}
		if !pause(ctx) {
			return errInterrupted
		}
	}
}

// pause waits until it is time to ask again, and reports whether ctx lives.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(followEvery):
		return true
	}
}
