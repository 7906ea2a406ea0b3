package tuitest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Keyboard flags of the kitty protocol.
const (
	flagDisambiguate = 1
	flagEventTypes   = 2
)

// Type types text, one key per character: a character that is more than one
// code point is best given to [Term.Paste].
func (x *Term) Type(text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range text {
		x.send(string(r))
	}
}

// Send gives the program bytes as they are, in one piece.
func (x *Term) Send(s string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.send(s)
}

// Paste pastes text: bracketed where the program asked for that, and in one
// piece.
func (x *Term) Paste(text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.modes[ansi.ModeBracketedPaste] {
		text = ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd
	}
	x.send(text)
}

// Key presses keys by name, one after the other: "enter", "esc", "tab",
// "space", "backspace", "up", "pgdown", "f9", "ctrl+c", "alt+x", "shift+tab",
// "ctrl+left", or any single character. An unknown name fails the test.
func (x *Term) Key(names ...string) {
	x.t.Helper()
	for _, name := range names {
		if err := x.press(name, eventPress); err != nil {
			x.t.Fatalf("%v", err)
		}
	}
}

// Hold holds a key down: one press, n repeats, and the release where the
// program asked for it. A terminal without event types says the same bytes
// n+1 times.
func (x *Term) Hold(name string, n int) {
	x.t.Helper()
	events := []event{eventPress}
	for range n {
		events = append(events, eventRepeat)
	}
	for _, e := range append(events, eventRelease) {
		if err := x.press(name, e); err != nil {
			x.t.Fatalf("%v", err)
		}
	}
}

type event int

const (
	eventPress event = 1 + iota
	eventRepeat
	eventRelease
)

func (x *Term) press(name string, e event) error {
	k, err := parseKey(name)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.send(k.bytes(x.keyFlags(), x.modes[ansi.ModeCursorKeys], e))
	return nil
}

// key is one key with its modifiers.
type key struct {
	code  rune   // of the kitty protocol, for what is typed as a character
	plain string // without modifiers
	final byte   // of a CSI sequence, for cursor and function keys
	num   int    // its parameter
	mods  int    // shift 1, alt 2, ctrl 4
}

func parseKey(name string) (key, error) {
	rest, mods := name, 0
	for {
		mod, after, ok := strings.Cut(rest, "+")
		bit := map[string]int{"shift": 1, "alt": 2, "ctrl": 4}[mod]
		if !ok || after == "" || bit == 0 {
			break
		}
		mods |= bit
		rest = after
	}
	k, ok := namedKeys()[rest]
	if !ok {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError || size != len(rest) {
			return key{}, fmt.Errorf("no key is named %q", name)
		}
		k = key{code: r, plain: rest}
	}
	k.mods = mods
	return k, nil
}

func namedKeys() map[string]key {
	m := map[string]key{
		"enter":     {code: '\r', plain: "\r"},
		"tab":       {code: '\t', plain: "\t"},
		"backspace": {code: 0x7f, plain: "\x7f"},
		"esc":       {code: 0x1b, plain: "\x1b"},
		"space":     {code: ' ', plain: " "},

		"up": {final: 'A', num: 1}, "down": {final: 'B', num: 1},
		"right": {final: 'C', num: 1}, "left": {final: 'D', num: 1},
		"home": {final: 'H', num: 1}, "end": {final: 'F', num: 1},
		"insert": {final: '~', num: 2}, "delete": {final: '~', num: 3},
		"pgup": {final: '~', num: 5}, "pgdown": {final: '~', num: 6},
	}
	for i, f := range []byte("PQRS") {
		m[fmt.Sprintf("f%d", i+1)] = key{final: f, num: 1}
	}
	for i, n := range []int{15, 17, 18, 19, 20, 21, 23, 24} {
		m[fmt.Sprintf("f%d", i+5)] = key{final: '~', num: n}
	}
	return m
}

// bytes is what a terminal sends for the key. flags is what the program asked
// of the keyboard protocol, app whether cursor keys are in application mode.
func (k key) bytes(flags int, app bool, e event) string {
	typed := flags&flagEventTypes != 0
	if e == eventRelease && !typed {
		return ""
	}
	if !typed {
		e = eventPress
	}
	if k.final != 0 {
		return k.function(app, e)
	}
	// Enter, Tab and Backspace stay as they are, so that a shell can still be
	// used after a program that crashed.
	old := k.code == '\r' || k.code == '\t' || k.code == 0x7f
	if old && k.mods == 0 {
		if e == eventRelease {
			return ""
		}
		return k.plain
	}
	special := k.code == 0x1b || k.mods&^1 != 0 || (old && k.mods != 0) || e != eventPress
	if flags&(flagDisambiguate|flagEventTypes) != 0 && special {
		return kitty(k.code, k.mods, e)
	}
	return k.legacy()
}

func kitty(code rune, mods int, e event) string {
	switch {
	case e != eventPress:
		return fmt.Sprintf("\x1b[%d;%d:%du", code, mods+1, e)
	case mods != 0:
		return fmt.Sprintf("\x1b[%d;%du", code, mods+1)
	}
	return fmt.Sprintf("\x1b[%du", code)
}

func (k key) function(app bool, e event) string {
	switch {
	case e != eventPress:
		return fmt.Sprintf("\x1b[%d;%d:%d%c", k.num, k.mods+1, e, k.final)
	case k.mods != 0:
		return fmt.Sprintf("\x1b[%d;%d%c", k.num, k.mods+1, k.final)
	case k.final == '~':
		return fmt.Sprintf("\x1b[%d~", k.num)
	case strings.IndexByte("PQRS", k.final) >= 0, app:
		return "\x1bO" + string(k.final)
	}
	return "\x1b[" + string(k.final)
}

func (k key) legacy() string {
	s := k.plain
	switch {
	case k.mods&4 != 0 && k.code >= '@' && k.code <= '~':
		s = string(k.code & 0x1f)
	case k.mods&4 != 0 && k.code == ' ':
		s = "\x00"
	case k.mods&1 != 0 && k.code == '\t':
		s = "\x1b[Z"
	case k.mods&1 != 0:
		s = strings.ToUpper(s)
	}
	if k.mods&2 != 0 {
		s = "\x1b" + s
	}
	return s
}
