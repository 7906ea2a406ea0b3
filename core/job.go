package core

import (
	"encoding/json"
	"time"
)

// JobID names a job. A dispatcher makes it (a ULID), never a client, and no id
// is ever used twice, over restarts too.
type JobID string

// Job is what is known of a job at one position of its dispatcher's feed. It is
// also the wire form: JSON names are those of the feed, and a field that has
// nothing to say is absent.
//
// A *Job that came from a feed, a dispatcher or a client is shared and
// immutable: nobody changes it or what its maps and slices hold. To make
// another version, copy the struct and replace what differs.
type Job struct {
	ID    JobID  `json:"id"`
	Name  string `json:"name"`
	Kind  string `json:"kind,omitempty"` // what it is, e.g. "blender", "ffmpeg", "go"
	State State  `json:"state"`
	Rev   uint64 `json:"rev"` // the seq of its last change

	User string `json:"user,omitempty"` // who submitted it
	Host string `json:"host,omitempty"` // where it runs
	DCC  string `json:"dcc,omitempty"`  // the application it runs in

	Parent   JobID         `json:"parent,omitempty"`
	Children map[State]int `json:"children,omitempty"` // direct children by state

	Priority int               `json:"priority,omitempty"` // higher starts sooner
	Labels   map[string]string `json:"labels,omitempty"`
	Slots    int               `json:"slots,omitempty"` // how many it takes; 0 for one that only waits on others
	Command  []string          `json:"command,omitempty"`
	Dir      string            `json:"dir,omitempty"`

	CreatedAt  Time `json:"created_at,omitzero"`
	StartedAt  Time `json:"started_at,omitzero"`
	FinishedAt Time `json:"finished_at,omitzero"`

	Progress *Progress `json:"progress,omitempty"`

	StopsBy          StopsBy `json:"stops_by,omitempty"`
	NotCancellable   string  `json:"not_cancellable,omitempty"`   // why nobody may cancel it; "" when one may
	LastCheckpointAt Time    `json:"last_checkpoint_at,omitzero"` // last look at the token
	DeafSince        Time    `json:"deaf_since,omitzero"`         // set while it has not looked for a while

	Exit   *Exit           `json:"exit,omitempty"`
	Error  string          `json:"error,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`

	Cancellation *Cancellation `json:"cancellation,omitempty"`

	// Left is what still runs of the job's processes although its own has
	// ended. The job is not over before they are gone.
	Left []Process `json:"left,omitempty"`
}

// Process is one process of a job.
type Process struct {
	PID  int    `json:"pid"`
	Name string `json:"name,omitempty"` // of its program, for a person
}

// Progress is how far a job says it is.
type Progress struct {
	Current float64 `json:"current"`
	Total   float64 `json:"total,omitempty"` // 0 when unknown: Current is then a count
	Unit    string  `json:"unit,omitempty"`  // "frame", "s", "%"
	Message string  `json:"message,omitempty"`
	At      Time    `json:"at,omitzero"`
}

// Fraction returns the progress between 0 and 1, and false where the total is
// not known.
func (p *Progress) Fraction() (float64, bool) {
	if p == nil || p.Total <= 0 {
		return 0, false
	}
	return min(max(p.Current/p.Total, 0), 1), true
}

// StopsBy says how a cancel reaches the running code.
type StopsBy string

// The ways in which a job stops.
const (
	// StopsByToken: the code looks at its token. It can be deaf, and seen_at
	// means that a check saw the cancel.
	StopsByToken StopsBy = "token"
	// StopsBySignal: a plain process, ended by a signal. It is never deaf, and
	// seen_at stays absent.
	StopsBySignal StopsBy = "signal"
)

// Exit is how a process ended.
type Exit struct {
	Code   int    `json:"code"`             // -1 when ended by a signal
	Signal string `json:"signal,omitempty"` // e.g. "SIGTERM"
}

// Cancellation is what is known of a cancel: who asked for it, whether the
// running code has seen it, and whether the work has stopped. The three times
// are three different facts. It is set once, when the dispatcher sets the
// token, and from then on only gains.
type Cancellation struct {
	By     string `json:"by"`             // the user, or "dispatcher"
	From   string `json:"from,omitempty"` // the host
	Reason string `json:"reason,omitempty"`

	RequestedAt Time `json:"requested_at"`
	SeenAt      Time `json:"seen_at,omitzero"`    // the first check that returned cancelled
	StoppedAt   Time `json:"stopped_at,omitzero"` // the work has ended

	GraceMS    int64 `json:"grace_ms,omitempty"`
	Step       Step  `json:"step,omitempty"`
	NextStepAt Time  `json:"next_step_at,omitzero"`
	Late       bool  `json:"late,omitempty"` // the work ended before the cancel reached it
}

// Grace returns the time between the ask and the next step of the ladder.
func (c *Cancellation) Grace() time.Duration { return time.Duration(c.GraceMS) * time.Millisecond }

// Step is how far up the stop ladder a cancel has gone.
type Step string

// The steps of the ladder, in order.
const (
	StepToken Step = "token" // the token is set; the code is to look at it
	StepTerm  Step = "term"  // SIGTERM went to the process group
	StepKill  Step = "kill"  // SIGKILL went to the process group
)
