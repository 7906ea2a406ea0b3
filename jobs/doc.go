// Package jobs is the dispatcher: it owns the jobs and their cancel tokens,
// runs them, stops them, and tells whoever watches.
//
// # Usage
//
// [New] makes a [Dispatcher]. [Dispatcher.Submit] takes a command and
// [Dispatcher.SubmitFunc] a Go function; both return the record of a job that
// waits for its turn. [Dispatcher.Watch] is the live feed, [Dispatcher.Cancel]
// asks jobs to stop, [Dispatcher.Shutdown] ends everything. Nothing here needs
// a network.
//
// # States
//
// A job's state moves by the table of package core and in no other way. A
// cancel is three facts, and the record keeps them apart: requested_at, when
// the token was set; seen_at, when a check in the running code saw it;
// stopped_at, when the work had ended. A job is cancelled only after the last.
//
// What the end of a cancelled job is called follows from why it was asked to
// stop: an operator's cancel ends in cancelled, a timeout in failed, a shutdown
// in interrupted. Work that had ended before the request could reach it keeps
// its own end, and the cancel is marked late.
//
// # Parents and children
//
// A child starts no sooner than its parent. A parent is not over before its
// last descendant is: its own end is kept and applied then. A cancel of a
// parent reaches every descendant; those that wait are cancelled at once. When
// it stopped any of them the parent counts as reached too, and does not end as
// completed. A cancel of a child reaches nothing else. A parent's counts of
// children by state keep those that were purged.
//
// Work that only submits children had best return then: the job lives on until
// they are over, and gives back its slots at once. Work that waits for its
// children should take 0 slots, or they may never get one, and go on checking
// its token, or it is called deaf.
//
// # Order of start
//
// Higher priority first, then order of submission. Nothing overtakes the first
// in line: a job that needs four slots waits until four are free, and those
// behind it wait too, or it would starve. Jobs of 0 slots start at once.
//
// # Concurrency
//
// Every method may be called from any goroutine. One mutex guards all state.
// Records are immutable: a change replaces the record, so that a snapshot is a
// slice of pointers. Nothing that could block or call back runs under the
// mutex: no runner, no reader of a feed, no file, no process. Tokens are made
// and looked at under it, which is safe as a token never calls back.
//
// # Slow watchers
//
// A watcher runs in its reader's goroutine. Between two reads it is a set of
// the jobs that changed, so a reader that stalls costs no more than one entry
// per job and delays nobody. Such a reader gets one merged change when it
// comes back.
//
// # Limits
//
// Text from outside is bounded. Cut to fit, at the end of a rune: the name of a
// job (256 bytes), the reason of a cancel (1024), a progress message (256), an
// error (4096). Refused with an error that says what to change: a kind or dcc
// over 64 bytes, more than 32 labels, a label's name over 64 bytes or its value
// over 256, a command or an environment over 128 KiB, a directory over 4096
// bytes, a command id over 128 bytes, more than 100,000 ids in one cancel. A
// result that is not JSON or over 64 KiB is left out.
package jobs
