package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"dcctop/core"

	"github.com/gorilla/websocket"
)

// connect makes one attempt.
func (c *Client) connect(to endpoint) (*session, error) {
	ctx, cancel := context.WithTimeout(c.ctx, WriteWait)
	defer cancel()
	unhook := func() bool { return true }
	dialer := websocket.Dialer{
		// The library waits for the handshake without looking at ctx.
		NetDialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			nc, err := c.o.DialContext(ctx, network, addr)
			if err == nil {
				unhook = context.AfterFunc(ctx, func() { _ = nc.Close() })
			}
			return nc, err
		},
		ReadBufferSize:  4 << 10,
		WriteBufferSize: 1 << 10,
		Subprotocols:    []string{Protocol},
	}
	header := http.Header{}
	if to.token != "" {
		header.Set("Authorization", "Bearer "+to.token)
	}
	ws, answer, err := dialer.DialContext(ctx, to.url, header)
	cut := !unhook()
	switch {
	case errors.Is(err, websocket.ErrBadHandshake):
		return nil, refused(answer)
	case err != nil:
		return nil, fmt.Errorf("connect to %s: %w", hostOf(to.url), plain(err))
	case cut:
		return nil, errors.Join(fmt.Errorf("connect to %s: no answer in %s", hostOf(to.url), WriteWait), ws.Close())
	case ws.Subprotocol() != Protocol:
		why := fmt.Sprintf("%s does not speak %s; is it another program, or a version of dcctop that does not fit?", hostOf(to.url), Protocol)
		return nil, errors.Join(&lost{why: why, back: comeBackSlowly}, ws.Close())
	}
	return newSession(ws, c.o.Logger), nil
}

// refused reads a dispatcher's no. It says why on one line.
func refused(answer *http.Response) *lost {
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 512))
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	line = strings.TrimPrefix(line, "dcctop: ")
	l := &lost{why: fmt.Sprintf("refused (%s): %s", answer.Status, line), back: comeBackSlowly}
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		l.is = core.ErrForbidden
	case http.StatusServiceUnavailable:
		l.back = comeBackSoon
	}
	return l
}

// plain takes the addresses out of a network error, which the message around it
// names already.
func plain(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Err
	}
	return err
}

// hostOf returns the HOST:PORT of a URL.
func hostOf(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return u.Host
}
