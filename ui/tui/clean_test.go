package tui

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"dcctop/core"
)

// hostile is text that would harm a terminal, and what is drawn instead.
var hostile = []struct{ name, in, out, ascii string }{
	{"plain", "shot 010", "shot 010", "shot 010"},
	{"OSC 52", "a\x1b]52;c;aGVsbG8=\x07b", "ab", "ab"},
	{"OSC ended by ST", "a\x1b]0;title\x1b\\b", "ab", "ab"},
	{"OSC that never ends hides nothing", "a\x1b]52;c;b", "a52;c;b", "a52;c;b"},
	{"CSI 2J", "a\x1b[2Jb\x1b[31mc", "abc", "abc"},
	{"CSI that never ends", "a\x1b[12", "a12", "a12"},
	{"lone ESC", "a\x1b", "a", "a"},
	{"newline, tab, return", "a\nb\tc\rd", "a b c d", "a b c d"},
	{"NUL and DEL", "a\x00b\x7fc", "abc", "abc"},
	{"C1 as UTF-8", "a\u009b2Jb\u0085c", "ab c", "ab c"},
	{"C1 as raw bytes", "a\x9b2Jb", "a\ufffd2Jb", "a?2Jb"},
	{"DCS", "a\x1bPq#0\x1b\\b", "ab", "ab"},
	{"bidi override", "a\u202eb\u2066c\u200fd", "abcd", "abcd"},
	{"zero width", "a\u200bb\ufeffc\u2060d\u00ade", "abcde", "abcde"},
	{"tags", "a\U000E0041\U000E007Fb", "ab", "ab"},
	{"invalid UTF-8", "a\xff\xfeb\xc3", "a\ufffd\ufffdb\ufffd", "a??b?"},
	{"line separators", "a\u2028b\u2029c", "a b c", "a b c"},
	{"CJK", "渲染_鏡頭010", "渲染_鏡頭010", "????_????010"},
	{"combining", "e\u0301a", "e\u0301a", "ea"},
	{"combining with nothing below", "\u0301a", "a", "a"},
	{"a pile of marks", "a" + strings.Repeat("\u0301", 100), "a" + strings.Repeat("\u0301", 7), "a"},
	{"family", "\U0001F468\u200d\U0001F469\u200d\U0001F467", "\U0001F468\U0001F469\U0001F467", "??????"},
	{"skin tone", "\U0001F44D\U0001F3FD!", "\U0001F44D!", "??!"},
	{"flag", "\U0001F1EB\U0001F1F7", "\U0001F1EB\U0001F1F7", "??"},
	{"heart with selector", "❤\ufe0f", "❤", "?"},
	{"right to left", "שלום", "שלום", "????"},
	{"Devanagari", "भारत नमस्ते", "भ\u200bारत नमस्\u200bते", "??? ???"},
	{"Thai", "น้ำ", "น้\u200bำ", "?"},
	{"Hangul in parts", "\u1112\u1161\u11ab", "\u1112\u200b\u1161\u200b\u11ab", "??"},
	{"filler", "a\u3164b\u115fc", "abc", "abc"},
}

func TestHostileTextIsCleanedBeforeItIsDrawn(t *testing.T) {
	for _, c := range hostile {
		if got := (cleaner{}).line(c.in); got != c.out {
			t.Errorf("%s: %q became %q, want %q", c.name, c.in, got, c.out)
		}
		if got := (cleaner{ascii: true}).line(c.in); got != c.ascii {
			t.Errorf("%s in ASCII: %q became %q, want %q", c.name, c.in, got, c.ascii)
		}
	}
}

func TestASyllableKeepsItsVowelSigns(t *testing.T) {
	for _, s := range []string{"भारत", "नमस्ते", "বাংলা", "ไทยน้ำ", "தமிழ்", "e\u0301"} {
		if got := Clean(s); got != s { // for a pipe, and for a terminal that counts clusters
			t.Errorf("%q became %q", s, got)
		}
		drawn := (cleaner{}).line(s)
		if got := strings.ReplaceAll(drawn, joint, ""); got != s {
			t.Errorf("%q became %q", s, got)
		}
		if n := ansi.StringWidth(drawn); n != ansi.StringWidthWc(drawn) {
			t.Errorf("%q: %d or %d wide", drawn, n, ansi.StringWidthWc(drawn))
		}
	}
	inRig(t, []*core.Job{with(job("J1", core.Running), func(j *core.Job) { j.Name = "भारत" })}, func(r *rig) {
		r.wants("भ" + joint + "ारत")
		r.give(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
		r.wants(" भारत ")
		for l := range strings.Lines(r.screen()) {
			if n := ansi.StringWidth(strings.TrimRight(l, "\n")); n != 80 {
				t.Errorf("%q is %d wide", l, n)
			}
		}
	})
}

func TestLongTextIsCutAtACharacter(t *testing.T) {
	got := (cleaner{}).line(strings.Repeat("鏡", maxText))
	if len(got) > maxText || strings.ContainsRune(got, utf8.RuneError) {
		t.Errorf("%d bytes, broken: %v", len(got), strings.ContainsRune(got, utf8.RuneError))
	}
}

func FuzzClean(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range []cleaner{{}, {ascii: true}} {
			got := c.line(s)
			if again := c.line(got); again != got && len(got) <= maxText { // U+FFFD is longer than a byte
				t.Errorf("%q: cleaning twice gives %q, then %q", s, got, again)
			}
			for _, r := range got {
				if unicode.In(r, unicode.Cc, unicode.Cf) && string(r) != joint || c.ascii && r > 0x7e {
					t.Errorf("%q: %U is left", s, r)
				}
			}
			if ansi.StringWidth(got) != ansi.StringWidthWc(got) {
				t.Errorf("%q: %q is %d or %d wide", s, got, ansi.StringWidth(got), ansi.StringWidthWc(got))
			}
			for w := range 12 {
				if n := width(cut(got, w, "…")); n > w {
					t.Errorf("%q cut to %d is %d wide", got, w, n)
				}
			}
		}
	})
}

func TestCuttingNeverSplitsACharacter(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"shot010", 7, "shot010"}, {"shot010", 5, "shot…"}, {"鏡頭010", 4, "鏡…"}, {"鏡頭010", 3, "鏡…"}, {"鏡頭", 2, "…"},
		{"ae\u0301x", 2, "a…"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"}, {"abc", 0, ""}, {"abc", 1, "…"},
		{"\U0001F1EB\U0001F1F7\U0001F1EB\U0001F1F7", 3, "\U0001F1EB\U0001F1F7…"},
	} {
		if got := cut(c.in, c.w, "…"); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}
