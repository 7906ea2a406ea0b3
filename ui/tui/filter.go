package tui

import (
	"slices"
	"strings"
	"unicode"

	"dcctop/core"
)

// filter decides which jobs are shown. The zero filter shows all. Every term
// must match.
type filter struct {
	text  string // as typed
	terms []clause
}

// clause is one word of a filter. Without a field it may match id, name, state,
// kind, user or host, and with an = in it a label.
type clause struct {
	field string
	words []string // lower case; any of them
}

// filterHelp is the filter in one line of the help.
const filterHelp = "/: words state: user: host: kind: name: id: label:k=v is:deaf,unseen,late"

// filterFields are the names that may stand before a colon.
func filterFields() []string {
	return []string{"state", "user", "host", "kind", "name", "id", "label", "is"}
}

// filterTraits are what may stand behind is: and has no column of its own.
func filterTraits() []string { return []string{"deaf", "unseen", "late"} }

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

// trouble says what of the filter cannot be meant, or "". The beginning of a
// known word is none: it may still be being typed.
func (f filter) trouble() string {
	for _, t := range f.terms {
		for _, w := range t.words {
			switch field, rest, colon := strings.Cut(w, ":"); {
			case t.field == "state" && !begins(w, core.States()):
				return "no state is called " + w
			case t.field == "is" && !begins(w, filterTraits()):
				return "is: takes " + strings.Join(filterTraits(), ", ") + ", not " + w
			case t.field == "" && colon && looksLikeField(field, rest):
				return field + ": is no field, taken as text"
			}
		}
	}
	return ""
}

// begins reports whether w is the beginning of one of all.
func begins[S ~string](w string, all []S) bool {
	return slices.ContainsFunc(all, func(s S) bool { return strings.HasPrefix(string(s), w) })
}

// looksLikeField tells bla:x from a path, an address or a time of day.
func looksLikeField(name, rest string) bool {
	if len(name) < 2 || strings.HasPrefix(rest, "/") {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
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
	case "label":
		return matchLabel(j, w)
	case "is":
		return matchIs(j, w)
	}
	return holds(j.Name, w) || holds(string(j.ID), w) || holds(string(j.State), w) ||
		holds(j.Kind, w) || holds(j.User, w) || holds(j.Host, w) || strings.Contains(w, "=") && matchLabel(j, w)
}

// matchLabel answers for name=value, the value from its beginning, or for the
// name of a label alone.
func matchLabel(j *core.Job, w string) bool {
	name, value, both := strings.Cut(w, "=")
	for k, v := range j.Labels {
		k, v = strings.ToLower(k), strings.ToLower(v)
		if both && k == name && strings.HasPrefix(v, value) || !both && strings.HasPrefix(k, name) {
			return true
		}
	}
	return false
}

// matchIs answers for what has no column of its own.
func matchIs(j *core.Job, w string) bool {
	c := j.Cancellation
	for _, trait := range filterTraits() {
		if !strings.HasPrefix(trait, w) {
			continue
		}
		switch trait {
		case "deaf": // runs and does not look at its token
			return !j.State.Terminal() && !j.DeafSince.IsZero()
		case "unseen": // asked to stop and has not seen it
			return j.State == core.Cancelling && c != nil && c.SeenAt.IsZero()
		case "late": // the work ended before the cancel reached it
			return c != nil && c.Late
		}
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
