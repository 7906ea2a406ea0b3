package transport

import (
	"errors"
	"fmt"

	"github.com/gorilla/websocket"
)

// comeBack says whether, after a close, a client should come back.
type comeBack string

const (
	comeBackSoon   comeBack = "soon"   // with the usual backoff
	comeBackSlowly comeBack = "slowly" // something must change first: a token, a program
)

// closeReason is how one end closes a connection, and what it means to the
// other. Codes 4000 to 4499 are ours and ask the client to come back; 4500 to
// 4999 are ours too, and coming back will not help until something changes.
type closeReason struct {
	Code int
	Text string // for a person; at most 123 bytes
	Back comeBack
}

// Every way in which a server closes a connection.
const (
	codeShutdown     = websocket.CloseGoingAway       // 1001
	codeBinary       = websocket.CloseUnsupportedData // 1003
	codeTooBig       = websocket.CloseMessageTooBig   // 1009, sent by the library as it reads the length
	codeSlow         = 4001
	codeSilent       = 4002
	codeFeedEnded    = 4003
	codeNoFirstFrame = 4501
)

// closeTable returns every close code that either end may meet, and what a
// client does about it. A code that is not in it counts as a lost link.
func closeTable() []closeReason {
	return []closeReason{
		{websocket.CloseNormalClosure, "closed by the other end", comeBackSoon},
		{codeShutdown, "dispatcher is shutting down", comeBackSoon},
		{websocket.CloseProtocolError, "not WebSocket as we know it", comeBackSlowly},
		{codeBinary, "binary frame; send JSON text", comeBackSlowly},
		{websocket.CloseAbnormalClosure, "link lost", comeBackSoon},
		{websocket.CloseInvalidFramePayloadData, "text that is not UTF-8", comeBackSlowly},
		{websocket.ClosePolicyViolation, "refused by policy", comeBackSlowly},
		{codeTooBig, fmt.Sprintf("frame too large; at most %d bytes", MaxClientFrame), comeBackSoon},
		{websocket.CloseInternalServerErr, "server error", comeBackSoon},
		{websocket.CloseServiceRestart, "dispatcher restarts", comeBackSoon},
		{websocket.CloseTryAgainLater, "too busy", comeBackSoon},
		{codeSlow, "a frame was not taken within 5 s; resume", comeBackSoon},
		{codeSilent, "nothing heard for 35 s; resume", comeBackSoon},
		{codeFeedEnded, "feed ended at the dispatcher; resume", comeBackSoon},
		{codeNoFirstFrame, "no frame within 5 s of connecting", comeBackSlowly},
	}
}

// closeOf returns what the table says of a code.
func closeOf(code int) closeReason {
	for _, r := range closeTable() {
		if r.Code == code {
			return r
		}
	}
	back := comeBackSoon
	if code >= 4500 {
		back = comeBackSlowly
	}
	return closeReason{Code: code, Text: fmt.Sprintf("closed with code %d", code), Back: back}
}

// closeOfError returns the reason that a failed read tells.
func closeOfError(err error) closeReason {
	var ce *websocket.CloseError
	if !errors.As(err, &ce) {
		return closeOf(websocket.CloseAbnormalClosure)
	}
	r := closeOf(ce.Code)
	if ce.Text != "" {
		r.Text = ce.Text
	}
	return r
}
