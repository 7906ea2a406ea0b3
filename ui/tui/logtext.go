package tui

import (
	"fmt"
	"strings"
	"time"

	"dcctop/core"
)

// maxLogLines is how much of one log is kept on the screen's side.
const maxLogLines = 20000

// The pace of reading a log: at most four times a second, less for a job that
// prints nothing.
const (
	logPace = 250 * time.Millisecond
	logIdle = time.Second
)

// logText is the output of one job as clean lines.
type logText struct {
	id     core.JobID
	next   int64 // where to read on
	lines  []string
	cut    int    // lines dropped at the front
	part   string // the start of a line that has not ended, raw
	end    bool   // nothing will follow
	err    string // clean
	loaded bool   // an answer came
}

// add takes in a piece of the log.
func (g *logText) add(c core.LogChunk, clean cleaner) {
	g.loaded, g.err = true, ""
	if c.From > g.next && g.next > 0 || g.next == 0 && c.From > 0 {
		g.flush(clean)
		g.lines = append(g.lines, fmt.Sprintf("[%d bytes not kept]", c.From-g.next))
	}
	g.next, g.end = c.Next, c.End
	text := g.part + string(c.Data)
	g.part = ""
	for {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			break
		}
		g.lines = append(g.lines, logLine(text[:i], clean))
		text = text[i+1:]
	}
	if len(text) > maxText {
		g.lines = append(g.lines, logLine(text, clean))
		text = ""
	}
	g.part = text
	if c.End {
		g.flush(clean)
	}
	if n := len(g.lines) - maxLogLines; n > 0 {
		g.lines = append([]string(nil), g.lines[n:]...)
		g.cut += n
	}
}

func (g *logText) flush(clean cleaner) {
	if g.part != "" {
		g.lines = append(g.lines, logLine(g.part, clean))
		g.part = ""
	}
}

// all is every line, the unfinished last one included.
func (g *logText) all(clean cleaner) []string {
	if g.part == "" {
		return g.lines
	}
	return append(g.lines[:len(g.lines):len(g.lines)], logLine(g.part, clean))
}

// logLine is what a line looks like once it is printed: of a line that a
// program wrote over with carriage returns, the last writing.
func logLine(s string, clean cleaner) string {
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
