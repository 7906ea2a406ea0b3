// Package core is what every part of dcctop shares: the cancellation API, the
// states of a job, and the records of its feed. It imports the standard library
// only, holds no state and starts no goroutine but those that
// [CancelToken.AfterFunc] is asked for.
//
// # Cancelling
//
// A cancel is three facts, never one: it was requested ([CancelToken.Cancel]),
// the running code saw it (a check returned it), and the work stopped (the
// function returned). A dispatcher gives each job a [CancelToken] in its
// context; the code looks at it where it can stop:
//
//	func render(ctx context.Context, frames []int) error {
//		for _, f := range frames {
//			if err := core.CheckDCCCancelled(ctx); err != nil {
//				return err // ends the job as cancelled
//			}
//			draw(f)
//		}
//		return nil
//	}
//
// Code that returns nil after a cancel has completed: the cancel came too late.
//
// # From Python
//
// Each symbol of dcc_mcp_core's cancellation module has a form here with the
// same meaning. A [context.Context] plays the part of Python's context
// variables.
//
//	Python                             Go
//	CancellationProbe                  CancellationProbe
//	CancelToken(job_id=None)           NewCancelToken(id)
//	CancelToken.cancel()               CancelToken.Cancel, CancelCause
//	CancelToken.cancelled              CancelToken.Cancelled
//	CancelToken.job_id                 CancelToken.JobID
//	DccMcpCancelledError               CancelledError, matched by ErrCancelled
//	CancelledError (deprecated alias)  DccMcpCancelledError (deprecated alias)
//	JobHandle                          JobHandle
//	check_cancelled()                  CheckCancelled(ctx)
//	check_dcc_cancelled()              CheckDCCCancelled(ctx)
//	current_cancel_token()             CurrentCancelToken(ctx)
//	current_job_id()                   CurrentJobID(ctx)
//	current_job                        CurrentJob(ctx)
//	set_cancel_token(token)            WithCancelToken(ctx, probe)
//	set_current_job(job)               WithCurrentJob(ctx, handle)
//	reset_cancel_token(reset)          the ResetFunc of WithCancelToken
//	reset_current_job(reset)           the ResetFunc of WithCurrentJob
//
// Go adds child tokens, causes, Done and AfterFunc, and contexts that end with
// their token. In Go the short error name cannot be taken for asyncio's, so the
// long one is the alias.
//
// # Listening
//
// A dispatcher calls [CancelToken.Ask] once a second. The next check stamps the
// time, so that a job which never checks is known as deaf before anyone needs
// to cancel it.
//
// # Feed
//
// [Job], [Snapshot], [Change], [CancelRequest] and the others are the wire
// types, written once. [View] is the rule by which a reader applies changes.
package core
