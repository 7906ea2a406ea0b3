package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"dcctop/core"
)

// The pace of reading on: at most four times a second, less for a job that
// prints nothing. What the operator scrolls to is read at once.
const (
	logPace = 250 * time.Millisecond
	logIdle = time.Second
)

// maxBehind is how many whole pieces a job may print ahead of the view before it
// jumps to the tail.
const maxBehind = 8

// reading is what a piece of a log is for.
type reading int

const (
	readNothing reading = iota
	readEnd             // where it is
	readNewer
	readOlder
)

type (
	logDueMsg struct{ id core.JobID }
	logMsg    struct {
		id    core.JobID
		what  reading
		asked int64
		chunk core.LogChunk
		err   error
	}
)

// readLog asks for more of the log that is on the screen, when it is time.
func (m *model) readLog() tea.Cmd {
	j := m.current()
	if j == nil || !m.detailOn && !m.logOn || m.stale() {
		return nil
	}
	if m.log.id != j.ID {
		m.log, m.logBusy, m.logRests = logText{id: j.ID}, false, false
		m.logView = logView{width: m.logView.width, height: m.logView.height}
	}
	what, at := m.nextReading()
	if m.logBusy || what == readNothing {
		return nil
	}
	m.logBusy = true
	from, ctx, id := m.o.Feed, m.ctx, j.ID
	return func() tea.Msg {
		ctx, stop := context.WithTimeout(ctx, answerWithin)
		defer stop()
		c, err := from.Log(ctx, id, at)
		return logMsg{id: id, what: what, asked: at, chunk: c, err: err}
	}
}

// nextReading is what is wanted of the log now, and from where.
func (m *model) nextReading() (reading, int64) {
	g, v := &m.log, &m.logView
	room := max(v.height, 8)
	switch {
	case m.logRests && g.err != "":
		return readNothing, 0
	case !g.located:
		return readEnd, beyond
	case m.logOn && g.loaded && !g.floor && !g.torn && m.wantsOlder(room):
		return readOlder, g.older()
	case g.end, m.logRests && g.caught:
		return readNothing, 0
	case m.logOn && v.held && v.seeking <= 0 && g.last()-v.top > 3*room:
		return readNothing, 0 // far from what is on the screen
	}
	return readNewer, g.next
}

func (m *model) wantsOlder(room int) bool {
	g, v := &m.log, &m.logView
	switch {
	case v.seeking < 0:
		return true
	case v.held:
		return v.top-g.first < 2*room
	}
	return g.last()-g.first < room
}

// logCame takes in a piece of a log and says when the next is due.
func (m *model) logCame(msg logMsg) tea.Cmd {
	g := &m.log
	if msg.id != g.id {
		return nil // the cursor has moved on
	}
	m.logBusy = false
	switch {
	case msg.err != nil:
		g.err, g.loaded = m.clean.line(msg.err.Error()), true
		return m.rest(logIdle)
	case msg.what == readEnd:
		if !g.located {
			g.locate(msg.chunk)
		}
	case msg.what == readOlder:
		if g.older() == msg.asked {
			g.addOlder(msg.chunk, msg.asked, m.clean)
		}
	case msg.asked != g.next || !g.located: // the window began anew meanwhile
	default:
		g.add(msg.chunk, m.clean)
		if g.full >= maxBehind && !(m.logOn && m.logView.held) {
			g.restart(true)
			break
		}
		if by := m.logView.seeking; by != 0 {
			m.look(by)
		}
		switch {
		case len(msg.chunk.Data) == 0:
			return m.rest(logIdle)
		case g.caught:
			return m.rest(logPace)
		}
	}
	if by := m.logView.seeking; by != 0 && msg.what == readOlder {
		m.look(by)
	}
	return m.readLog()
}

// rest waits before the next reading at the end.
func (m *model) rest(d time.Duration) tea.Cmd {
	m.logRests = true
	id := m.log.id
	return tea.Batch(m.readLog(), tea.Tick(d, func(time.Time) tea.Msg { return logDueMsg{id} }))
}

// logTop goes to the oldest line that is kept.
func (m *model) logTop() {
	g, v := &m.log, &m.logView
	if !g.floor {
		g.restart(false)
		m.logRests = false
	}
	v.held, v.top, v.sub, v.seeking = true, g.first, 0, 0
}

// logEnd follows the end.
func (m *model) logEnd() {
	g, v := &m.log, &m.logView
	if !g.caught && !g.end && g.located && g.loaded {
		g.restart(true)
		m.logRests = false
	}
	v.held, v.seeking = false, 0
}
