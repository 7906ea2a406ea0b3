package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"dcctop/core"
)

// call is a request that has been read, checked and found in order. Params
// points at the method's own type.
type call struct {
	ID     json.RawMessage
	Method string
	Params any
}

// decodeRequest reads one frame of a client. On an error the call holds the id
// where it could be read, for the answer, and nothing else.
func decodeRequest(data []byte) (call, *Error) {
	data = bytes.TrimSpace(data)
	if len(data) > 0 && data[0] == '[' {
		return call{}, invalid(codeRequest, "", "batch arrays are not taken; send one object per frame")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return call{}, syntaxError(err)
	}
	id := requestID(data)
	var r request
	if err := decodeStrict(data, &r, ""); err != nil {
		if err.Data == nil || !strings.HasPrefix(err.Data.Field, "params.") {
			err.Code = codeRequest
		}
		return call{ID: id}, err
	}
	switch {
	case r.Version != "2.0":
		return call{ID: id}, invalid(codeRequest, "jsonrpc", `want "2.0", got %q`, clip(r.Version, 40))
	case r.ID == nil:
		return call{}, invalid(codeRequest, "id", "missing; every request is answered, so give it one")
	case id == nil:
		return call{}, invalid(codeRequest, "id", "want a string or a number of at most %d bytes", MaxRequestID)
	}
	params, err := newParams(r.Method)
	if err != nil {
		return call{ID: id}, err
	}
	if r.Params == nil {
		r.Params = json.RawMessage("{}")
	}
	if err := decodeStrict(r.Params, params, "params"); err != nil {
		return call{ID: id}, withFix(r.Method, err)
	}
	if err := check(params); err != nil {
		return call{ID: id}, err
	}
	return call{ID: id, Method: r.Method, Params: params}, nil
}

// requestID returns the id of a request that may be wrong in every other way,
// or nil.
func requestID(data []byte) json.RawMessage {
	var top map[string]json.RawMessage
	if json.Unmarshal(data, &top) != nil {
		return nil
	}
	id := top["id"]
	if len(id) == 0 || len(id) > MaxRequestID || (id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9')) {
		return nil
	}
	w := walker{data: id}
	if id[0] == '"' {
		if _, err := w.text("id"); err != nil {
			return nil
		}
	}
	return id
}

// newParams returns a pointer to the type of a method's parameters.
func newParams(method string) (any, *Error) {
	methods := map[string]any{
		methodSubscribe: &subscribeParams{}, methodCancel: &core.CancelRequest{},
		methodSubmit: &core.Submission{}, methodRerun: &core.RerunRequest{}, methodGet: &getParams{}, methodLog: &logParams{},
	}
	if p, ok := methods[method]; ok {
		return p, nil
	}
	for name := range methods {
		if strings.EqualFold(name, method) {
			return nil, invalid(codeMethod, "method", "no method %q; write it %q", clip(method, 40), name)
		}
	}
	return nil, invalid(codeMethod, "method", "no method %q; there are %s", clip(method, 40),
		strings.Join([]string{methodSubscribe, methodCancel, methodSubmit, methodRerun, methodGet, methodLog}, ", "))
}

// syntaxError says where the JSON is wrong.
func syntaxError(err error) *Error {
	var se *json.SyntaxError
	if errors.As(err, &se) {
		return invalid(codeParse, "", "not one JSON object: %v at byte %d; send exactly one object per frame", se, se.Offset)
	}
	return invalid(codeParse, "", "not one JSON object: %v", err)
}

// withFix adds what to do about a field that looks right and is not ours to
// take.
func withFix(method string, err *Error) *Error {
	field := ""
	if err.Data != nil {
		field = err.Data.Field
	}
	switch {
	case method == methodSubmit && field == "params.id":
		return invalid(codeParams, field, "the dispatcher makes the id; leave it out")
	case field == "params.by" || field == "params.user" || field == "params.from" && method != methodLog:
		return invalid(codeParams, field, "who asks is known from the connection; leave it out")
	}
	return err
}
