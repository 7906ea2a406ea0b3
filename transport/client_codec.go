package transport

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"

	"dcctop/core"

	"github.com/gorilla/websocket"
)

// decodeFrame reads one frame of a server. Unlike a server it takes fields that
// it does not know: the server may be newer.
func decodeFrame(data []byte) (*serverFrame, error) {
	var f serverFrame
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%w: %v", errBadFrame, err)
	}
	if f.Version != "2.0" {
		return nil, fmt.Errorf("%w: jsonrpc is %q", errBadFrame, clip(f.Version, 20))
	}
	return &f, nil
}

// encodeRequest returns the frame of a request.
func encodeRequest(id uint64, method string, params any) ([]byte, error) {
	p, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	data, err := json.Marshal(request{Version: "2.0", ID: strconv.AppendUint(nil, id, 10), Method: method, Params: p})
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	if len(data) > MaxClientFrame {
		return nil, fmt.Errorf("%w request: %d bytes, at most %d fit; shorten the command, the environment or the list", core.ErrInvalid, len(data), MaxClientFrame)
	}
	return data, nil
}

// lossOfRead returns why reading failed.
func lossOfRead(err error) error {
	var timeout net.Error
	var ce *websocket.CloseError
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return &lost{why: fmt.Sprintf("nothing heard for %s", ReadWait), back: comeBackSoon}
	case errors.As(err, &ce):
		r := closeOfError(err)
		return &lost{why: fmt.Sprintf("%s (%d)", r.Text, r.Code), back: r.Back}
	case errors.Is(err, websocket.ErrReadLimit):
		return fmt.Errorf("%w: larger than %d bytes", errBadFrame, MaxServerFrame)
	}
	return &lost{why: "link lost: " + plain(err).Error(), back: comeBackSoon}
}
