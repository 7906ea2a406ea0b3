package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// maxInput is how many characters an input line takes.
const maxInput = 500

// input is a line of text being typed, as grapheme clusters, so that no key
// stops inside a character. It keeps what was typed; only drawing cleans it.
//
// It is not textinput of bubbles, which holds code points: there the left key and
// backspace stop inside an accented letter, an emoji of several parts or a flag,
// and the cursor stands at the number of code points before it, which is the
// wrong cell behind every wide character. It draws its text as it is, so bidi
// overrides and tags of a paste would reach the terminal, while this one is
// drawn by way of cleaner; and it brings a package that looks for clipboard
// programs when it is loaded and runs one for Ctrl+V.
type input struct {
	chars []string
	at    int // the cursor stands before this one
}

func newInput(s string) input {
	var in input
	in.insert(s)
	return in
}

func (in *input) value() string { return strings.Join(in.chars, "") }

// insert puts text in at the cursor. Line breaks become spaces; other control
// characters and what is not UTF-8 are not taken.
func (in *input) insert(s string) {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t':
			return ' '
		case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xfffd:
			return -1
		}
		return r
	}, s)
	before := strings.Join(in.chars[:in.at], "") + s
	all := split(before + strings.Join(in.chars[in.at:], ""))
	in.chars = all[:min(len(all), maxInput)]
	in.at = min(len(split(before)), len(in.chars))
}

func split(s string) []string {
	var out []string
	for s != "" {
		g, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if g == "" {
			break
		}
		out = append(out, g)
		s = s[len(g):]
	}
	return out
}

// press does what an editing key means.
func (in *input) press(msg tea.KeyPressMsg) {
	switch msg.String() {
	case "left", "ctrl+b":
		in.at = max(in.at-1, 0)
	case "right", "ctrl+f":
		in.at = min(in.at+1, len(in.chars))
	case "home", "ctrl+a":
		in.at = 0
	case "end", "ctrl+e":
		in.at = len(in.chars)
	case "backspace", "ctrl+h":
		if in.at > 0 {
			in.remove(in.at-1, in.at)
		}
	case "delete", "ctrl+d":
		if in.at < len(in.chars) {
			in.remove(in.at, in.at+1)
		}
	case "ctrl+u":
		in.remove(0, in.at)
	case "ctrl+k":
		in.remove(in.at, len(in.chars))
	case "ctrl+w", "alt+backspace":
		from := in.at
		for from > 0 && in.chars[from-1] == " " {
			from--
		}
		for from > 0 && in.chars[from-1] != " " {
			from--
		}
		in.remove(from, in.at)
	default:
		in.insert(msg.Text)
	}
}

func (in *input) remove(from, to int) {
	in.chars = append(in.chars[:from:from], in.chars[to:]...)
	in.at = from
}

// draw returns the part of the line around the cursor that fits in w cells, and
// the cell of the cursor in it.
func (in *input) draw(clean cleaner, w int) (text string, cursor int) {
	shown := make([]string, len(in.chars))
	for i, c := range in.chars {
		shown[i] = clean.line(c)
	}
	from := in.at
	used := 0
	for from > 0 && used+width(shown[from-1]) < w {
		from--
		used += width(shown[from])
	}
	return cut(strings.Join(shown[from:], ""), w, ""), used
}
