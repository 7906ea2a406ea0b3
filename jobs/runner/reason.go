package runner

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of what a command prints is kept, to say in the end why it failed.
const (
	recentLines = 50
	recentBytes = 1024 // of each line
)

// recent is the last lines of a stream that hold something. The zero recent is
// ready.
type recent struct {
	lines [recentLines][]byte
	next  int // where the next goes: over the oldest
}

func (r *recent) add(line []byte) {
	r.lines[r.next] = append(r.lines[r.next][:0], line[:min(len(line), recentBytes)]...)
	r.next = (r.next + 1) % recentLines
}

// reason returns which of the lines says best why the command failed, fit to be
// put into a sentence, and how well.
func (r *recent) reason() (string, says) {
	lines := make([]string, 0, recentLines)
	for i := range recentLines {
		if b := r.lines[(r.next+i)%recentLines]; len(b) > 0 {
			lines = append(lines, printable(string(b)))
		}
	}
	line, how := reasonIn(lines)
	return plain(line, 200), how
}

// says is how well a line says why a command failed.
type says int

const (
	saysNothing says = iota
	saysGoodbye      // what a program prints last whatever happened
	saysSomething
	saysThat // something failed, but not why
	saysWhy
)

const traceback = "Traceback (most recent call last)"

// reasonIn returns the last of those lines that say best why a program failed. It
// is pure.
func reasonIn(lines []string) (best string, how says) {
	traced := false // in a traceback of Python, which ends with the exception
	for _, line := range lines {
		s := saysSomething
		indented := strings.TrimLeftFunc(line, unicode.IsSpace) != line
		switch {
		case strings.Contains(line, traceback):
			traced = true
		case traced && indented: // where it was, and that line of the source
		case traced:
			traced, s = false, saysWhy
		default:
			s = sayOf(line)
		}
		if s >= how {
			best, how = line, s
		}
	}
	return best, how
}

// sayOf judges one line. Most programs say last why they failed, but not all:
// Blender says goodbye, and after an error in a script that there was one.
func sayOf(line string) says {
	line = strings.TrimSpace(line)
	switch {
	case line == "Blender quit":
		return saysGoodbye
	case strings.HasPrefix(line, "Error: script failed, "):
		return saysThat
	}
	line = strings.ToLower(line)
	for _, word := range []string{"error", "errors", "exception", "exceptions", "fatal", "cannot", "no such file", "command not found"} {
		if before, after, ok := cutWord(line, word); ok && !saysNone(before, after) {
			return saysWhy
		}
	}
	return saysSomething
}

// cutWord is [strings.Cut] for a word, which may also be the end of a longer one,
// as in ValueError.
func cutWord(line, word string) (before, after string, ok bool) {
	for {
		head, tail, found := strings.Cut(line, word)
		before += head
		if !found {
			return "", "", false
		}
		next, _ := utf8.DecodeRuneInString(tail) // of "" that is no letter
		if next != '_' && !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			return before, tail, true
		}
		before += word
		line = tail
	}
}

// saysNone reports whether "0 errors", "no error", "errors: 0" and the like is
// what stands around a word.
func saysNone(before, after string) bool {
	fields := strings.Fields(before)
	if len(fields) > 0 {
		switch fields[len(fields)-1] {
		case "0", "no", "without":
			return true
		}
	}
	after = strings.TrimLeft(after, " :=")
	return after == "0" || strings.HasPrefix(after, "0 ") || strings.HasPrefix(after, "0,")
}
