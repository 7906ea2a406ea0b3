package tui

import (
	"fmt"
	"time"

	"dcctop/core"
)

// toastFor is how long an answer stays on the screen.
const toastFor = 8 * time.Second

// maxToasts is how many are shown at once, and maxToastLines how many lines one
// takes.
const (
	maxToasts     = 5
	maxToastLines = 3
)

// said is one answer about one job, or with no id about nothing in particular.
type said struct {
	id    core.JobID
	name  string // clean
	text  string
	short string
	tone  tone
}

func (s said) brief() string {
	if s.short != "" {
		return s.short
	}
	return s.text
}

// toast is a line at the lower right that goes by itself.
type toast struct {
	text  string
	tone  tone
	until time.Time
}

// toasts holds the newest last.
type toasts struct{ list []toast }

// say shows one line.
func (t *toasts) say(tn tone, now time.Time, text string) {
	t.list = append(t.list, toast{text: text, tone: tn, until: now.Add(toastFor)})
	if n := len(t.list) - maxToasts; n > 0 {
		t.list = append([]toast(nil), t.list[n:]...)
	}
}

// tell shows the answers of a request: one line per id while they are few, and
// else one per kind of answer. The rows themselves show each id's own.
func (t *toasts) tell(all []said, now time.Time) {
	if len(all) < maxToasts {
		for _, s := range all {
			t.say(s.tone, now, s.subject()+": "+s.text)
		}
		return
	}
	var kinds []string
	first := map[string]said{}
	count := map[string]int{}
	for _, s := range all {
		k := s.brief()
		if count[k]++; count[k] == 1 {
			kinds = append(kinds, k)
			first[k] = s
		}
	}
	for _, k := range kinds {
		if count[k] == 1 {
			t.say(first[k].tone, now, first[k].subject()+": "+first[k].text)
			continue
		}
		t.say(first[k].tone, now, fmt.Sprintf("%d jobs: %s", count[k], k))
	}
}

// subject is the job an answer is about.
func (s said) subject() string {
	id := shortID(s.id, 6)
	if s.name == "" {
		return id
	}
	return id + " " + s.name
}

// expire takes away those whose time is over and reports whether any were.
func (t *toasts) expire(now time.Time) {
	kept := t.list[:0]
	for _, s := range t.list {
		if now.Before(s.until) {
			kept = append(kept, s)
		}
	}
	t.list = kept
}

// lines draws the toasts, at most w cells wide.
func (t *toasts) lines(th *theme, w int) []string {
	var out []string
	for _, s := range t.list {
		st, g := th.good, th.yes
		switch s.tone {
		case wait:
			st, g = th.warn, th.info
		case alarm:
			st, g = th.bad, th.no
		}
		text := wrapWords(s.text, w-4)
		if n := len(text) - maxToastLines; n > 0 {
			text = text[:maxToastLines]
			text[maxToastLines-1] = cut(text[maxToastLines-1], w-5, "") + th.dots
		}
		wide := 0
		for _, l := range text {
			wide = max(wide, width(l))
		}
		for _, l := range text {
			var p painter
			p.base = th.selected
			p.put(st, " "+g+" ")
			p.cell(th.text, l, wide+1, "")
			out = append(out, p.String())
			g = " "
		}
	}
	return out
}

// shortID is the end of an id in n cells: the front of a ULID is its time, and
// jobs that came together share that.
func shortID(id core.JobID, n int) string {
	s := string(id)
	if len(s) <= n {
		return s
	}
	if !plain(s) {
		s = cleaner{}.line(s)
		return cut(s, n, "")
	}
	return s[len(s)-n:]
}
