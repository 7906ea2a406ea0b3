package jobs

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"dcctop/core"
)

// fill puts the frames of a chunk into a text.
func (c chunk) fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	for _, p := range c.values() {
		text = strings.ReplaceAll(text, p.name, strconv.Itoa(int(p.value)))
	}
	return text
}

type placeholder struct {
	name  string
	value int32
}

func (c chunk) values() []placeholder {
	return []placeholder{{"{start}", c.start}, {"{end}", c.end}, {"{step}", c.step}}
}

// fillInto puts the frames of a chunk into the command and the parameters of a
// submission, which shares neither with what it was copied from.
func (c chunk) fillInto(s *core.Submission) error {
	s.Command = slices.Clone(s.Command)
	for i, arg := range s.Command {
		s.Command[i] = c.fill(arg)
	}
	if s.Script == nil {
		return nil
	}
	script := *s.Script
	s.Script = &script
	script.Args = slices.Clone(script.Args)
	for i, arg := range script.Args {
		script.Args[i] = c.fill(arg)
	}
	if !bytes.ContainsAny(script.Params, "{}") {
		return nil
	}
	if !json.Valid(script.Params) {
		return invalid("script.params", "not JSON; give one JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(script.Params))
	dec.UseNumber() // a large number is to stay what it was
	var params any
	if err := dec.Decode(&params); err != nil {
		return invalid("script.params", "%v; give one JSON object", err)
	}
	params, changed := c.fillJSON(params)
	if !changed {
		return nil // byte for byte what was given
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(params); err != nil {
		return invalid("script.params", "%v", err)
	}
	script.Params = bytes.TrimSpace(out.Bytes())
	return nil
}

// fillJSON puts the frames into every string of a JSON value but the names of
// fields, and reports whether there was anything to put. A string that is
// nothing but a placeholder becomes a number, as a parameter for it will be.
func (c chunk) fillJSON(v any) (any, bool) {
	changed := false
	switch v := v.(type) {
	case string:
		for _, p := range c.values() {
			if v == p.name {
				return p.value, true
			}
		}
		filled := c.fill(v)
		return filled, filled != v
	case []any:
		for i, item := range v {
			filled, did := c.fillJSON(item)
			v[i], changed = filled, changed || did
		}
		return v, changed
	case map[string]any:
		for name, item := range v {
			filled, did := c.fillJSON(item)
			v[name], changed = filled, changed || did
		}
		return v, changed
	}
	return v, false
}

// checkFill refuses a submission in which nothing stands for the frames: every
// chunk would do the same work, over the files of the others.
func checkFill(s *core.Submission) error {
	given := s.Command
	if s.Script != nil {
		given = append(slices.Clone(given), s.Script.Args...)
	}
	if slices.ContainsFunc(given, hasPlaceholder) {
		return nil
	}
	switch {
	case s.Script == nil:
		return invalid("command", "no {start} or {end} in it, so every chunk would do the same; put them where the frames belong")
	case hasPlaceholder(string(s.Script.Params)):
		return nil
	}
	return invalid("script.params", `no "{start}" or "{end}" in it, so every chunk would do the same; put them where the frames belong`)
}

func hasPlaceholder(text string) bool {
	return strings.Contains(text, "{start}") || strings.Contains(text, "{end}")
}
