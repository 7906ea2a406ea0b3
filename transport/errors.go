package transport

import (
	"errors"
	"fmt"
	"time"

	"dcctop/core"
)

// ErrWatching means that the client has a watch already. One client follows one
// feed; dial a second client for a second feed.
var ErrWatching = errors.New("one watch at a time per client: end the other first, or dial another client")

// errLimited means that a command came too soon after others.
var errLimited = errors.New("too many commands")

// errBadFrame means that the other end is not a server of this protocol.
var errBadFrame = errors.New("frame is not of " + Protocol)

// Error codes of JSON-RPC, and our own from -32001 down.
const (
	codeParse      = -32700
	codeRequest    = -32600
	codeMethod     = -32601
	codeParams     = -32602
	codeInternal   = -32603
	codeNotFound   = -32001
	codeForbidden  = -32002
	codeClosed     = -32003
	codeLimited    = -32004
	codeNoDispatch = -32005
	codeOutcome    = -32006
	codeNotEnded   = -32007
)

// Error is a request's refusal, as it is on the wire. errors.Is finds the
// sentinel of core that its code stands for.
type Error struct {
	Code    int        `json:"code"`
	Message string     `json:"message"` // for a person: names the field and the fix
	Data    *ErrorData `json:"data,omitempty"`
}

// ErrorData is what a program may want of a refusal.
type ErrorData struct {
	Field   string `json:"field,omitempty"`    // the JSON path of what is wrong
	RetryMS int64  `json:"retry_ms,omitempty"` // when to try again
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the sentinel of core for the code, or nil where there is none.
func (e *Error) Unwrap() error {
	for _, row := range errorTable() {
		if row.code == e.Code {
			return row.is
		}
	}
	return nil
}

// retry returns how long to wait before asking again, and false where asking
// again is no use.
func (e *Error) retry() (time.Duration, bool) {
	if e.Code != codeLimited || e.Data == nil {
		return 0, false
	}
	return time.Duration(e.Data.RetryMS) * time.Millisecond, true
}

type errorRow struct {
	code int
	is   error
}

// errorTable is the one list of codes and what they stand for, read from left
// to right by a client, and by a server from right to left: the first row whose
// sentinel the dispatcher's error wraps.
func errorTable() []errorRow {
	return []errorRow{
		{codeNotFound, core.ErrNotFound},
		{codeForbidden, core.ErrForbidden},
		{codeNotEnded, core.ErrNotEnded},
		{codeClosed, core.ErrClosed},
		{codeLimited, errLimited},
		{codeNoDispatch, core.ErrUnreachable},
		{codeOutcome, core.ErrOutcomeUnknown},
		{codeParams, core.ErrInvalid},
		{codeRequest, core.ErrInvalid},
		{codeMethod, core.ErrInvalid},
		{codeParse, core.ErrInvalid},
		{codeInternal, nil},
	}
}

// errorOf returns what to answer for a dispatcher's error.
func errorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	for _, row := range errorTable() {
		if row.is != nil && errors.Is(err, row.is) {
			return &Error{Code: row.code, Message: err.Error()}
		}
	}
	return &Error{Code: codeInternal, Message: err.Error()}
}

// invalid returns the refusal of one field.
func invalid(code int, field, format string, args ...any) *Error {
	msg := fmt.Sprintf(format, args...)
	if field != "" {
		msg = field + ": " + msg
	}
	return &Error{Code: code, Message: msg, Data: &ErrorData{Field: field}}
}
