package transport

import (
	"time"

	"dcctop/core"

	"github.com/gorilla/websocket"
)

// write sends what it is handed, pings, and at the end says goodbye and closes.
func (c *conn) write(read <-chan struct{}) {
	defer func() { _ = c.ws.Close() }()
	ping := time.NewTicker(PingEvery)
	defer ping.Stop()
	var at core.Position // where the client stands
	for {
		select {
		case <-c.ending: // before anything else that waits
			c.goodbye(read)
			return
		default:
		}
		var err error
		select {
		case f := <-c.out:
			if f.at != nil {
				at = *f.at
			}
			err = c.send(f)
		case <-ping.C:
			err = c.ping(at)
		case <-c.ending:
			c.goodbye(read)
			return
		}
		if err != nil {
			c.end(closeOf(websocket.CloseAbnormalClosure), 0)
			return
		}
	}
}

// send writes one frame. A client that takes longer than WriteWait is slow: the
// frame is given a little more time to end, so that the close code can follow
// it, and the connection ends either way.
func (c *conn) send(f frame) error {
	start := time.Now()
	_ = c.ws.SetWriteDeadline(start.Add(WriteWait + slowLinger))
	err := c.ws.WriteMessage(websocket.TextMessage, f.data)
	if time.Since(start) >= WriteWait {
		c.end(closeOf(codeSlow), 0)
	}
	return err
}

// ping asks for a sign of life, and tells where the client should stand.
func (c *conn) ping(at core.Position) error {
	start := time.Now()
	if err := c.ws.WriteControl(websocket.PingMessage, nil, start.Add(WriteWait)); err != nil {
		if time.Since(start) >= WriteWait {
			c.end(closeOf(codeSlow), 0)
		}
		return err
	}
	if at.Epoch == "" {
		return nil
	}
	return c.send(syncFrame(at, core.At(time.Now())))
}

// goodbye sends feed.bye and the close frame, and waits a moment for the client
// to hang up first: closing with its bytes unread would destroy ours on the way.
func (c *conn) goodbye(read <-chan struct{}) {
	const patience = time.Second
	deadline := time.Now().Add(patience)
	_ = c.ws.SetWriteDeadline(deadline)
	if c.why.Code != websocket.CloseNormalClosure && c.why.Code != websocket.CloseAbnormalClosure {
		_ = c.ws.WriteMessage(websocket.TextMessage, notice(methodBye, byeParams{c.why.Code, c.why.Text, c.retry.Milliseconds()}).data)
	}
	code := c.why.Code
	if code == websocket.CloseAbnormalClosure {
		code = websocket.CloseNormalClosure
	}
	if c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, c.why.Text), deadline) != nil {
		return
	}
	hangUp := time.NewTimer(patience)
	defer hangUp.Stop()
	select {
	case <-read:
	case <-hangUp.C:
	}
}

// byeParams are the parameters of feed.bye.
type byeParams struct {
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	RetryMS int64  `json:"retry_ms"`
}
