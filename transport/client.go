package transport

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"dcctop/core"
)

// ClientOptions say where the dispatcher is.
type ClientOptions struct {
	// URL and Token are where to connect and what to show there; see FeedURL
	// for what a URL may be.
	URL, Token string
	// Endpoint is asked before each attempt, instead of URL and Token, so that
	// the files of a dispatcher that was started again are found. An error is
	// what Link.Why says until the next attempt. It is called by one goroutine
	// at a time.
	Endpoint func() (url, token string, err error)

	// ConnectTimeout is how long a command waits for the first connection.
	// Default 3 s. Once there has been one, commands do not wait.
	ConnectTimeout time.Duration
	Logger         *slog.Logger // default: discards
	// DialContext opens a stream to HOST:PORT. Default: a net.Dialer's.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (o *ClientOptions) validate() error {
	switch {
	case o.Endpoint == nil && o.URL == "":
		return fmt.Errorf("%w client options: no URL and no Endpoint", core.ErrInvalid)
	case o.Endpoint != nil && (o.URL != "" || o.Token != ""):
		return fmt.Errorf("%w client options: Endpoint beside URL or Token; give one or the other", core.ErrInvalid)
	case o.ConnectTimeout < 0:
		return fmt.Errorf("%w client options: ConnectTimeout %s; give 0 (the default) or more", core.ErrInvalid, o.ConnectTimeout)
	}
	if o.Endpoint == nil {
		if _, err := FeedURL(o.URL); err != nil {
			return err
		}
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = 3 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.DialContext == nil {
		o.DialContext = (&net.Dialer{}).DialContext
	}
	return nil
}

// Client is a dispatcher at the other end of a link, with the same methods as
// one in this process. It keeps the link by itself until it is closed: it
// connects again after any loss, and its watch goes on from where it was. All
// methods are safe for concurrent use.
type Client struct {
	o      ClientOptions
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	done   chan struct{} // closed when the link's goroutine has ended

	mu      sync.Mutex // guards what follows
	session *session   // nil while there is no link
	link    core.Link
	failed  error         // why there is no link
	changed chan struct{} // closed and replaced with each change of session or link
	watch   *watch        // nil when nobody watches
}

// Dial returns a client at once and connects meanwhile. The error is about the
// options only: a dispatcher that cannot be reached is told by the watch and by
// the commands.
func Dial(o ClientOptions) (*Client, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	c := &Client{o: o, done: make(chan struct{}), changed: make(chan struct{})}
	c.link = core.Link{State: core.LinkConnecting, Since: core.At(time.Now())}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(c.done)
		c.keep()
	}()
	return c, nil
}

// Close ends the link, the watch and every call that waits, and returns when
// all is ended. It may be called more than once.
func (c *Client) Close() error {
	c.cancel()
	<-c.done
	return nil
}

// Err returns why there is no link, and nil while there is one or before the
// first try. It wraps [core.ErrForbidden] when the dispatcher answered that it
// does not know the token.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		return nil
	}
	return c.failed
}

// Link returns the state of the link now. It is live from the handshake on; what
// a watch shows is live a little later, when its first data has come.
func (c *Client) Link() core.Link {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}
