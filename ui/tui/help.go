package tui

// drawHelp draws every key from the one keyMap, in as many columns as fit.
func (m *model) drawHelp(w, h int) []string {
	t := &m.theme
	cols := 1
	if w >= 76 {
		cols = 2
	}
	inner := min(w, 80) - 4
	each := inner/cols - 1
	var lines []string
	groups := m.keys.groups()
	for i := 0; i < len(groups); i += cols {
		var parts [][]string
		tall := 0
		for c := 0; c < cols && i+c < len(groups); c++ {
			g := drawKeyGroup(t, groups[i+c], each)
			parts = append(parts, g)
			tall = max(tall, len(g))
		}
		for r := range tall {
			line := " "
			for _, g := range parts {
				if r < len(g) {
					line += fitLine(g[r], each+1)
				} else {
					line += fitLine("", each+1)
				}
			}
			lines = append(lines, line)
		}
	}
	for _, s := range wrapWords(filterHelp, inner) {
		lines = append(lines, " "+paint(t.muted, s))
	}
	room := max(h-2, 1)
	m.helpTop = max(min(m.helpTop, len(lines)-room), 0)
	shown := lines[m.helpTop:min(m.helpTop+room, len(lines))]
	foot := paint(t.muted, "Esc closes")
	if len(lines) > room {
		foot = paint(t.muted, "Esc closes, "+m.keys.Down.Help().Key+" goes on")
	}
	return t.frame(paint(t.title, "keys"), foot, shown, inner+4, t.border)
}

// drawKeyGroup draws one part of the help in w cells.
func drawKeyGroup(t *theme, g keyGroup, w int) []string {
	out := []string{paint(t.strong, g.title)}
	for _, b := range g.keys {
		var p painter
		p.right(t.key, b.Help().Key, 7, "")
		p.space(2)
		p.put(t.text, cut(b.Help().Desc, w-10, t.dots))
		out = append(out, p.String())
	}
	return out
}
