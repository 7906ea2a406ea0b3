package tui

import (
	"slices"
	"strings"

	"dcctop/core"
)

// filter decides which jobs are shown. The zero filter shows all. Every term
// must match.
type filter struct {
	text  string // as typed
	terms []clause
}

// clause is one word of a filter. Without a field it may match id, name, state,
// kind, user or host.
type clause struct {
	field string
	words []string // lower case; any of them
}

// filterFields are the names that may stand before a colon.
func filterFields() []string {
	return []string{"state", "user", "host", "kind", "name", "id", "is"}
}

// parseFilter reads what was typed: words, and field:word or field:one,other
// terms. A colon after anything that is not a field is part of the word.
func parseFilter(text string) filter {
	f := filter{text: strings.TrimSpace(text)}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		t := clause{words: []string{word}}
		if field, value, ok := strings.Cut(word, ":"); ok && slices.Contains(filterFields(), field) {
			if value == "" {
				continue // still being typed
			}
			t = clause{field: field, words: strings.Split(value, ",")}
		}
		f.terms = append(f.terms, t)
	}
	return f
}

// match reports whether j passes.
func (f filter) match(j *core.Job) bool {
	for _, t := range f.terms {
		if !t.match(j) {
			return false
		}
	}
	return true
}

func (t clause) match(j *core.Job) bool {
	for _, w := range t.words {
		if w != "" && t.matchWord(j, w) {
			return true
		}
	}
	return false
}

func (t clause) matchWord(j *core.Job, w string) bool {
	switch t.field {
	case "state":
		return strings.HasPrefix(string(j.State), w)
	case "user":
		return holds(j.User, w)
	case "host":
		return holds(j.Host, w)
	case "kind":
		return holds(j.Kind, w)
	case "name":
		return holds(j.Name, w)
	case "id":
		return holds(string(j.ID), w)
	case "is":
		return matchIs(j, w)
	}
	return holds(j.Name, w) || holds(string(j.ID), w) || holds(string(j.State), w) ||
		holds(j.Kind, w) || holds(j.User, w) || holds(j.Host, w)
}

// matchIs answers for what has no column of its own.
func matchIs(j *core.Job, w string) bool {
	switch w {
	case "deaf": // runs and does not look at its token
		return !j.State.Terminal() && !j.DeafSince.IsZero()
	case "unseen": // asked to stop and has not seen it
		return j.State == core.Cancelling && j.Cancellation != nil && j.Cancellation.SeenAt.IsZero()
	case "late": // the work ended before the cancel reached it
		return j.Cancellation != nil && j.Cancellation.Late
	}
	return false
}

// holds reports whether s contains the lower-case word w, in any case.
func holds(s, w string) bool {
	if len(w) > len(s) && plain(s) {
		return false
	}
	return strings.Contains(strings.ToLower(s), w)
}
