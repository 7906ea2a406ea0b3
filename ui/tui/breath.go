package tui

import (
	"time"

	"github.com/charmbracelet/x/ansi"

	"dcctop/core"
)

// An idle screen is to write less than 2 kB/s, and its ages are what goes on.
// That costs little, except where lines have wide characters: those the renderer
// writes whole, all of them, with every frame (about 400 bytes each on a screen
// of 160 columns). So the more of them there are, the more seconds the ages
// stand. What needs eyes goes on by the second all the same.
const breathBytes = 1400 // a second, for such lines

// attention is how long a cancel makes the ages of a heavy screen go on by the
// second.
const attention = 2 * time.Minute

// quietAge is the age from which on a job shows no seconds: see liveText.
const quietAge = 10 * time.Minute

// breath is the clock of the ages on the screen.
type breath struct {
	heavy int       // bytes of the lines on the screen that are always written whole
	at    time.Time // when the ages went on last; zero: they are as of now
}

// weigh takes in what is on the screen.
func (b *breath) weigh(lines []string) {
	b.heavy = 0
	for _, l := range lines {
		if hasWide(l) {
			b.heavy += len(l)
		}
	}
}

// step is how long the ages stand.
func (b *breath) step() time.Duration {
	return time.Duration(max(b.heavy/breathBytes, 1)) * time.Second
}

// pass lets time pass up to now. It reports whether the ages went on.
func (b *breath) pass(now time.Time, urgent bool) bool {
	if !urgent && b.step() > time.Second && now.Sub(b.at) < b.step() {
		return false
	}
	b.at = now
	return true
}

// hasWide reports whether a painted line has a character of two cells.
func hasWide(s string) bool {
	for _, r := range s {
		if r >= 0x1100 && (r < 0x2500 || r > 0x25ff) && ansi.StringWidth(string(r)) > 1 {
			return true
		}
	}
	return false
}

// eyes speaks by the clock of the screen: what is drawn in it stays the same
// until the ages go on.
func (m *model) eyes() talker {
	k := m.talker()
	if m.breath.step() > time.Second && !m.breath.at.IsZero() {
		k.now = core.At(m.breath.at.Add(m.offset))
	}
	return k
}

// breathe lets the ages on the screen go on: always for the operator's own
// doing, else when it is time.
func (m *model) breathe(own bool) { m.breath.pass(m.now(), own || m.urgent()) }

// urgent reports whether something on the screen is to be watched by the second.
func (m *model) urgent() bool {
	if m.dialog != nil || m.why != nil || len(m.toasts.list) > 0 || m.stale() || !m.seen {
		return true
	}
	now := core.At(m.now().Add(m.offset))
	shown := m.index.shown
	for _, r := range shown[min(m.table.top, len(shown)):min(m.table.top+m.table.height, len(shown))] {
		if c := r.job.Cancellation; c != nil && r.job.State == core.Cancelling && now.Sub(c.RequestedAt) < attention {
			return true
		}
	}
	return false
}
