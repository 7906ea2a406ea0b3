// Package runner runs the work of one job: a Go function, a command, or a skill
// script in a Python or a Blender of its own.
//
// # Usage
//
// A dispatcher makes a [FuncRunner], a [Command] or a [Script] for a job, calls
// Run in a goroutine of its own, and Stop from any other when the job is to end.
// Run returns once, when nothing of the work is left. What the work prints and
// how far it says it is go to a [Sink] meanwhile.
//
// # Stopping
//
// The package holds no policy. When a job is asked to stop, and how long each
// step of the ladder lasts, is the dispatcher's; Stop is one step of it. What
// is decided here is what only the place next to the process can know: whether
// it was still there when the signal was sent ([Result].Signalled), and when
// the last process of its group is gone.
//
// # Processes
//
// A command gets a process group of its own, so that a signal reaches what it
// started as well. Run returns only when the group is empty: what a command
// leaves behind when it ends by itself gets SIGTERM, and SIGKILL after
// [CommandOptions].KillAfter. A [Guard] kills the groups of a dispatcher that
// died, kill -9 included. On Windows a Job Object does both.
//
// After a cancel the rest of the tree counts too: on Linux a process in a session
// of its own is known by the job's marks in its environment, by the job's output,
// which it holds open, or by an ancestor in the job. The last is looked up before
// the first signal ends the ancestors, so that "env -i setsid" hides nothing. The
// dispatcher is no child subreaper: an orphan that came to it would say that it is
// of some job, and not of which, and would have to be reaped beside those that
// os/exec reaps.
//
// # Failures
//
// The error of a command that failed is its exit status with one line that it
// printed: of the last 50 the last that looks like an error, as many programs say
// something else last, or that an error was. It is the exception of a traceback
// of Python. The rest is in the log.
//
// # Progress
//
// The parsers read what renderers print anyway: lines of text that end in \n or
// \r. They are pure and hold no clock. They show what the renderer says, also
// where that goes backwards.
package runner
