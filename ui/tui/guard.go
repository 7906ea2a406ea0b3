package tui

import "time"

// The times of a dialog.
const (
	// guardFor is how long a dialog takes no key after it opened or after a row
	// moved under the cursor.
	guardFor = 300 * time.Millisecond
	// holdFor is how long after a press the same key may still be held: the
	// longest usual wait before a keyboard begins to repeat.
	holdFor = 700 * time.Millisecond
	// repeatGap is the longest usual time between two repeats.
	repeatGap = 150 * time.Millisecond
)

// verdict is what a key means to a dialog.
type verdict int

const (
	nothing verdict = iota
	yes
	no
	judge // ask again after repeatGap
)

// guard tells a fresh press of a key that a dialog offers from one that was
// meant for what was on the screen before, or that is only held.
type guard struct {
	opened time.Time
	opener string // the key that opened it
	moved  bool   // the list had just moved by itself
	lost   bool   // because the cursor's own job went away

	lastOpener time.Time // the last press of opener
	trial      time.Time // a press that may be a repeat, to be judged
	tried      string    // its key
	early      string    // a key offered that came too soon
}

func newGuard(opener string, now time.Time) guard {
	return guard{opened: now, opener: opener, lastOpener: now}
}

// shut reports whether the dialog takes no key yet.
func (g *guard) shut(now time.Time) bool { return now.Sub(g.opened) < guardFor }

// press says what a key means. offered is whether the dialog has a use for it,
// repeat whether the terminal calls it a repeat, and last when the same key was
// pressed before, on any screen.
func (g *guard) press(key string, offered, repeat bool, last, now time.Time) verdict {
	if key == g.opener {
		held := repeat || now.Sub(g.lastOpener) < holdFor
		g.lastOpener = now
		if held {
			return nothing
		}
	}
	if g.shut(now) {
		if offered {
			g.early = key
		}
		return nothing
	}
	if !offered {
		return no
	}
	since := now.Sub(last)
	switch {
	case repeat, !last.IsZero() && since < repeatGap:
		g.trial, g.early = time.Time{}, key
		return nothing
	case !last.IsZero() && since < holdFor+guardFor:
		g.trial, g.tried = now, key // maybe the first repeat of one held since then
		return judge
	}
	return yes
}

// judged says whether a doubtful press was a fresh one after all: nothing
// followed.
func (g *guard) judged(now time.Time) bool {
	return !g.trial.IsZero() && now.Sub(g.trial) >= repeatGap
}

// warnings is what the operator must know before the answer.
func (g *guard) warnings() []string {
	var out []string
	switch {
	case g.lost:
		out = append(out, "the job under the cursor has just gone: read the name")
	case g.moved:
		out = append(out, "the list has just moved: read the name")
	}
	if g.early != "" {
		out = append(out, "too soon: let go, then press "+g.early)
	}
	return out
}

// choice is a key that a dialog offers and what it does.
type choice struct {
	key  string
	does string
	how  string // in other words, where there is room
}

// put draws a key and what it does.
func (g *guard) put(p *painter, t *theme, c choice, now time.Time) {
	if g.shut(now) {
		p.put(t.muted, " "+t.sep+" ") // no key yet: see guardFor
	} else {
		p.put(t.key, " "+c.key+" ")
	}
	p.put(t.text, c.does)
}

// drawKeys draws the keys of a dialog for the foot of the screen.
func (g *guard) drawKeys(t *theme, d dialog, k talker, x *index, now time.Time) string {
	var p painter
	all, rest := d.choices(k, x)
	for _, c := range all {
		g.put(&p, t, c, now)
		p.space(2)
	}
	p.put(t.muted, " any other key: "+rest)
	return p.String()
}

// drawChoices draws what a dialog offers in w cells: a line each, and where
// there is room for fewer all in one. Any other key declines, as rest says.
func (g *guard) drawChoices(t *theme, all []choice, rest string, now time.Time, w, room int) []string {
	put := func(p *painter, c choice) { g.put(p, t, c, now) }
	if len(all) == 1 || room < len(all)+1 {
		var p painter
		for _, c := range all {
			put(&p, c)
			p.space(2)
		}
		p.put(t.muted, " any other key: "+rest)
		return []string{cutPainted(p.String(), w+1)}
	}
	var out []string
	for _, c := range all {
		var p painter
		put(&p, c)
		if c.how != "" && p.used+2+width(c.how) <= w+1 {
			p.put(t.muted, ": "+c.how)
		}
		out = append(out, cutPainted(p.String(), w+1))
	}
	return append(out, "   "+paint(t.muted, cut("any other key: "+rest, w-2, t.dots)))
}
