package tui

import (
	"fmt"
	"strings"
	"time"

	"dcctop/core"
)

// drawHeader draws the first lines: whose jobs these are, whether they are
// current, and how many are in each state.
func (m *model) drawHeader(p page) []string {
	t := &m.theme
	var a painter
	a.put(t.title, " dcctop ")
	a.put(t.border, t.sep+" ")
	live, st := m.liveText()
	room := p.w - a.used - width(live) - 3
	counts := m.drawCounts(p.w - 2)
	if p.header == 1 {
		counts = m.drawCounts(0)
		room -= counts.used + 1
	}
	if room < 6 {
		room = 0
	}
	where := cut(m.clean.line(m.o.Where), max(room, 0), t.dots)
	if where != "" {
		a.put(t.strong, where+"  ")
	}
	a.put(st, live)
	if p.header == 1 {
		a.to(p.w - counts.used - 1)
		return []string{fitLine(a.String()+counts.String(), p.w)}
	}
	return []string{fitLine(a.String(), p.w), fitLine(" "+counts.String(), p.w)}
}

// liveText is the state of the link in a few words.
func (m *model) liveText() (string, style) {
	t := &m.theme
	switch {
	case m.link.State == core.LinkLive && m.seen:
		return t.live + " live", t.good
	case m.link.State == core.LinkStale && m.seen:
		return t.glyphs.stale + " stale " + clockText(m.staleFor()), t.warn
	}
	return t.glyphs.stale + " connecting", t.warn
}

// countOrder is how the header counts: what goes on first, then the ends.
func countOrder() []core.State {
	return []core.State{core.Running, core.Cancelling, core.Pending, core.Completed, core.Failed, core.Cancelled, core.Interrupted}
}

// drawCounts draws the number of jobs in each state with glyph and word; where
// w is too little, with words only for what is most asked for, or none.
func (m *model) drawCounts(w int) *painter {
	t := &m.theme
	for words := 2; ; words-- {
		p := &painter{}
		for _, s := range countOrder() {
			n := m.index.counts[s]
			if n == 0 && (s != core.Running && s != core.Pending || words == 0) {
				continue
			}
			if p.used > 0 {
				p.space(min(words, 1) + 1)
			}
			gap := " "
			if words == 0 {
				gap = ""
			}
			p.put(t.state[s], t.glyphs.state[s]+gap+fmt.Sprint(n))
			if words == 2 || words == 1 && (s == core.Running || s == core.Cancelling || s == core.Failed || s == core.Cancelled) {
				p.put(t.muted, " "+string(s))
			}
		}
		if p.used <= w || words == 0 {
			return p
		}
	}
}

// stale reports whether what is shown may be out of date.
func (m *model) stale() bool { return m.seen && m.link.State != core.LinkLive }

// staleFor is how long the link has been down.
func (m *model) staleFor() time.Duration {
	if m.link.Since.IsZero() {
		return 0
	}
	return max(core.At(m.now()).Sub(m.link.Since), 0)
}

// notConnected says since what time of day nothing can be asked.
func (m *model) notConnected() string {
	at := m.link.Since
	switch {
	case at.IsZero():
		return "not connected"
	case m.staleFor() >= 24*time.Hour:
		return "not connected since " + at.Std().In(m.now().Location()).Format("2 Jan 15:04")
	}
	return "not connected since " + at.Std().In(m.now().Location()).Format("15:04:05")
}

// retryText is when the next try is made.
func (m *model) retryText() string {
	if m.link.Retry.IsZero() {
		return ""
	}
	d := m.link.Retry.Sub(core.At(m.now()))
	if d <= 0 {
		return "trying now"
	}
	return fmt.Sprintf("next try in %d s", int((d+time.Second-1)/time.Second))
}

// drawBanner says that the list is old.
func (m *model) drawBanner(w int) string {
	var p painter
	s := " " + m.notConnected()
	if next := m.retryText(); next != "" {
		s += " " + m.theme.sep + " " + next
	}
	if m.link.Why != "" {
		s += " " + m.theme.sep + " " + m.clean.line(m.link.Why)
	}
	p.cell(m.theme.banner, s, w, m.theme.dots)
	return p.String()
}

const (
	filterPrompt = " filter: "
	findPrompt   = " find: "
)

// prompt is what stands before the line that is being typed at the foot, or "".
func (m *model) prompt() string {
	switch {
	case m.filtering:
		return filterPrompt
	case m.finding:
		return findPrompt
	}
	return ""
}

// drawFoot draws the last line: the filter while it is typed, or the keys that
// matter now.
func (m *model) drawFoot(w int) string {
	t := &m.theme
	if prompt := m.prompt(); prompt != "" {
		text, _ := m.input.draw(m.clean, w-len(prompt)-1)
		line := paint(t.title, prompt) + paint(t.strong, text)
		if say := m.filterTrouble(); m.filtering && say != "" {
			room := w - len(prompt) - width(text) - 3
			line += "  " + paint(t.bad, cut(say, max(room, 0), t.dots))
		}
		return fitLine(line, w)
	}
	var p painter
	switch {
	case m.dialog != nil:
		return fitLine(m.dialog.guarded().drawKeys(t, m.dialog, m.talker(), m.index, m.now()), w)
	case m.why != nil && m.why.none != "":
		return fitLine(" "+paint(t.muted, "Enter or Esc closes"), w)
	case m.why != nil:
		return fitLine(" "+paint(t.muted, whyKeys), w)
	}
	for _, b := range m.hints() {
		name, _, _ := strings.Cut(b.Help().Key, " ")
		what, _, _ := strings.Cut(b.Help().Desc, " (")
		if p.used+width(name)+width(what)+3 > w {
			break
		}
		p.put(t.key, " "+name)
		p.put(t.muted, " "+what+" ")
	}
	p.to(w)
	return p.String()
}
