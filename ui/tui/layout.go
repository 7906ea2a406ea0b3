package tui

import "slices"

// The least the screen needs.
const (
	minWidth  = 40
	minHeight = 10
)

// slot is a column on the screen.
type slot struct {
	col  column
	x, w int
}

// layout is where everything in a row stands. Columns go in this order as the
// width shrinks: kind, host, user; then the age moves into the state and the
// cancel text shares the room of the name; then the id; then the bar of the
// progress, which leaves the percentage.
type layout struct {
	width  int
	slots  []slot
	shared bool // the last slot holds the name at the left and the cancel text at the right
	bar    int  // cells of the progress bar, 0 for none
	aged   bool // the state's slot shows the age too
}

// shows reports whether a column is on the screen, be it in the room of another.
func (l layout) shows(c column) bool {
	if c == colAge && l.aged || c == colCancel && l.shared {
		return true
	}
	return slices.ContainsFunc(l.slots, func(s slot) bool { return s.col == c })
}

// lead is the cursor, the mark and a space.
const lead = 3

// lay returns the layout of rows w cells wide.
func lay(w int) layout {
	if w >= 142 {
		return layWide(w)
	}
	l := layout{width: w, shared: true, aged: true, bar: 7}
	id, state, progress := 6, 18, 12
	if w < 70 {
		l.bar, progress = 0, 4
	}
	if w < 56 {
		id = 0
	}
	x := lead
	add := func(c column, n int) {
		if n > 0 {
			l.slots = append(l.slots, slot{c, x, n})
			x += n + 1
		}
	}
	add(colID, id)
	add(colState, state)
	add(colProgress, progress)
	const room = 38 // what name and cancel text want between them
	for _, c := range []slot{{colUser, 0, 8}, {colHost, 0, 10}, {colKind, 0, 8}} {
		if w-x-c.w-1 >= room {
			add(c.col, c.w)
		}
	}
	add(colName, w-x-1)
	return l
}

// layWide gives every column its own place.
func layWide(w int) layout {
	l := layout{width: w, bar: 12}
	name, cancel, id := 24, 46, 8
	rest := w - (lead + id + 13 + 18 + name + 8 + 10 + 8 + 6 + cancel + 9)
	if rest > 40 {
		id, rest = 26, rest-18
	}
	if n := min(rest/3, 12); n > 0 {
		l.bar += n
		rest -= n
	}
	if n := min(rest/2, 30); n > 0 {
		cancel += n
		rest -= n
	}
	name += rest
	x := lead
	for _, s := range []slot{
		{colID, 0, id}, {colState, 0, 13}, {colProgress, 0, l.bar + 6}, {colName, 0, name},
		{colKind, 0, 8}, {colHost, 0, 10}, {colUser, 0, 8}, {colAge, 0, 6}, {colCancel, 0, cancel},
	} {
		s.x = x
		l.slots = append(l.slots, s)
		x += s.w + 1
	}
	return l
}

// page is how the screen is divided.
type page struct {
	w, h   int
	header int // lines
	banner int
	list   rect // the table with its frame; no height when something covers it
	side   rect // details or log with their frame
	footer int  // lines
}

// rect is a part of the screen in cells.
type rect struct{ x, y, w, h int }

// divide lays out a screen of w by h. side is whether details or log are open,
// full whether they take all of it.
func divide(w, h int, stale, side, full bool) page {
	p := page{w: w, h: h, header: 2, footer: 1}
	if h < 14 {
		p.header = 1
	}
	if stale {
		p.banner = 1
	}
	y := p.header + p.banner
	body := rect{0, y, w, h - y - p.footer}
	switch {
	case !side:
		p.list = body
	case full, w < 120 && h < 32:
		p.side = body
	case w >= 120:
		sw := max(w*9/20, 60)
		p.list = rect{0, y, w - sw, body.h}
		p.side = rect{w - sw, y, sw, body.h}
	default:
		lh := max(body.h*2/5, 8)
		p.list = rect{0, y, w, lh}
		p.side = rect{0, y + lh, w, body.h - lh}
	}
	return p
}
