package transport

import (
	"encoding/json"
	"time"

	"dcctop/core"
)

// Protocol is the WebSocket subprotocol: JSON-RPC 2.0, one object per text
// frame.
const Protocol = "dcctop.feed.v1"

// Path is where a dispatcher serves its feed.
const Path = "/v1/feed"

// DefaultAddress is where a dispatcher listens when nobody says otherwise.
const DefaultAddress = "127.0.0.1:7720"

// Requests, client to server. Each is answered once.
const (
	methodSubscribe = "feed.subscribe" // subscribeParams → subscribeResult, then the feed
	methodCancel    = "jobs.cancel"    // core.CancelRequest → cancelResult
	methodSubmit    = "jobs.submit"    // core.Submission → core.Job
	methodRerun     = "jobs.rerun"     // core.RerunRequest → core.Job
	methodGet       = "jobs.get"       // getParams → core.Job
	methodLog       = "jobs.log"       // logParams → core.LogChunk
)

// Notifications, server to client. Their fields are those of feedParams.
const (
	methodSnapshot = "feed.snapshot" // source, epoch, at, part, last, jobs
	methodDelta    = "feed.delta"    // source, epoch, from, to, jobs, gone
	methodSync     = "feed.sync"     // source, epoch, seq, now
	methodSource   = "feed.source"   // source, state
	methodBye      = "feed.bye"      // code, reason, retry_ms
)

// Limits of what a client may send.
const (
	MaxClientFrame = 16 << 10 // bytes of one frame
	MaxIDs         = 1000     // ids in one cancel or filter
	MaxID          = 64       // bytes of a job id
	MaxReason      = 2 << 10  // bytes of a reason
	MaxCommandID   = 128      // bytes of a command id
	MaxRequestID   = 128      // bytes of a JSON-RPC id
	MaxResume      = 16       // positions in one subscribe
	MaxDepth       = 16       // nesting of a request

	MaxConnections = 1000
	CommandRate    = 5   // cancels, submits, reruns and subscribes a second, per connection
	CommandBurst   = 20  // above which they are refused with a retry_ms
	FrameRate      = 50  // frames a second, per connection
	FrameBurst     = 200 // above which reading pauses
)

// Limits of what a server sends. A client refuses a frame above MaxServerFrame.
const (
	MaxPartJobs    = 512       // jobs in one snapshot or delta frame
	MaxPartBytes   = 256 << 10 // bytes of jobs in one frame, if it holds more than one
	MaxJobBytes    = 256 << 10 // bytes of one job; a larger one goes without its bulk
	MaxLogBytes    = 256 << 10 // bytes of output in one jobs.log answer
	MaxServerFrame = 4 << 20
)

// Times that both ends keep.
const (
	FirstFrameWait = 5 * time.Second  // for the first frame of a client, a ping included
	WriteWait      = 5 * time.Second  // for a peer to take one frame
	PingEvery      = 15 * time.Second // a ping and a feed.sync
	ReadWait       = 35 * time.Second // renewed by any frame; after it the link is dead
	slowLinger     = 2 * time.Second  // beyond WriteWait, to tell a slow client why
)

// subscribeParams starts the feed of this connection, or starts it anew. A
// position in Resume must have been reached under the same filter.
type subscribeParams struct {
	Resume []core.Position `json:"resume,omitempty"`
	Filter *filter         `json:"filter,omitempty"`
}

// filter keeps the feed to some jobs.
type filter struct {
	IDs []core.JobID `json:"ids"`
}

// subscribeResult says who answers, and as whom the connection is known.
type subscribeResult struct {
	Protocol string    `json:"protocol"`
	Version  string    `json:"version,omitempty"`
	User     string    `json:"user"`
	Host     string    `json:"host,omitempty"`
	Now      core.Time `json:"now"`
}

type getParams struct {
	ID core.JobID `json:"id"`
}

type logParams struct {
	ID   core.JobID `json:"id"`
	From int64      `json:"from,omitempty"` // offset in all that was ever printed
}

type cancelResult struct {
	Outcomes []core.CancelOutcome `json:"outcomes"` // one per id, in the order asked
}

// feedParams holds the fields of every notification, so that a frame is decoded
// in one pass.
type feedParams struct {
	Source  string       `json:"source"`
	Epoch   string       `json:"epoch"`
	At      uint64       `json:"at"`
	Part    int          `json:"part"` // from 1
	Last    bool         `json:"last"`
	From    uint64       `json:"from"`
	To      uint64       `json:"to"`
	Jobs    []*core.Job  `json:"jobs"`
	Gone    []core.JobID `json:"gone"`
	Seq     uint64       `json:"seq"`
	Now     core.Time    `json:"now"`
	State   string       `json:"state"`
	Code    int          `json:"code"`
	Reason  string       `json:"reason"`
	RetryMS int64        `json:"retry_ms"`
}

// request is a client's frame. The id is echoed as it came.
type request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// response is a server's answer to one request.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// serverFrame is any frame of a server: an answer or a notification.
type serverFrame struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  feedParams      `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *Error          `json:"error"`
}
