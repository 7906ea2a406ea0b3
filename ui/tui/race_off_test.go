//go:build !race

package tui

// raceEnabled is whether the race detector slows everything down.
const raceEnabled = false
