package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	neturl "net/url"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"dcctop/core"
	"dcctop/jobs"
	"dcctop/transport"
)

// stopWithin bounds how long a dispatcher waits for its jobs when it is told to
// end. Twice that and it is gone whatever they do.
const stopWithin = 10 * time.Second

func (a *app) serveCommand() *cobra.Command {
	var f format
	var listen string
	options := jobs.Options{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a dispatcher",
		Long: `Run a dispatcher for this user on this machine, until it is interrupted.

It listens on the loopback address only and makes a token file that only this
user can read; the other commands of the same user find both by themselves.
When it ends, its jobs end with it, as interrupted.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.Slots < 0 {
				return usage(cmd, fmt.Errorf("--slots %d: give 1 or more, or 0 for one per core", options.Slots))
			}
			if err := checkListen(listen); err != nil {
				return usage(cmd, err)
			}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return a.serve(ctx, listen, options, f)
		},
	}
	f.flags(cmd, false)
	cmd.Flags().StringVar(&listen, "listen", defaultListen, "HOST:PORT; port 0 takes a free one")
	cmd.Flags().IntVar(&options.Slots, "slots", 0, "how many jobs run at once (default: one per core)")
	cmd.Flags().DurationVar(&options.Grace, "grace", 0, "how long a job has to stop before it is killed (default 30s)")
	return cmd
}

// checkListen refuses what would open the dispatcher to a network: off loopback
// it would need TLS and a token for each user.
func checkListen(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("--listen %q: give HOST:PORT, as 127.0.0.1:7720", listen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--listen %q is not a loopback address: give 127.0.0.1:PORT (others reach it through an SSH tunnel)", listen)
	}
	return nil
}

func (a *app) serve(ctx context.Context, listen string, options jobs.Options, f format) (err error) {
	p := findPlaces()
	token, err := p.makeToken()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("cannot listen: %w (is a dispatcher running already?)", err)
	}
	d, err := jobs.New(options)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server, err := transport.NewServer(d, transport.ServerOptions{
		Token: token, Actor: me(), Version: version(), Logger: slog.New(slog.NewTextHandler(a.err, nil)),
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	url := "ws://" + listener.Addr().String() + transport.Path
	if err := p.announce(url); err != nil {
		a.noted("%v", err)
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
	}
	// Jobs first, so that every monitor still sees how they ended.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	return errors.Join(err, d.Shutdown(ending), server.Shutdown(ending))
}

// makeToken returns the token of this user's dispatchers. One that is there
// stays, so that clients of a dispatcher that was started again come back by
// themselves, and one that others could read is replaced.
func (p places) makeToken() (string, error) {
	if token, err := transport.ReadToken(p.token); err == nil {
		return token, nil
	}
	if err := os.MkdirAll(filepath.Dir(p.token), 0o700); err != nil {
		return "", fmt.Errorf("no folder for the token: %w", err)
	}
	return transport.MakeToken(p.token)
}

// announce leaves the address, unless another dispatcher of this user that
// still answers has left its own.
func (p places) announce(url string) error {
	other, err := p.readAddress()
	if err != nil {
		return err
	}
	if other != "" && other != url && answers(other) {
		return fmt.Errorf("another dispatcher of yours is at %s and keeps the address file; reach this one with --server %s", other, url)
	}
	return p.writeAddress(url)
}

func answers(url string) bool {
	u, err := neturl.Parse(url)
	if err != nil {
		return false
	}
	conn, err := net.DialTimeout("tcp", u.Host, time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close() // it answered, which was the question
	return true
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
