package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"dcctop/core"
)

// checkpointBody tells when a job last looked at its token. Pointers tell what
// is missing from what is zero.
type checkpointBody struct {
	AgeMS     *int64 `json:"age_ms"`                // since the last check
	SeenAgeMS *int64 `json:"seen_age_ms,omitempty"` // since the first that saw the cancel
}

type progressBody struct {
	Current *float64 `json:"current"`
	Total   float64  `json:"total,omitempty"`
	Unit    string   `json:"unit,omitempty"`
	Message string   `json:"message,omitempty"`
}

// decodeBody reads the one JSON object of a body into the struct that into points
// at, as strictly as a frame of the feed.
func decodeBody(body []byte, into any) error {
	body = bytes.TrimSpace(body)
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return invalid(codeParse, "body", "not one JSON object: %v; send exactly one", err)
	}
	if body[0] != '{' {
		return invalid(codeParse, "body", "not a JSON object; send one")
	}
	if err := decodeStrict(body, into, ""); err != nil {
		return err
	}
	return nil
}

func decodeCheckpoint(body []byte) (age time.Duration, seenAge *time.Duration, err error) {
	var c checkpointBody
	if err := decodeBody(body, &c); err != nil {
		return 0, nil, err
	}
	if c.AgeMS == nil {
		return 0, nil, invalid(codeParams, "age_ms", "missing; give the milliseconds since the last check")
	}
	if age, err = milliseconds("age_ms", *c.AgeMS); err != nil || c.SeenAgeMS == nil {
		return age, nil, err
	}
	seen, err := milliseconds("seen_age_ms", *c.SeenAgeMS)
	return age, &seen, err
}

// maxAge keeps milliseconds far from overflow.
const maxAge = 365 * 24 * time.Hour

func milliseconds(field string, ms int64) (time.Duration, error) {
	if ms < 0 || ms > maxAge.Milliseconds() {
		return 0, invalid(codeParams, field, "%d is out of range; give milliseconds from 0 to %d", ms, maxAge.Milliseconds())
	}
	return time.Duration(ms) * time.Millisecond, nil
}

func decodeProgress(body []byte) (core.Progress, error) {
	var p progressBody
	if err := decodeBody(body, &p); err != nil {
		return core.Progress{}, err
	}
	if p.Current == nil {
		return core.Progress{}, invalid(codeParams, "current", "missing; give how far the job is, as a number")
	}
	return core.Progress{Current: *p.Current, Total: p.Total, Unit: p.Unit, Message: p.Message}, nil
}

// decodeResult takes any object, if nothing in it can be read in two ways.
func decodeResult(body []byte) (json.RawMessage, error) {
	var result json.RawMessage
	if err := decodeBody(body, &result); err != nil {
		return nil, err
	}
	return result, nil
}

func decodeChild(body []byte) (core.Submission, error) {
	var s core.Submission
	if err := decodeBody(body, &s); err != nil {
		var e *Error
		if errors.As(err, &e) && e.Data != nil && e.Data.Field == "id" {
			err = invalid(codeParams, "id", "the dispatcher makes the id; leave it out")
		}
		return s, err
	}
	if s.Parent != "" {
		return s, invalid(codeParams, "parent", "it is the job whose token this is; leave it out")
	}
	return s, nil
}
