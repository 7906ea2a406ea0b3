// Package tui is the screen: a live table of jobs, the details and the log of
// one, and a cancel key that tells the truth.
//
// # Shape
//
// One [tea.Model] routes messages; the parts (index, table, detail, log,
// confirm, filter, help, toasts) are plain structs with pure methods. Nothing
// in Update does IO, and no tea.Cmd changes state: it returns a message.
//
// Data comes in by one goroutine, which folds the feed into a locked store, and
// a second one, which tells the model at most 30 times a second that there is
// something to take. So a burst of any size costs one repaint, and a feed that
// says nothing costs none.
//
// # Ids
//
// The cursor, the marks and the dialogs hold job ids, never row numbers. A list
// that moves under a key press cannot change which job is meant.
//
// # Logs
//
// Of a log the screen holds a window, which begins at the tail and grows where
// the operator looks: no log is too large to open.
//
// # Text
//
// Every string that came from outside passes cleaner.line before it is drawn.
// Widths are counted by grapheme cluster.
package tui
