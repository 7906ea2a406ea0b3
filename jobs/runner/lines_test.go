package runner

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLinesEndInNewlineOrReturnHoweverTheyArrive(t *testing.T) {
	const text = "one\ntwo\r\nthree\rfour\n\n\rfive"
	want := []string{"one", "two", "three", "four", "five"}
	for size := 1; size <= len(text); size++ {
		var s splitter
		var got []string
		line := func(b []byte) { got = append(got, string(b)) }
		for part := range slices.Chunk([]byte(text), size) {
			s.feed(part, line)
		}
		s.flush(line)
		if !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: %q", size, got)
		}
	}
}

func TestALineOfTenMegabytesTakesNoMemory(t *testing.T) {
	var s splitter
	var got []int
	line := func(b []byte) { got = append(got, len(b)) }
	piece := []byte(strings.Repeat("x", 32<<10))
	for range 320 {
		s.feed(piece, line)
	}
	s.feed([]byte("\nshort\n"), line)
	if !slices.Equal(got, []int{maxLine, 5}) {
		t.Errorf("lines of %v bytes, want %d and 5", got, maxLine)
	}
	if cap(s.buf) > 2*maxLine {
		t.Errorf("the line takes %d bytes", cap(s.buf))
	}
}

func TestTheLastLineIsFitForASentence(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Error: no camera", "Error: no camera"},
		{"\x1b[1;31mError:\x1b[0m  no\tcamera ", "Error: no camera"},
		{"\x1b]52;c;ZXZpbA==\x07safe\x1b]0;title\x1b\\ too", "safe too"},
		{"a\x00b\x7f\u202ec\u200bd", "abcd"},
		{"渲染 \xff失敗", "渲染 �失敗"},
		{"\x1b", ""},
		{"\x1b[", ""},
		{"\x1b]never ends", ""},
		{"\x1bcgone", "gone"},
		{strings.Repeat("é", 201), strings.Repeat("é", 199) + "…"},
		{strings.Repeat("é", 200), strings.Repeat("é", 200)},
	} {
		if got := plain(c.in, 200); got != c.want {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[1;31mError:\x1b[0m no \x1b]52;c;x\x07camera\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := plain(s, 50)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 50 {
			t.Errorf("%q: not 50 runes of text", got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Errorf("%q holds %U", got, r)
			}
		}
	})
}
