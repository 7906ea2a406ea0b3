package core

import "errors"

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
	ErrClosed         = errors.New("dispatcher is shutting down")
)
