package tui

import "charm.land/bubbles/v2/key"

// keyMap is every key of the list, the details and the log. The help and the
// hints at the foot of the screen are drawn from it.
type keyMap struct {
	Up, Down, PageUp, PageDown, Top, Bottom        key.Binding
	Details, Log, Back, Help, Suspend, Quit        key.Binding
	Cancel, CancelWhy, Force, Rerun, Copy          key.Binding
	Mark, Range, MarkShown, Unmark                 key.Binding
	Filter, Sort, Reverse, Tree, HideEnded, Freeze key.Binding
	Find                                           key.Binding
}

// keyGroup is a part of the help.
type keyGroup struct {
	title string
	keys  []key.Binding
}

func newKeyMap(ascii, jobsEnd bool) keyMap {
	bind := func(show, help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(show, help))
	}
	up, down := "↑ k", "↓ j"
	if ascii {
		up, down = "up k", "down j"
	}
	leave := "quit (the jobs go on)"
	if jobsEnd {
		leave = "quit (the jobs end too)"
	}
	return keyMap{
		Up:       bind(up, "one up", "up", "k"),
		Down:     bind(down, "one down", "down", "j"),
		PageUp:   bind("PgUp", "a page up", "pgup", "ctrl+b"),
		PageDown: bind("PgDn", "a page down", "pgdown", "ctrl+f"),
		Top:      bind("g", "first", "g", "home"),
		Bottom:   bind("G", "last", "G", "end"),

		Cancel:    bind("c x F9", "cancel", "c", "x", "f9"),
		CancelWhy: bind("C", "cancel with a reason", "C"),
		Force:     bind("!", "force (c offers it)", "!"),
		Rerun:     bind("R", "run again (as a new job)", "R"),

		Details: bind("Enter", "details", "enter"),
		Log:     bind("l", "log", "l"),
		Find:    bind("/ n N", "find (in the log)", "/", "n", "N"),
		Copy:    bind("y", "copy id", "y"),
		Back:    bind("Esc", "back (one step)", "esc"),

		Mark:      bind("Space", "mark", "space"),
		Range:     bind("v", "mark a range", "v"),
		MarkShown: bind("a", "mark all shown", "a"),
		Unmark:    bind("u Esc", "unmark all", "u"),

		Filter:    bind("/", "filter", "/"),
		Sort:      bind("s", "sort (by the next column)", "s"),
		Reverse:   bind("S", "reverse (the order)", "S"),
		Tree:      bind("t", "tree (children below)", "t"),
		HideEnded: bind("h", "hide what has finished", "h"),
		Freeze:    bind("f", "freeze (the order)", "f"),

		Help:    bind("? F1", "help", "?", "f1"),
		Suspend: bind("^Z", "suspend", "ctrl+z"),
		Quit:    bind("q ^C", leave, "q", "ctrl+c"),
	}
}

// groups is the help, in the order in which it is read.
func (k keyMap) groups() []keyGroup {
	return []keyGroup{
		{"Cancel", []key.Binding{k.Cancel, k.CancelWhy, k.Force, k.Rerun}},
		{"Look", []key.Binding{k.Details, k.Log, k.Find, k.Copy, k.Back}},
		{"Move", []key.Binding{k.Up, k.Down, k.PageUp, k.PageDown, k.Top, k.Bottom}},
		{"Mark", []key.Binding{k.Mark, k.Range, k.MarkShown, k.Unmark}},
		{"List", []key.Binding{k.Filter, k.Sort, k.Reverse, k.Tree, k.HideEnded, k.Freeze}},
		{"Program", []key.Binding{k.Help, k.Suspend, k.Quit}},
	}
}
