package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"dcctop/core"
)

// style is the parameters of one SGR sequence, made once.
type style string

// theme is every style and glyph of the screen.
type theme struct {
	text, strong, muted, border, title, key     style
	good, warn, bad, track, stale, banner, mark style
	found                                       style // what was looked for, in the log
	selected                                    style // under the others on the cursor's row
	reverse                                     bool  // selected reverses instead
	state                                       map[core.State]style
	glyphs
}

// glyphs is every character that is not plain text.
type glyphs struct {
	state                                            map[core.State]string
	live, stale, cursor, mark                        string
	up, down, dots, sep                              string
	fill, half, track                                string
	h, v, topLeft, topRight, bottomLeft, bottomRight string
	branch, lastBranch                               string
	yes, info, no                                    string
}

// palette is colours as SGR foreground parameters.
type palette struct {
	text, muted, border, title                                                           string
	pending, running, cancelling, completed, failed, cancelled, interrupted, track, mark string
	selected                                                                             string // background
}

func darkPalette() palette {
	return palette{
		text: rgb(0xc8d3f5), muted: rgb(0x828bb8), border: rgb(0x444a73), title: rgb(0x86e1fc),
		pending: rgb(0x828bb8), running: rgb(0x82aaff), cancelling: rgb(0xffc777), completed: rgb(0xa8d977),
		failed: rgb(0xff757f), cancelled: rgb(0xc099ff), interrupted: rgb(0xff966c),
		track: rgb(0x3b4261), mark: rgb(0xffc777), selected: back(0x2f3657),
	}
}

func lightPalette() palette {
	return palette{
		text: rgb(0x2b3045), muted: rgb(0x6a7290), border: rgb(0xb4bacf), title: rgb(0x00688f),
		pending: rgb(0x6a7290), running: rgb(0x1f5fc4), cancelling: rgb(0x9a5b00), completed: rgb(0x3d7a12),
		failed: rgb(0xc4233b), cancelled: rgb(0x7a3fc0), interrupted: rgb(0xb1500a),
		track: rgb(0xcfd4e4), mark: rgb(0x9a5b00), selected: back(0xdde3f5),
	}
}

// plainPalette is for terminals of 16 colours: names, not shades, so that they
// follow the operator's own scheme, light or dark.
func plainPalette() palette {
	return palette{
		text: "", muted: "", border: "", title: "36",
		pending: "", running: "34", cancelling: "33", completed: "32",
		failed: "31", cancelled: "35", interrupted: "31;1", track: "", mark: "33", selected: "7",
	}
}

func rgb(c int) string  { return fmt.Sprintf("38;2;%d;%d;%d", c>>16, c>>8&0xff, c&0xff) }
func back(c int) string { return fmt.Sprintf("48;2;%d;%d;%d", c>>16, c>>8&0xff, c&0xff) }

// newTheme makes the styles for a terminal. Below 16 colours only bold and
// reverse remain: states differ by word and glyph, and the cursor by a marker.
func newTheme(dark, ascii bool, profile colorprofile.Profile) theme {
	p := lightPalette()
	switch {
	case profile <= colorprofile.ANSI:
		p = plainPalette()
	case dark:
		p = darkPalette()
	}
	if profile < colorprofile.ANSI {
		p = palette{selected: "7"}
	}
	t := theme{
		text: style(p.text), strong: join("1", p.text), muted: style(p.muted), border: style(p.border),
		title: join("1", p.title), key: join("1", p.title),
		good: style(p.completed), warn: style(p.cancelling), bad: style(p.failed),
		track: style(p.track), stale: join("2", p.muted), banner: join("1;7", p.cancelling), mark: join("1", p.mark),
		found: join("1;7", p.mark), selected: style(p.selected), reverse: p.selected == "7",
		state: map[core.State]style{
			core.Pending: style(p.pending), core.Running: style(p.running), core.Cancelling: join("1", p.cancelling),
			core.Completed: style(p.completed), core.Failed: join("1", p.failed),
			core.Cancelled: style(p.cancelled), core.Interrupted: style(p.interrupted),
		},
		glyphs: unicodeGlyphs(),
	}
	if ascii {
		t.glyphs = asciiGlyphs()
	}
	return t
}

func join(parts ...string) style {
	var s []string
	for _, p := range parts {
		if p != "" {
			s = append(s, p)
		}
	}
	return style(strings.Join(s, ";"))
}

func unicodeGlyphs() glyphs {
	return glyphs{
		state: map[core.State]string{
			core.Pending: "○", core.Running: "▸", core.Cancelling: "◐", core.Completed: "✓",
			core.Failed: "✗", core.Cancelled: "⊘", core.Interrupted: "↯",
		},
		live: "●", stale: "◌", cursor: "❯", mark: "◆", up: "▲", down: "▼", dots: "…", sep: "·",
		fill: "━", half: "╸", track: "─",
		h: "─", v: "│", topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯",
		branch: "├ ", lastBranch: "└ ", yes: "✓", info: "›", no: "✗",
	}
}

func asciiGlyphs() glyphs {
	return glyphs{
		state: map[core.State]string{
			core.Pending: ".", core.Running: ">", core.Cancelling: "~", core.Completed: "+",
			core.Failed: "!", core.Cancelled: "x", core.Interrupted: "?",
		},
		live: "*", stale: "?", cursor: ">", mark: "*", up: "^", down: "v", dots: "~", sep: "-",
		fill: "#", half: "=", track: ".",
		h: "-", v: "|", topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+",
		branch: "|-", lastBranch: "`-", yes: "+", info: ">", no: "!",
	}
}
