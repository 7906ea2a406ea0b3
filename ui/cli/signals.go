package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// interruptible returns a context that ends with the first interrupt,
// termination or hang-up. Stop gives the signals their usual meaning back. One
// that was ignored when the program started, as nohup has it, stays ignored.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
	if len(signals) == 0 {
		return context.WithCancel(ctx) // without any, NotifyContext would take all there are
	}
	return signal.NotifyContext(ctx, signals...)
}

// survivePipes keeps a broken standard output or error from ending the program:
// a write then fails like any other. The jobs' own processes are not touched,
// which an ignored signal would be.
func survivePipes() (stop func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}
