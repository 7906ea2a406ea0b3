package transport

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// text reads a string, and refuses what encoding/json would replace by U+FFFD.
func (w *walker) text(path string) (string, *Error) {
	w.peek()
	start := w.at
	for w.at++; w.data[w.at] != '"'; w.at++ {
		if w.data[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
	raw := w.data[start:w.at]
	if !utf8.Valid(raw) {
		return "", invalid(codeParams, path, "text is not valid UTF-8; send UTF-8")
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", invalid(codeParams, path, "%v", err)
	}
	if strings.ContainsRune(s, utf8.RuneError) && halfPair(raw) {
		return "", invalid(codeParams, path, `half a surrogate pair; escape such a character as two \u or send it as it is`)
	}
	return s, nil
}

// halfPair reports whether a raw string has a \u escape of a surrogate without
// its other half.
func halfPair(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		switch hi := hex4(raw[i+1:]); {
		case hi >= 0xDC00 && hi <= 0xDFFF:
			return true
		case hi >= 0xD800 && hi <= 0xDBFF:
			rest := raw[i+5:]
			if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
				return true
			}
			if lo := hex4(rest[2:]); lo < 0xDC00 || lo > 0xDFFF {
				return true
			}
			i += 6
		}
		i += 4
	}
	return false
}

// hex4 returns the number that four hexadecimal digits stand for.
func hex4(b []byte) uint64 {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 32)
	return n
}
