package core

import (
	"encoding/json"
	"errors"
)

// Actor is who gives a command. A transport takes it from the connection, never
// from a field of the message.
type Actor struct {
	User string
	Host string
}

// CancelRequest asks for the cancel of some jobs and their descendants.
type CancelRequest struct {
	// CommandID makes a repeat harmless: the same id from the same actor gets
	// the answers it got the first time. Empty: never taken for a repeat.
	CommandID string  `json:"command_id,omitempty"`
	IDs       []JobID `json:"ids"`
	Reason    string  `json:"reason,omitempty"` // as typed
	GraceMS   *int64  `json:"grace_ms,omitempty"`
	Force     bool    `json:"force,omitempty"` // go up the ladder at once

	By Actor `json:"-"`
}

// CancelOutcome is the answer for one job. Every job that was asked for gets
// exactly one, in the order asked.
type CancelOutcome struct {
	ID     JobID  `json:"id"`
	Answer Answer `json:"answer"`

	By     string `json:"by,omitempty"`    // already_requested: who asked first
	At     Time   `json:"at,omitzero"`     // already_requested: when
	State  State  `json:"state,omitempty"` // accepted, already_finished: the state now
	Why    string `json:"why,omitempty"`   // forbidden, not_cancellable
	Source string `json:"source,omitempty"`
}

// Answer is what became of a cancel for one job.
type Answer string

// Every possible answer.
const (
	Accepted         Answer = "accepted"
	AlreadyRequested Answer = "already_requested"
	AlreadyFinished  Answer = "already_finished"
	Unknown          Answer = "unknown"
	Forbidden        Answer = "forbidden"
	NotCancellable   Answer = "not_cancellable"
	Unreachable      Answer = "unreachable"
)

// Submission asks for a new job. What is absent takes the dispatcher's default.
// The id is the dispatcher's to make: there is no field for it.
type Submission struct {
	Name      string            `json:"name,omitempty"` // default: the command's base name
	Kind      string            `json:"kind,omitempty"` // default: guessed from the command
	DCC       string            `json:"dcc,omitempty"`
	Parent    JobID             `json:"parent,omitempty"`
	Priority  int               `json:"priority,omitempty"` // higher starts sooner
	Labels    map[string]string `json:"labels,omitempty"`
	Slots     *int              `json:"slots,omitempty"` // default 1; 0 for one that only waits on others
	Command   []string          `json:"command,omitempty"`
	Dir       string            `json:"dir,omitempty"`
	Env       []string          `json:"env,omitempty"`        // KEY=value, on top of the dispatcher's own
	GraceMS   *int64            `json:"grace_ms,omitempty"`   // default: the dispatcher's
	TimeoutMS int64             `json:"timeout_ms,omitempty"` // 0: none
	Progress  string            `json:"progress,omitempty"`   // a regular expression with one or two groups: current, total

	// NotCancellable says why the work must not be interrupted once it runs, as
	// while it publishes to a database. Nobody can cancel the job then; its
	// timeout and the end of the dispatcher still stop it.
	NotCancellable string `json:"not_cancellable,omitempty"`

	// KillAfterMS is from SIGTERM to SIGKILL for a process that had its grace
	// before SIGTERM, as one that is attached has. Default: the dispatcher's.
	KillAfterMS *int64 `json:"kill_after_ms,omitempty"`

	Script  *Script `json:"script,omitempty"`  // a skill script, instead of Command
	Frames  *Frames `json:"frames,omitempty"`  // one child for each chunk of a range
	Retries int     `json:"retries,omitempty"` // how often a chunk that failed is tried again; a cancel is never retried

	By Actor `json:"-"`
}

// Script is a DCC-MCP skill script: it reads one JSON object on standard input
// and prints one, its result.
type Script struct {
	Path   string          `json:"path"`
	Params json.RawMessage `json:"params,omitempty"` // a JSON object; default {}
	Python string          `json:"python,omitempty"` // the interpreter; default python3
	// Blend runs the script inside Blender, with this file open, rather than in
	// a Python of its own; "" for none.
	Blend string `json:"blend,omitempty"`
	// Args are Blender's own, between the file and the script, such as -o or
	// -s {start} -e {end}. They need Blend.
	Args []string `json:"args,omitempty"`
}

// Frames is a range of frames that is cut into chunks, each a child job. In the
// command {start}, {end} and {step} stand for those of the chunk.
type Frames struct {
	Range string `json:"range"`           // "1-240", "1-240x2", "7"; several with commas
	Chunk int    `json:"chunk,omitempty"` // frames in a chunk; default 1
}

// RerunRequest asks for a job that has ended to be submitted again, as a new
// job with a new id.
type RerunRequest struct {
	ID             JobID `json:"id"`
	OnlyUnfinished bool  `json:"only_unfinished,omitempty"` // of a range of frames: the chunks that did not complete

	By Actor `json:"-"`
}

// LogChunk is a piece of a job's output, as raw bytes.
type LogChunk struct {
	ID   JobID  `json:"id"`
	From int64  `json:"from"` // offset of the first byte of Data in all that was ever printed
	Next int64  `json:"next"` // where to read on
	Data []byte `json:"data"` // base64 in JSON
	End  bool   `json:"end"`  // the job has finished and nothing comes after Next
}

// Sentinels that a caller decides on, whichever dispatcher it talks to.
var (
	ErrNotFound       = errors.New("no such job")
	ErrInvalid        = errors.New("invalid")                  // the message names the field and the fix
	ErrUnreachable    = errors.New("dispatcher not reachable") // nothing was sent
	ErrOutcomeUnknown = errors.New("sent, outcome unknown")    // it may or may not have arrived
	ErrForbidden      = errors.New("forbidden")                // the actor may not do this
	ErrNotEnded       = errors.New("job has not ended")        // a rerun would work beside it
	ErrEnded          = errors.New("job has ended")            // its work can be asked and told nothing more
	ErrRepeated       = errors.New("given before")             // what can be given once only
	ErrTooMany        = errors.New("too many requests")        // ask again in a moment
	ErrClosed         = errors.New("dispatcher is shutting down")
)
