package runner

import (
	"encoding/json"
	"io"

	"dcctop/core"
)

// Sink takes what a job says while it runs. It is safe for use by several
// goroutines at once and does not block for long: a job waits on it.
type Sink interface {
	// Write takes the next bytes of the job's output, raw, in the order in which
	// they arrived. The slice is the caller's again when Write returns.
	io.Writer
	// Progress takes how far the job says it is. At is absent: the sink stamps
	// it, as the parsers have no clock.
	Progress(core.Progress)
}

// Result is how the work of a job ended.
type Result struct {
	// Err is nil when the work says that it succeeded. Its text is for a person:
	// "exit status 3: no such scene", "killed by SIGSEGV".
	Err error
	// Exit is how the process ended; nil for a Go function and for a process
	// that was never started.
	Exit *core.Exit
	// Signalled says that a Stop reached the work while it was alive, or before
	// it was started. Its end, whatever the exit code, is then the answer to that
	// Stop. False means that the work ended by itself, a Stop that came too late
	// included.
	Signalled bool
	// Value is what the work returned, where it returns something.
	Value json.RawMessage
}
