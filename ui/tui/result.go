package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dcctop/core"
)

// maxResultFacts is how many values of a result's context are shown.
const maxResultFacts = 24

// result is what a job gave back, read once for as long as it stays the same.
type result struct {
	of    *byte // where its JSON begins; records are immutable
	facts []resultFact
}

type resultFact struct {
	label, value string
	bad          bool
	most         int // lines
}

// result shows what a job gave back: of a skill its message, prompt and
// context, else the JSON itself.
func (f *facts) result(j *core.Job, r *result) {
	if len(j.Result) == 0 {
		return
	}
	if r.of != &j.Result[0] {
		r.of, r.facts = &j.Result[0], readResult(j.Result, f.k.cleaner)
	}
	if len(r.facts) > 0 {
		f.gap()
	}
	for _, x := range r.facts {
		st := f.t.text
		if x.bad {
			st = f.t.bad
		}
		f.add(x.label, st, x.value, x.most)
	}
}

// readResult puts a result into labelled lines of clean text.
func readResult(raw json.RawMessage, clean cleaner) []resultFact {
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&object) != nil || object == nil {
		return []resultFact{{"result", clean.line(string(raw)), false, 4}}
	}
	var out []resultFact
	ok, skill := object["success"].(bool)
	if skill {
		word := "success"
		if !ok {
			word = "no success"
		}
		out = append(out, resultFact{"result", word, !ok, 1})
		delete(object, "success")
	}
	for _, name := range []string{"message", "error", "prompt"} {
		if s, isText := object[name].(string); isText {
			if s != "" {
				out = append(out, resultFact{name, clean.line(s), name == "error", 4})
			}
			delete(object, name)
		}
	}
	if context, isObject := object["context"].(map[string]any); isObject {
		delete(object, "context")
		out = append(out, listFacts("context", context, clean)...)
	}
	name := ""
	if len(out) == 0 {
		name = "result"
	}
	return append(out, listFacts(name, object, clean)...)
}

// listFacts writes the values of an object one by one, under one label.
func listFacts(label string, object map[string]any, clean cleaner) []resultFact {
	var out []resultFact
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if object[name] == nil {
			continue
		}
		if len(out) == maxResultFacts {
			out = append(out, resultFact{"", fmt.Sprintf("and %d more", len(object)-maxResultFacts), false, 1})
			break
		}
		out = append(out, resultFact{label, clean.line(name) + ": " + clean.line(plainJSON(object[name])), false, 2})
		label = ""
	}
	return out
}

// plainJSON is a value as a person writes it: text without quotes, a list of
// plain values with commas, else JSON.
func plainJSON(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		parts := make([]string, 0, min(len(v), 20))
		for i, x := range v {
			if i == 20 {
				parts = append(parts, fmt.Sprintf("and %d more", len(v)-i))
				break
			}
			parts = append(parts, plainJSON(x))
		}
		return strings.Join(parts, ", ")
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
