package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	neturl "net/url"

	"dcctop/transport"
	"dcctop/ui/tui"
)

func (a *app) monitor(ctx context.Context) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	url, _, _ := a.endpoint() // what is wrong with it is the link's to tell, on the screen
	summary, err := tui.Run(ctx, tui.Options{
		Feed: c, Canceller: c, Rerunner: c, Me: me(), Where: where(url), Hint: "dcctop serve",
		In: a.in, Out: a.out, Env: a.env,
	})
	var bySignal *tui.SignalError
	if (err == nil || errors.As(err, &bySignal)) && summary.Alive > 0 {
		a.noted("%s", keepRunning(summary.Alive))
	}
	return errors.Join(err, c.Close())
}

// where is what a person calls the dispatcher at a URL: its host and port, and
// the path only where it is not the usual one.
func where(url string) string {
	u, err := neturl.Parse(url)
	if err != nil || u.Host == "" {
		return cmp.Or(url, "no dispatcher")
	}
	if u.Path == transport.Path || u.Path == "/" {
		return u.Host
	}
	return u.Host + u.Path
}

func keepRunning(n int) string {
	if n == 1 {
		return "1 job keeps running"
	}
	return fmt.Sprintf("%d jobs keep running", n)
}
