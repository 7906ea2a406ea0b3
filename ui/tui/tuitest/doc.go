// Package tuitest is a terminal for tests and pictures.
//
// [New] makes one for a program in this process: it is the program's input (an
// [io.Reader]: what the user types, and the terminal's own replies) and its
// output (an [io.Writer]). [Start] runs a real program on a real
// pseudo-terminal with the same terminal behind it. Either way a test types,
// waits for what the screen shows, and reads it:
//
//	term := tuitest.New(t, 80, 24)
//	go tui.Run(ctx, tui.Options{In: term, Out: term, Env: term.Env()})
//	term.WaitText("render_010")
//	term.Type("c")
//	term.WaitText("cancel?")
//	term.Type("y")
//	term.WaitText("cancelled")
//
// # Waiting
//
// Nothing here polls or sleeps: a wait is woken by what the program writes, is
// bounded, and fails with the whole screen. [Term.History] keeps every screen
// that was ever shown, so that a test can say that a word was in no frame
// before a moment.
//
// # Size
//
// A program in this process has no kernel to ask for the size of its terminal.
// It is told in-band, the way terminals do with mode 2048: when it first writes
// something, and once per [Term.Resize]. Bubble Tea reads that as a
// WindowSizeMsg. tea.WithWindowSize(term.Size()) saves it the wait.
//
// # What it is not
//
// The terminal always draws one grapheme cluster as one character. One that
// splits a family emoji into its members is not modelled.
package tuitest
