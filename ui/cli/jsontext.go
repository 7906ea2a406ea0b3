package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonWriter writes JSON in which no character is left that a terminal would
// act on, or that some readers take for the end of a line: DEL, the eight-bit
// controls, bidi and invisible characters become \u escapes. Outside of
// strings JSON has none of them, so the document stays the same.
type jsonWriter struct{ to io.Writer }

func (w jsonWriter) Write(p []byte) (int, error) {
	var b bytes.Buffer
	b.Grow(len(p))
	for rest := p; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			if hi, lo := utf16.EncodeRune(r); hi != unicode.ReplacementChar {
				fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		} else {
			b.Write(rest[:n])
		}
		rest = rest[n:]
	}
	if _, err := w.to.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// encoder writes one value after the other, each whole and ended by a newline.
func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(jsonWriter{w})
	enc.SetEscapeHTML(false)
	return enc
}
