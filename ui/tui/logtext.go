package tui

import (
	"bytes"
	"fmt"
	"strings"

	"dcctop/core"
)

// How much of one log is kept on the screen's side, and read at a time.
const (
	maxLogLines = 20000
	maxLogBytes = 8 << 20
	logPiece    = 64 << 10
)

// beyond is an offset past the end of every log: what is read there is nothing,
// and where the end is. It is a whole number in every JSON.
const beyond = 1<<53 - 1

// logLine is a line of a log, clean.
type logLine struct {
	at   int64 // offset of its first byte
	text string
}

// logText is a window on the output of one job, as clean lines. It begins at the
// tail and grows at both ends as is asked for, whatever the size of the log; what
// is too much is dropped at the other end.
type logText struct {
	id    core.JobID
	lines []logLine
	first int // number of the first line; it goes down as older ones come
	size  int // bytes of text

	located bool   // where the end is was asked for
	from    int64  // where the window begins
	next    int64  // where to read on
	part    string // the start of a line that has not ended, raw
	partAt  int64
	torn    bool  // the window begins within a line: what comes first is its rest
	resume  int64 // where to go on with an older piece that came short; 0: nowhere

	floor  bool // nothing older is kept
	caught bool // the last reading came to the end
	full   int  // pieces in a row that did not
	end    bool // nothing will follow
	err    string
	loaded bool // an answer came
}

// locate takes in the answer to a reading beyond the end: the window is to begin
// a piece before it.
func (g *logText) locate(c core.LogChunk) {
	g.located, g.loaded, g.err = true, true, ""
	g.from = max(c.Next-logPiece, 0)
	g.next, g.torn = g.from, g.from > 0
	g.floor = g.from == 0
}

// restart forgets the window. It is to begin at the tail, or at the start.
func (g *logText) restart(tail bool) {
	*g = logText{id: g.id, located: !tail}
}

// add takes in a piece at the end.
func (g *logText) add(c core.LogChunk, clean cleaner) {
	g.loaded, g.err, g.located = true, "", true
	if c.From > g.next {
		g.flush(clean)
		lost := c.From - g.next
		if len(g.lines) == 0 { // the window begins with the oldest there is
			lost, g.from, g.floor = c.From, c.From, true
		}
		g.push(notKept(c.From, lost))
		g.torn = false
	}
	g.floor = g.floor || g.next == 0
	data, at := c.Data, c.From
	if g.torn && len(data) > 0 {
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			data, at = data[i+1:], at+int64(i)+1
		}
		g.torn, g.from = false, at
	}
	g.next, g.end = c.Next, c.End
	if g.caught = len(c.Data) < logPiece; g.caught {
		g.full = 0
	} else {
		g.full++
	}
	lines, part, partAt := readLines(g.part, g.partAt, data, at, clean)
	for _, l := range lines {
		g.push(l)
	}
	g.part, g.partAt = part, partAt
	if c.End {
		g.flush(clean)
	}
	if n := g.excess(g.lines); n > 0 {
		g.drop(n)
	}
}

// older is where to read what comes before the window, a piece of it.
func (g *logText) older() int64 {
	if g.resume > 0 {
		return g.resume
	}
	return max(g.from-logPiece, 0)
}

// addOlder takes in a piece that was read at an offset before the window.
func (g *logText) addOlder(c core.LogChunk, asked int64, clean cleaner) {
	data := c.Data
	switch {
	case c.From >= g.from, len(data) == 0:
		g.floor = true
		g.prepend([]logLine{notKept(g.from, g.from)})
		return
	case c.Next < g.from: // it came short: its end is read first
		g.resume = c.Next
		return
	}
	data = data[:g.from-c.From]
	g.floor = c.From == 0 || c.From > asked
	at := c.From
	if !g.floor {
		if i := bytes.IndexByte(data, '\n'); i >= 0 && i+1 < len(data) {
			data, at = data[i+1:], at+int64(i)+1
		}
	}
	g.resume = 0
	lines, part, partAt := readLines("", at, data, at, clean)
	if part != "" {
		lines = append(lines, logLine{partAt, cleanLogLine(part, clean)})
	}
	g.from = at
	if g.floor && at > 0 {
		lines = append([]logLine{notKept(at, at)}, lines...)
	}
	g.prepend(lines)
	if n := g.excess(g.lines); n > 0 {
		g.dropNewer(n)
	}
}

func (g *logText) prepend(lines []logLine) {
	for _, l := range lines {
		g.size += len(l.text)
	}
	g.first -= len(lines)
	g.lines = append(lines, g.lines...)
}

