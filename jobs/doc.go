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
// # The ladder
//
// A plain process gets SIGTERM, to it and all that it started, as soon as it is
// cancelled, and SIGKILL when its grace is over. One that is attached to its
// control channel is asked first: it gets the grace to see the cancel and to
// stop, then SIGTERM, and SIGKILL after KillAfter. For a Go function there is
// nothing to climb. Each step is on the record, with the time of the next one.
// Asking again may shorten the grace and never lengthens it.
//
// A job is not over while a process of it lives. Those that outlive its own are
// on the record, as Left, with their pids and names.
//
// # The control channel
//
// With the ChannelURL option a command finds DCCTOP_URL, DCCTOP_JOB_ID and
// DCCTOP_TOKEN in its environment. The token is random, made when the work
// starts, opens nothing but its own job, and ends with it; only its hash is kept.
// Whoever serves that URL passes on what comes there: [Dispatcher.Attach],
// [Dispatcher.Checkpoint], [Dispatcher.Report], [Dispatcher.SetResult] and
// [Dispatcher.SubmitChild]. A job may make 50 calls a second, 200 at once, and
// have 64 streams open: one for each process that it forks.
//
// While a stream is open the job is attached, and stops by its token. It is deaf
// when it has not checked for DeafAfter since it last did or since it attached;
// one that never attached is never deaf. When its last stream is cut and no other
// comes within five seconds, it is a plain process again, and a cancel under way
// goes on with SIGTERM. A script is known to attach: a cancel that comes before
// it has gives it five seconds for that, or its grace where that is shorter.
//
// # Scripts
//
// A submission with Script is a skill script: JSON parameters on standard input,
// one JSON object with "success" as a line of its own on standard output.
// Everything else that it prints is log. A success completes the job whatever the
// exit code; a failure fails it with the script's own message, unless that is
// that a check ended it and somebody had asked for that: the job is then
// cancelled. No result, two or a broken one is a failure that says which. In
// Blender a script need not print one: it fails by a Python error.
//
// # Ranges of frames
//
// A submission with Frames is a parent of 0 slots and a child for each chunk of
// the range: "1-240", "1-240x2" for every second frame, "7", several with
// commas, frames below 0 as in "-5-10". In the command, and in the arguments and
// the strings of the parameters of a script, {start}, {end} and {step} stand for
// those of the chunk; {end} is a frame of it. A parameter that is nothing but a
// placeholder becomes a number. A submission in which neither {start} nor {end}
// is found is refused. Slots, timeout, grace and the rest are each chunk's.
//
// The parent's work submits the chunks one after the other, so all that wait
// can be seen soon after. A chunk that fails, its timeout included, is submitted
// again, as a new job with the label try, up to Retries times; one that was
// cancelled or interrupted is not. The parent's progress is the frames of the
// chunks that completed and what the running ones say of theirs. It ends failed
// when a chunk failed for good, else cancelled when one was cancelled, by itself
// too, since frames are missing; only with every chunk done is it completed. What
// it knows of its chunks does not depend on their records, which may be purged.
//
// # Running again
//
// [Dispatcher.Rerun] submits a job again, from what was submitted and not from
// the record. Of a job and its reruns one lives at a time, since two would write
// the same files. A chunk that is run again counts for its range, also when the
// range is over: it is not among the unfinished ones once it has completed.
//
// # Logs
//
// With the LogDir option the output of a job is in ID.log there, byte for byte,
// under the offsets that [Dispatcher.Log] reads at, while it runs and afterwards.
// When a file has half of LogDiskBytes it becomes ID.old.log, in place of the one
// before. A file is there from the first byte on, is open to write only while the
// job runs, and goes when the job is purged. If the disk fails, the log says so
// and goes on in memory; the job does not notice. A dispatcher that starts
// removes the logs of earlier runs that are older than seven days. Without
// LogDir the last LogBytes are kept in memory.
//
// # Work that must not be interrupted
//
// A submission may say why nobody may cancel its job once it runs. A cancel of
// it is answered with that reason, and one of its parent passes it by; a parent
// is then over when it is. Its own timeout and a shutdown still end it.
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
// bytes, a command id over 128 bytes, more than 100,000 ids in one cancel, a range
// of more than 1,000,000 frames or 10,000 chunks, a frame beyond 9,999,999, more
// than 100 retries. A result that is not JSON or over 64 KiB is left out.
package jobs
