package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"dcctop/core"
)

// toastFor is how long an answer stays on the screen.
const toastFor = 8 * time.Second

// maxToasts is how many are shown at once, and maxToastLines how many lines one
// takes.
const (
	maxToasts     = 3
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
	about core.JobID   // the one job it is about; a later one takes its place
	ids   []core.JobID // jobs that are going to stop: it goes with the last of them
}

// toasts holds the newest last.
type toasts struct{ list []toast }

// say shows one line.
func (t *toasts) say(tn tone, now time.Time, text string) {
	t.add(toast{text: text, tone: tn, until: now.Add(toastFor)})
}

func (t *toasts) add(s toast) {
	if s.about != "" {
		t.list = slices.DeleteFunc(t.list, func(old toast) bool { return old.about == s.about })
	}
	t.list = append(t.list, s)
	if n := len(t.list) - maxToasts; n > 0 {
		t.list = append([]toast(nil), t.list[n:]...)
	}
}

// accepted is what is said of a cancel that was taken.
const accepted = "accepted"

// tell shows the answers of a request in one toast: in full for one job, else
// how many got which. The rows themselves show each job's own.
func (t *toasts) tell(all []said, now time.Time) {
	if len(all) == 0 {
		return
	}
	s := toast{text: all[0].line(), until: now.Add(toastFor)}
	if len(all) > 1 {
		s.text = sumUp(all)
	} else {
		s.about = all[0].id
	}
	for _, a := range all {
		s.tone = max(s.tone, a.tone)
		if a.text == accepted {
			s.ids = append(s.ids, a.id)
		}
	}
	if len(s.ids) < len(all) {
		s.ids = nil // it says more than that
	}
	t.add(s)
}

// sumUp is how many jobs got which answer, trouble first.
func sumUp(all []said) string {
	var kinds []string
	worst := map[string]tone{}
	count := map[string]int{}
	for _, s := range all {
		k := s.brief()
		if count[k]++; count[k] == 1 {
			kinds = append(kinds, k)
		}
		worst[k] = max(worst[k], s.tone)
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return cmp.Compare(worst[b], worst[a]) })
	if len(kinds) == 1 {
		return fmt.Sprintf("%d jobs: %s", len(all), kinds[0])
	}
	for i, k := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", count[k], k)
	}
	return fmt.Sprintf("%d jobs: %s", len(all), strings.Join(kinds, ", "))
}

// stopped takes away what was said of cancels whose jobs are all over: the rows
// say it now.
func (t *toasts) stopped(x *index) {
	t.list = slices.DeleteFunc(t.list, func(s toast) bool {
		return len(s.ids) > 0 && !slices.ContainsFunc(s.ids, func(id core.JobID) bool {
			j := x.get(id)
			return j != nil && !j.State.Terminal()
		})
	})
}

// line is the answer with the job it is about.
func (s said) line() string {
	if s.id == "" {
		return s.text
	}
	return s.subject() + ": " + s.text
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
