package core

import "slices"

// State is where a job stands. The strings are those of dcc-mcp-core's
// JobStatus, and one more: cancelling.
type State string

// Every state. Cancelling means that a cancel was asked for and the work has
// not stopped; cancelled means that it has.
const (
	Pending     State = "pending"
	Running     State = "running"
	Cancelling  State = "cancelling"
	Completed   State = "completed"
	Failed      State = "failed"
	Cancelled   State = "cancelled"
	Interrupted State = "interrupted"
)

// States returns every state in the order in which a job may pass through them.
func States() []State {
	return []State{Pending, Running, Cancelling, Completed, Failed, Cancelled, Interrupted}
}

// Terminal reports whether a job in this state has ended for good.
func (s State) Terminal() bool {
	switch s {
	case Completed, Failed, Cancelled, Interrupted:
		return true
	}
	return false
}

// Known reports whether s is one of [States].
func (s State) Known() bool { return slices.Contains(States(), s) }

// Event is something that happens to a job and may move its state.
type Event string

// Every event. The first three ends are told apart by what the work returned.
const (
	EventStart             Event = "start"
	EventCancel            Event = "cancel"
	EventReturnedNil       Event = "returned nil"
	EventReturnedError     Event = "returned an error"
	EventReturnedCancelled Event = "returned ErrCancelled"
	// EventFailedFirst: the work is known to have failed before the cancel
	// reached it, as a process that was gone before the signal was sent.
	EventFailedFirst Event = "failed before the cancel reached it"
	// EventTimedOut: the work stopped because its dispatcher's deadline for it
	// passed. A deadline is not a cancel.
	EventTimedOut Event = "stopped by its timeout"
	EventShutdown Event = "dispatcher ends or restarts"
	EventHostLost Event = "host lost"
)

// Events returns every event in the order of the table.
func Events() []Event {
	return []Event{EventStart, EventCancel, EventReturnedNil, EventReturnedError, EventReturnedCancelled,
		EventFailedFirst, EventTimedOut, EventShutdown, EventHostLost}
}

//go:generate go test -run TestDiagramInReadmeIsCurrent -update .

// transitions is the one table of states. A pair that is not in it cannot
// happen; a pair that maps to its own state stays. Terminal states are sinks: a
// late or repeated event never moves them.
var transitions = map[State]map[Event]State{
	Pending: {
		EventStart:    Running,
		EventCancel:   Cancelled,
		EventShutdown: Interrupted,
		EventHostLost: Interrupted,
	},
	Running: {
		EventCancel:            Cancelling,
		EventReturnedNil:       Completed,
		EventReturnedError:     Failed,
		EventReturnedCancelled: Cancelled,
		EventShutdown:          Interrupted,
		EventHostLost:          Interrupted,
	},
	Cancelling: {
		EventCancel:            Cancelling,
		EventReturnedNil:       Completed, // the cancel came too late
		EventReturnedError:     Cancelled,
		EventReturnedCancelled: Cancelled,
		EventFailedFirst:       Failed, // the cancel came too late
		EventTimedOut:          Failed,
		EventShutdown:          Interrupted,
		EventHostLost:          Interrupted,
	},
	Completed:   {EventCancel: Completed},
	Failed:      {EventCancel: Failed},
	Cancelled:   {EventCancel: Cancelled},
	Interrupted: {EventCancel: Interrupted},
}

// Next returns the state after e. It returns s itself and false when e cannot
// happen in s; the caller then changes nothing.
func (s State) Next(e Event) (State, bool) {
	next, ok := transitions[s][e]
	if !ok {
		return s, false
	}
	return next, true
}
