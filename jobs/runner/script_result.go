package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// cancelledName is how a script's result says that a check of its ended it.
const cancelledName = "DccMcpCancelledError"

// ScriptError is what a script says of its own failure, in its result.
type ScriptError struct {
	Message string
	// Cancelled says that a check told the script to stop. Whether that was an
	// operator's wish is for the dispatcher to know.
	Cancelled bool
}

// Error returns the message.
func (e *ScriptError) Error() string { return e.Message }

// failure returns what a result says of a failure, nil for a success.
func failure(result json.RawMessage) *ScriptError {
	var r map[string]json.RawMessage // and no struct, which would also take "Success"
	if err := json.Unmarshal(result, &r); err != nil || string(r["success"]) != "false" {
		return nil
	}
	message, code := text(r["message"]), text(r["error"])
	e := &ScriptError{Message: message, Cancelled: isCancelled(code)}
	switch {
	case e.Message == "" && code == "":
		e.Message = "the script says that it failed, and not why"
	case e.Message == "":
		e.Message = code
	}
	return e
}

// text returns a JSON string, and "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func isCancelled(code string) bool {
	rest, ok := strings.CutPrefix(code, cancelledName)
	return ok && (rest == "" || strings.ContainsRune(":( ", rune(rest[0])))
}

// results passes on what a script prints, but for the lines that are results.
type results struct {
	log    *output
	found  []json.RawMessage
	broken string // what is wrong with the first that is none; "" when there was none
	near   bool   // there was a "success" on a line that is no result

	held    []byte // the start of a line that may be a result
	passing bool   // the rest of this line is no result
}

func (s *results) copyFrom(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		s.feed(buf[:n])
		if err != nil {
			s.lineEnds()
			s.log.end()
			return
		}
	}
}

func (s *results) reason() (string, says) { return s.log.reason() }

func (s *results) feed(p []byte) {
	for len(p) > 0 {
		piece, rest := p, []byte(nil)
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			piece, rest = p[:i+1], p[i+1:]
		}
		p = rest
		ended := piece[len(piece)-1] == '\n'
		switch {
		case s.passing:
			s.near = s.near || bytes.Contains(piece, []byte(`"success"`))
			s.log.write(piece)
			s.passing = !ended
		default:
			s.held = append(s.held, piece...)
			if ended {
				s.lineEnds()
			} else if start := bytes.TrimLeft(s.held, " \t\r"); len(start) > 0 && start[0] != '{' || len(s.held) > MaxResult {
				s.pass(fmt.Sprintf("it is over %d bytes long", MaxResult))
			}
		}
	}
}

// pass gives up on the line that is held. Where it was to be a result it says
// what is wrong.
func (s *results) pass(wrong string) {
	if len(s.held) > MaxResult && looksLikeResult(s.held) {
		s.breaks(wrong)
	}
	s.near = s.near || bytes.Contains(s.held, []byte(`"success"`))
	s.log.write(s.held)
	s.held, s.passing = s.held[:0], true
}

// lineEnds judges the line that is held.
func (s *results) lineEnds() {
	line := bytes.TrimSpace(s.held)
	switch ok, err := isResult(line); {
	case len(line) > MaxResult:
		s.pass(fmt.Sprintf("it is over %d bytes long", MaxResult))
		s.passing = false
		return
	case ok:
		s.found = append(s.found, bytes.Clone(line))
		s.held = s.held[:0]
		return
	case err != nil && looksLikeResult(line):
		s.breaks(err.Error())
	}
	s.near = s.near || bytes.Contains(s.held, []byte(`"success"`))
	s.log.write(s.held)
	s.held = s.held[:0]
}

func (s *results) breaks(why string) {
	if s.broken == "" {
		s.broken = why
	}
}

// isResult reports whether a line is one JSON object with a "success" that is
// true or false. The error says why it is no JSON object.
func isResult(line []byte) (bool, error) {
	if len(line) == 0 || line[0] != '{' {
		return false, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return false, fmt.Errorf("it is not JSON: %w", err)
	}
	success := string(fields["success"])
	if success != "true" && success != "false" {
		return false, nil
	}
	if !utf8.Valid(line) {
		return false, fmt.Errorf("it is not UTF-8")
	}
	return true, nil
}

// looksLikeResult reports whether a line was to be a result: Python's own way to
// print a dict included.
func looksLikeResult(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r")
	return bytes.HasPrefix(line, []byte("{")) &&
		(bytes.Contains(line, []byte(`"success"`)) || bytes.Contains(line, []byte(`'success'`)))
}
