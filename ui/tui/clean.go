package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxText is how many bytes of a string from outside are ever looked at for one
// line of the screen.
const maxText = 4096

// maxCluster is how many code points one character may pile up.
const maxCluster = 8

// cleaner is the one place where text from outside becomes text for a terminal.
// What it returns is one line of printable characters whose width is the same
// whether a terminal counts clusters or code points; whole leaves that to one
// that is known to count clusters.
type cleaner struct {
	ascii bool // the terminal shows ASCII only
	whole bool // the terminal counts clusters: letters keep their marks, whatever their code points add up to
}

// line cleans s. Escape sequences go as a whole, other controls, bidi controls
// and invisible characters one by one; line breaks and tabs become spaces, and
// bytes that are not UTF-8 the replacement character.
func (c cleaner) line(s string) string {
	if len(s) > maxText {
		cut := maxText
		for cut > maxText-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut]
	}
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	wide := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0x1b, r >= 0x80 && r < 0xa0 && r != 0x85:
			i += escape(s[i:], n, r)
			continue
		case r == '\n', r == '\r', r == '\t', r == 0x85, r == 0x2028, r == 0x2029:
			b.WriteByte(' ')
		case invisible(r):
		default:
			b.WriteRune(r) // an invalid byte decodes to U+FFFD
			wide = wide || r > 0x7e
		}
		i += n
	}
	if !wide {
		return b.String()
	}
	return c.clusters(b.String())
}

// plain reports whether s is printable ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// invisible reports whether r draws nothing of its own: controls, format
// characters (bidi, zero-width, tags), variation selectors and fillers.
func invisible(r rune) bool {
	switch {
	case r < 0x20, r == 0x7f:
		return true
	case r < 0x7f:
		return false
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector):
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x17b4, r == 0x17b5:
		return true
	}
	return false
}

// escape returns the length of the escape sequence that s begins with, its
// introducer r being n bytes long. One that never ends is only its introducer,
// so that it cannot hide the text behind it.
func escape(s string, n int, r rune) int {
	i, kind := n, byte(0)
	switch {
	case r == 0x1b && len(s) > n:
		kind = s[n]
		i = n + 1
	case r > 0x1b:
		kind = byte(r - 0x40) // an eight-bit control is ESC and this
	}
	switch kind {
	case '[':
		for j := i; j < len(s); j++ {
			switch {
			case s[j] >= 0x40 && s[j] <= 0x7e:
				return j + 1
			case s[j] < 0x20 || s[j] > 0x7e:
				return i
			}
		}
		return i
	case ']', 'P', 'X', '^', '_':
		end := len(s)
		for _, stop := range []string{"\x07", "\x1b\\", "\u009c"} {
			if j := strings.Index(s[i:], stop); j >= 0 {
				end = min(end, i+j+len(stop))
			}
		}
		if end < len(s) || strings.HasSuffix(s, "\x07") || strings.HasSuffix(s, "\x1b\\") || strings.HasSuffix(s, "\u009c") {
			return end
		}
		return i
	}
	return n
}

// clusters makes every character of s one that all terminals draw with the same
// width, and in ASCII mode one that is ASCII.
func (c cleaner) clusters(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		g, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if g == "" {
			break
		}
		s = s[len(g):]
		if len(g) > 1 {
			g = bounded(g)
			if !(c.whole || c.ascii) || !letters(g) {
				g, w = sameWidth(g, w)
			}
		}
		switch {
		case w == 0: // a mark with nothing to sit on
		case c.ascii && len(g) > 1 && g[0] < 0x80:
			b.WriteByte(g[0]) // the letter without its accents
		case c.ascii && g[0] >= 0x80:
			b.WriteString(strings.Repeat("?", w))
		default:
			b.WriteString(g)
		}
	}
	return b.String()
}

// bounded cuts what a character piles up.
func bounded(g string) string {
	if n := 0; len(g) > maxCluster {
		for i := range g {
			if n++; n > maxCluster {
				return g[:i]
			}
		}
	}
	return g
}

// sameWidth changes a cluster until terminals that count clusters and those that
// add up code points agree on its width.
func sameWidth(g string, w int) (string, int) {
	if ansi.StringWidthWc(g) == w {
		return g, w
	}
	if letters(g) {
		return spread(g)
	}
	_, n := utf8.DecodeRuneInString(g)
	first := g[:n]
	if w = ansi.StringWidth(first); w > 0 && ansi.StringWidthWc(first) == w {
		return first, w
	}
	return "\ufffd", 1
}

// letters reports whether a cluster is letters and marks alone: a syllable of
// Devanagari, Bengali or Thai, or a letter with its accents.
func letters(g string) bool {
	for _, r := range g {
		if !unicode.In(r, unicode.L, unicode.M) {
			return false
		}
	}
	return true
}

// joint stands between the parts of a syllable whose width terminals do not
// agree on. It draws nothing and ends a cluster, so that those that count
// clusters see as many as the others; leaving parts out would change the word.
const joint = "\u200b"

// spread puts a joint before every part of a syllable that takes a cell.
func spread(g string) (string, int) {
	var b strings.Builder
	for _, r := range g {
		if b.Len() > 0 && ansi.StringWidthWc(string(r)) > 0 {
			b.WriteString(joint)
		}
		b.WriteRune(r)
	}
	if s := b.String(); ansi.StringWidth(s) == ansi.StringWidthWc(s) {
		return s, ansi.StringWidth(s)
	}
	return "\ufffd", 1
}

// width returns how many cells clean text takes.
func width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// cut returns the longest start of clean text that fits in w cells, ending in
// tail where something was left out. It never splits a cluster.
func cut(s string, w int, tail string) string {
	if w <= 0 {
		return ""
	}
	if width(s) <= w {
		return s
	}
	room := w - width(tail)
	if room < 0 {
		room, tail = w, ""
	}
	used, at := 0, 0
	for at < len(s) {
		g, gw := ansi.FirstGraphemeCluster(s[at:], ansi.GraphemeWidth)
		if g == "" || used+gw > room {
			break
		}
		used += gw
		at += len(g)
	}
	return s[:at] + tail
}

// Clean returns s as one line that is safe to print on any terminal, and is the
// same for every part of the program that prints: no escape sequence, control,
// bidi or invisible character is left, line breaks and tabs are spaces. It
// looks at the first 4096 bytes.
func Clean(s string) string { return cleaner{whole: true}.line(s) }
