package runner

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain returns s as one line of printable text of at most limit runes. Escape
// sequences, control characters and the invisible ones that turn the direction
// of writing are left out; blanks are merged.
func plain(s string, limit int) string {
	var b strings.Builder
	for _, word := range strings.Fields(printable(s)) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	if utf8.RuneCountInString(b.String()) <= limit {
		return b.String()
	}
	return string([]rune(b.String())[:limit-1]) + "…"
}

// printable leaves out what does not print, but for blanks.
func printable(s string) string {
	var b strings.Builder
	for s != "" {
		if n := escape(s); n > 0 {
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s) // an invalid byte becomes U+FFFD
		s = s[n:]
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case unicode.IsPrint(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escape returns the length of the escape sequence that s starts with, 0 where
// there is none. A sequence that does not end takes the whole rest.
func escape(s string) int {
	if s[0] != 0x1b {
		return 0
	}
	if len(s) == 1 {
		return 1
	}
	switch s[1] {
	case '[': // CSI: up to a letter or one of @[\]^_`{|}~
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_': // OSC and the like: up to BEL or ESC \
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b {
				return min(i+2, len(s))
			}
		}
		return len(s)
	}
	return 2
}
