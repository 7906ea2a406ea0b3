package tuitest

import "image/color"

// Env is the environment of a program on this terminal, as far as the terminal
// decides it.
func (x *Term) Env() []string { return []string{"TERM=xterm-256color", "COLORTERM=truecolor"} }

// Theme is the colours that the terminal says it has.
func (x *Term) Theme() Theme {
	if x.o.Light {
		return Light()
	}
	return Dark()
}

// Size returns the width and height in cells.
func (x *Term) Size() (width, height int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.em.Width(), x.em.Height()
}

// Clipboard returns what the program last put on the clipboard (OSC 52).
func (x *Term) Clipboard() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.clipboard
}

// SetClipboard puts text there as another program would.
func (x *Term) SetClipboard(text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.clipboard = text
}

// Title returns the window title that the program set.
func (x *Term) Title() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.title
}

// Bells returns how often the program rang the bell.
func (x *Term) Bells() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bells
}

// Bytes returns how many bytes the program has written.
func (x *Term) Bytes() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bytes
}

// AltScreen reports whether the program shows the alternate screen.
func (x *Term) AltScreen() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.em.IsAltScreen()
}

// Background returns the background as it is now, which a program can change.
func (x *Term) Background() color.Color {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.em.BackgroundColor()
}