// notKept stands for output before an offset that is no longer there.
func notKept(at, lost int64) logLine { return logLine{at, fmt.Sprintf("[%d bytes not kept]", lost)} }

// readLines cuts data into lines, the first of which begins with part. It
// returns the start of a line that has not ended. Of what a line was written
// over with carriage returns, only the last is kept.
func readLines(part string, partAt int64, data []byte, at int64, clean cleaner) ([]logLine, string, int64) {
	if part == "" {
		partAt = at
	}
	var out []logLine
	text, used := part+string(data), 0
	begin := func() int64 { // of what is left of text
		if used == 0 {
			return partAt
		}
		return at + int64(used-len(part))
	}
	for {
		i := strings.IndexByte(text[used:], '\n')
		if i < 0 {
			break
		}
		out = append(out, logLine{begin(), cleanLogLine(text[used:used+i], clean)})
		used += i + 1
	}
	rest, from := text[used:], begin()
	if i := strings.LastIndexByte(strings.TrimRight(rest, "\r"), '\r'); i >= 0 {
		rest = rest[i+1:]
	}
	if len(rest) > maxText {
		out = append(out, logLine{from, cleanLogLine(rest, clean)})
		rest, from = "", at+int64(len(data))
	}
	return out, rest, from
}

func (g *logText) push(l logLine) {
	g.lines = append(g.lines, l)
	g.size += len(l.text)
}

func (g *logText) flush(clean cleaner) {
	if g.part != "" {
		g.push(logLine{g.partAt, cleanLogLine(g.part, clean)})
		g.part = ""
	}
}

// excess is how many lines are too many.
func (g *logText) excess(lines []logLine) int {
	n := max(len(lines)-maxLogLines, 0)
	for over := g.size - maxLogBytes; over > 0 && n < len(lines); n++ {
		over -= len(lines[n].text) // near enough at either end
	}
	return n
}

// drop drops the n oldest lines.
func (g *logText) drop(n int) {
	for _, l := range g.lines[:n] {
		g.size -= len(l.text)
	}
	g.lines = append([]logLine(nil), g.lines[n:]...)
	g.first += n
	g.floor = false
	g.from = g.next
	if len(g.lines) > 0 {
		g.from = g.lines[0].at
	}
}

// dropNewer drops the n newest lines: the window no longer reaches the end.
func (g *logText) dropNewer(n int) {
	keep := len(g.lines) - n
	g.next = g.lines[keep].at
	for _, l := range g.lines[keep:] {
		g.size -= len(l.text)
	}
	g.lines = append([]logLine(nil), g.lines[:keep]...)
	g.part, g.caught, g.end = "", false, false
}

// last is the number after that of the newest line, the unfinished one included.
func (g *logText) last() int {
	n := g.first + len(g.lines)
	if g.part != "" {
		n++
	}
	return n
}

// line is the text of a line by its number.
func (g *logText) line(n int, clean cleaner) string {
	switch i := n - g.first; {
	case i < 0:
		return ""
	case i < len(g.lines):
		return g.lines[i].text
	}
	return cleanLogLine(g.part, clean)
}

// tail is the newest n lines.
func (g *logText) tail(n int, clean cleaner) []string {
	var out []string
	for i := max(g.last()-n, g.first); i < g.last(); i++ {
		out = append(out, g.line(i, clean))
	}
	return out
}

// emptyText says why there is nothing to see.
func (g *logText) emptyText() string {
	switch {
	case g.err != "":
		return "log: " + g.err
	case !g.loaded || !g.caught && !g.end:
		return "reading the log"
	case g.end:
		return "it printed nothing"
	}
	return "nothing printed so far"
}

// cleanLogLine is what a line looks like once it is printed: of a line that a
// program wrote over with carriage returns, the last writing.
func cleanLogLine(s string, clean cleaner) string {
	s = strings.TrimRight(s, "\r")
	if i := strings.LastIndexByte(s, '\r'); i >= 0 {
		s = s[i+1:]
	}
	return clean.line(expandTabs(s))
}

func expandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	return strings.ReplaceAll(s, "\t", "    ")
}

// wrapLine cuts a clean line into pieces of at most w cells.
func wrapLine(s string, w int) []string {
	if w <= 0 || width(s) <= w {
		return []string{s}
	}
	var out []string
	for s != "" {
		piece := cut(s, w, "")
		if piece == "" { // one character is wider than the screen
			break
		}
		out = append(out, piece)
		s = s[len(piece):]
	}
	return out
}
