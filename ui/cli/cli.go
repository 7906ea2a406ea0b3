// Package cli is the commands of dcctop. It is where the parts meet: it gives
// the dispatcher to the server, the client to the screen, and turns errors into
// texts and exit codes for a person. It holds no rule about jobs.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dcctop/ui/tui"
)

// app is what every command has: where to read and write, and how to find a
// dispatcher.
type app struct {
	in        io.Reader
	out, err  io.Writer
	env       []string
	server    string // --server
	tokenFile string // --token-file
}

// Run runs the command line args (without the program's name) and returns the
// exit code; see [exitCode] for what each means. It writes results to out and
// texts for a person to errw. An interrupt or a termination signal ends it as
// the command at hand sees fit.
func Run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	a := &app{in: in, out: out, err: errw, env: os.Environ()}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errw)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if text := explain(err); text != "" {
		a.noted("dcctop: %s", text)
	}
	return exitCode(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "dcctop",
		Short: "htop for DCC jobs, with a cancel key that tells the truth",
		Long: `dcctop shows the jobs of a dispatcher live and cancels them from the keyboard.

Without a command it opens the monitor. Try it with nothing else running:

  dcctop demo

or for real, in two terminals:

  dcctop serve
  dcctop run -- blender -b scene.blend -s 1 -e 24 -a`,
		Args:              usageArgs(cobra.NoArgs),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.monitor(cmd.Context()) },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, err) })
	root.PersistentFlags().StringVar(&a.server, "server", "", "the dispatcher, as HOST:PORT or URL (default: $DCCTOP_SERVER, else this user's own)")
	root.PersistentFlags().StringVar(&a.tokenFile, "token-file", "", "the file that opens the dispatcher (default: where this user's dispatcher leaves it)")
	root.AddCommand(a.demoCommand(), a.serveCommand(), a.runCommand(), a.rerunCommand(), a.skillsCommand(), a.lsCommand(), a.showCommand(),
		a.logsCommand(), a.cancelCommand(), a.watchCommand(), a.versionCommand())
	return root
}

// usageArgs makes what cobra says of wrong arguments a usage error.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usage(cmd, err)
		}
		return nil
	}
}

func usage(cmd *cobra.Command, err error) error {
	return &usageError{fmt.Errorf("%w\nsee: %s --help", err, cmd.CommandPath())}
}

func (a *app) getenv(name string) string {
	for i := len(a.env) - 1; i >= 0; i-- {
		if len(a.env[i]) > len(name) && a.env[i][len(name)] == '=' && a.env[i][:len(name)] == name {
			return a.env[i][len(name)+1:]
		}
	}
	return ""
}

// noted prints lines for a person, which are no part of the result.
func (a *app) noted(format string, args ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		fmt.Fprintln(a.err, tui.Clean(line))
	}
}

var errInterrupted = errors.New("interrupted")
