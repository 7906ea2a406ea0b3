package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/user"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/jobs"
	"dcctop/transport"
)

// stopWithin bounds how long a dispatcher waits for its jobs when it is told to
// end. Twice that and it is gone whatever they do.
const stopWithin = 10 * time.Second

// byeWithin bounds how long the monitors have to be told.
const byeWithin = 3 * time.Second

func (a *app) serveCommand() *cobra.Command {
	var f format
	var listen string
	var verbose bool
	options := jobs.Options{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a dispatcher",
		Long: `Run a dispatcher for this user on this machine, until it is interrupted.

It listens on the loopback address only and makes a token file that only this
user can read; the other commands of the same user find both by themselves.
What the jobs print is kept below the state directory.
When it ends, its jobs end with it, as interrupted.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.Slots < 0 {
				return usage(cmd, fmt.Errorf("--slots %d: give 1 or more, or 0 for one per core", options.Slots))
			}
			if options.Retain < 0 {
				return usage(cmd, fmt.Errorf("--retain %d: give 1 or more", options.Retain))
			}
			if options.Grace < 0 {
				return usage(cmd, fmt.Errorf("--grace %v is negative: give a duration as 30s", options.Grace))
			}
			if options.KillAfter < 0 {
				return usage(cmd, fmt.Errorf("--kill-after %v is negative: give a duration as 10s", options.KillAfter))
			}
			if err := checkListen(listen); err != nil {
				return usage(cmd, err)
			}
			defer survivePipes()()
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			context.AfterFunc(ctx, stop) // a second Ctrl+C ends it at once
			level := slog.LevelWarn
			if verbose {
				level = slog.LevelInfo
			}
			return a.serve(ctx, listen, options, level, f)
		},
	}
	f.flags(cmd, false)
	cmd.Flags().StringVar(&listen, "listen", defaultListen, "HOST:PORT; port 0 takes a free one")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "say who connects and who is refused")
	cmd.Flags().IntVar(&options.Slots, "slots", 0, "how many jobs run at once (default: one per core)")
	cmd.Flags().IntVar(&options.Retain, "retain", 0, "how many finished jobs are kept, with their logs; chunks that are done go first (default 10000)")
	cmd.Flags().DurationVar(&options.Grace, "grace", 0, "how long a job has to stop before the next step: SIGTERM for one that listens, SIGKILL for any other (default 30s)")
	cmd.Flags().DurationVar(&options.KillAfter, "kill-after", 0, "how long a job that listened has from SIGTERM to SIGKILL (default 10s)")
	return cmd
}

// checkListen refuses what would open the dispatcher to a network: off loopback
// it would need TLS and a token for each user.
func checkListen(listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("--listen %q: give HOST:PORT, as 127.0.0.1:7720", listen)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("--listen %q: the port is no number from 0 to 65535", listen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--listen %q is not a loopback address: give 127.0.0.1:PORT (others reach it through an SSH tunnel)", listen)
	}
	return nil
}

func (a *app) serve(ctx context.Context, listen string, options jobs.Options, level slog.Level, f format) (err error) {
	p := findPlaces()
	lock, err := p.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	// A new token each time: the one of a dispatcher that is gone opens nothing.
	token, err := transport.MakeToken(p.token)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	options.LogDir = p.logs
	options.ChannelURL = "http://" + listener.Addr().String() + transport.ChannelPath
	d, err := jobs.New(options)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server, err := transport.NewServer(d, transport.ServerOptions{
		Token: token, Actor: me(), Channel: d, Version: version(), Logger: slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level})),
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	url := "ws://" + listener.Addr().String() + transport.Path
	if err := p.writeAddress(url); err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, p.removeAddress(url)) }()
	if err := a.printServing(url, p.token, f); err != nil {
		return errors.Join(err, listener.Close())
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.WithoutCancel(ctx), listener) }()
	select {
	case err = <-served:
	case <-ctx.Done():
		a.noted("dcctop ends%s", endsWith(d.List()))
	}
	// Jobs first, so that every monitor still sees how they ended.
	err = errors.Join(err, within(ctx, stopWithin, d.Shutdown), within(ctx, byeWithin, server.Shutdown))
	return err
}

// within ends a part in its own time, whatever those before it took.
func within(ctx context.Context, most time.Duration, end func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	return end(ctx)
}

// endsWith says what a dispatcher that ends takes with it.
func endsWith(all []*core.Job) string {
	alive := 0
	for _, j := range all {
		if !j.State.Terminal() {
			alive++
		}
	}
	switch alive {
	case 0:
		return "; no job was running or waiting"
	case 1:
		return "; 1 job is interrupted"
	}
	return fmt.Sprintf("; %d jobs are interrupted", alive)
}

func (a *app) printServing(url, tokenFile string, f format) error {
	if f.json {
		return printLine(a.out, map[string]any{"url": url, "token_file": tokenFile, "pid": os.Getpid()})
	}
	_, err := fmt.Fprintf(a.out, "dcctop listens on %s (token in %s)\n", url, tokenFile)
	return err
}

// me is who uses this program.
func me() core.Actor {
	actor := core.Actor{User: "unknown", Host: "unknown"}
	if u, err := user.Current(); err == nil {
		actor.User = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		actor.Host = h
	}
	return actor
}
