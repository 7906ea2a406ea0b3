package tuitest

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// register teaches the emulator what it does not know by itself: the
// clipboard, synchronised output, the question about grapheme clusters, and
// the keyboard protocol that tells Esc from the beginning of a sequence.
func (x *Term) register() {
	x.em.SetCallbacks(vt.Callbacks{
		Title:       func(s string) { x.title = s },
		Bell:        func() { x.bells++ },
		EnableMode:  func(m ansi.Mode) { x.mode(m, true) },
		DisableMode: func(m ansi.Mode) { x.mode(m, false) },
	})
	x.em.RegisterOscHandler(52, x.osc52)
	x.em.RegisterCsiHandler('r', x.clampMargins)
	if x.o.Legacy {
		return
	}
	x.em.RegisterCsiHandler(ansi.Command('?', '$', 'p'), x.requestMode)
	x.em.RegisterCsiHandler(ansi.Command('?', 0, 'u'), func(ansi.Params) bool {
		x.send("\x1b[?" + strconv.Itoa(x.keyFlags()) + "u")
		return true
	})
	x.em.RegisterCsiHandler(ansi.Command('>', 0, 'u'), func(p ansi.Params) bool {
		flags, _, _ := p.Param(0, 0)
		x.kitty = append(x.kitty, flags)
		return true
	})
	x.em.RegisterCsiHandler(ansi.Command('<', 0, 'u'), func(p ansi.Params) bool {
		n, _, _ := p.Param(0, 1)
		x.kitty = x.kitty[:len(x.kitty)-min(max(n, 1), len(x.kitty))]
		return true
	})
	x.em.RegisterCsiHandler(ansi.Command('=', 0, 'u'), func(p ansi.Params) bool {
		flags, _, _ := p.Param(0, 0)
		how, _, _ := p.Param(1, 1)
		x.setKeyFlags(flags, how)
		return true
	})
}

// clampMargins keeps a scroll region within the screen, as terminals do. What a
// program wrote for a larger screen arrives after the resize, and the emulator
// would scroll rows that are gone. It leaves the rest to the emulator, which
// reads the same parameters.
func (x *Term) clampMargins(p ansi.Params) bool {
	if len(p) > 1 && p[1].Param(0) > x.em.Height() {
		p[1] = ansi.Param(x.em.Height())
	}
	return false
}

// mode keeps the modes that matter here. A synchronised update is not looked
// at before it ends, so that no half a frame is ever seen.
func (x *Term) mode(m ansi.Mode, on bool) {
	x.modes[m] = on
	if m == ansi.ModeSynchronizedOutput && !x.o.Legacy {
		x.held = on
	}
}

func (x *Term) requestMode(p ansi.Params) bool {
	n, _, _ := p.Param(0, 0)
	switch m := ansi.DECMode(n); m {
	case ansi.ModeSynchronizedOutput:
		setting := ansi.ModeReset
		if x.modes[m] {
			setting = ansi.ModeSet
		}
		x.send(ansi.ReportMode(m, setting))
		return true
	case ansi.ModeUnicodeCore:
		x.send(ansi.ReportMode(m, ansi.ModePermanentlySet))
		return true
	}
	return false
}

func (x *Term) keyFlags() int {
	if len(x.kitty) == 0 {
		return 0
	}
	return x.kitty[len(x.kitty)-1]
}

func (x *Term) setKeyFlags(flags, how int) {
	if len(x.kitty) == 0 {
		x.kitty = append(x.kitty, 0)
	}
	top := &x.kitty[len(x.kitty)-1]
	switch how {
	case 2:
		*top |= flags
	case 3:
		*top &^= flags
	default:
		*top = flags
	}
}

// osc52 reads or writes the clipboard. Data is "52;WHICH;BASE64" or "52;WHICH;?".
func (x *Term) osc52(data []byte) bool {
	parts := strings.SplitN(string(data), ";", 3)
	if len(parts) != 3 {
		return false
	}
	if parts[2] == "?" {
		x.send("\x1b]52;" + parts[1] + ";" + base64.StdEncoding.EncodeToString([]byte(x.clipboard)) + "\x07")
		return true
	}
	text, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		text = nil // what is not base64 empties the clipboard
	}
	x.clipboard = string(text)
	return true
}
