package tui

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"dcctop/core"
)

// The messages of our own.
type (
	dataMsg   struct{} // the store has something to take
	secondMsg struct{} // a second has passed
	judgeMsg  struct{} // time to judge a doubtful y
	guardMsg  struct{} // a dialog takes keys now: draw it so
)

// model is the one tea.Model. It holds the parts and routes to them; all of it
// belongs to the program's event loop.
type model struct {
	o     Options
	ctx   context.Context // of the program, for commands
	store *store
	keys  keyMap
	clean cleaner

	w, h    int
	dark    bool
	profile colorprofile.Profile
	theme   theme

	index  *index
	table  table
	link   core.Link
	offset time.Duration
	proof  proof
	seen   bool // a snapshot came at least once

	asks   asks
	toasts toasts
	breath breath

	detailOn bool
	detail   detail
	logOn    bool
	logView  logView
	log      logText
	logBusy  bool // a reading is on its way
	logRests bool // the next one at the end is not due yet

	filtering bool
	finding   bool   // the word to look for in the log is being typed
	before    filter // what Esc restores
	input     input
	helpOn    bool
	helpTop   int
	why       *confirm // the reason for it is being typed
	dialog    dialog

	pressed  map[string]time.Time // when a key that dialogs offer was last pressed
	chosen   string               // the key that was last taken as an answer
	chosenAt time.Time
	reruns   map[core.JobID]bool // those without an answer

	newID    func() string
	inFlight *sync.WaitGroup // requests without an answer
}

func newModel(ctx context.Context, o Options, s *store, ascii bool, p colorprofile.Profile) *model {
	m := &model{
		o: o, ctx: ctx, store: s, keys: newKeyMap(ascii, o.JobsEnd), clean: cleaner{ascii: ascii},
		w: o.Width, h: o.Height, dark: true, profile: p, index: newIndex(), asks: newAsks(),
		link: core.Link{State: core.LinkConnecting}, newID: rand.Text, inFlight: &sync.WaitGroup{},
		pressed: map[string]time.Time{}, reruns: map[core.JobID]bool{},
	}
	m.restyle()
	return m
}

func (m *model) restyle() {
	m.theme = newTheme(m.dark, m.clean.ascii, m.profile)
}

func (m *model) now() time.Time { return m.o.Now() }

// talker speaks by the dispatcher's clock.
func (m *model) talker() talker {
	return talker{me: m.o.Me, now: core.At(m.now().Add(m.offset)), sep: " " + m.theme.sep + " ", cleaner: m.clean}
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return tea.Batch(tea.RequestBackgroundColor, everySecond()) }

func everySecond() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return secondMsg{} })
}

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case dataMsg:
		cmd := m.take()
		m.breathe(false)
		return m, cmd
	case secondMsg:
		m.toasts.expire(m.now())
		m.breathe(false)
		m.asks.expire(m.index, m.now())
		return m, tea.Batch(everySecond(), m.readLog())
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.fit(true)
		m.breathe(true)
		return m, nil
	case tea.ColorProfileMsg:
		m.profile = msg.Profile
		m.restyle()
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.restyle()
	case tea.ModeReportMsg:
		if v := msg.Value; msg.Mode == ansi.ModeUnicodeCore {
			// the renderer decides by the same
			m.clean.whole = v == ansi.ModeReset || v == ansi.ModeSet || v == ansi.ModePermanentlySet
		}
	case answers:
		m.answered(msg)
	case againMsg:
		m.ranAgain(msg)
	case judgeMsg:
		return m, m.judgeKey()
	case logMsg:
		return m, m.logCame(msg)
	case logDueMsg:
		if msg.id == m.log.id {
			m.logRests = false
		}
		return m, m.readLog()
	case tea.PasteMsg:
		m.paste(msg)
	case tea.KeyPressMsg:
		cmd := m.key(msg)
		m.fit(true)
		m.breathe(true)
		return m, tea.Batch(cmd, m.readLog())
	}
	return m, nil
}

// take brings the parts up to date with the store.
func (m *model) take() tea.Cmd {
	b, ok := m.store.take()
	if !ok {
		return nil
	}
	m.link, m.offset, m.proof, m.seen = b.link, b.offset, b.proof, b.seen
	m.index.apply(b)
	if b.reset || len(b.gone) > 0 {
		m.table.forget(m.index)
	}
	m.fit(false)
	m.settleAsks()
	m.toasts.stopped(m.index)
	return m.readLog()
}

func (m *model) settleAsks() {
	m.toasts.tell(m.asks.settle(m.index, m.proof, m.talker(), m.now()), m.now())
}

// page divides the screen as it is now.
func (m *model) page() page {
	return divide(m.w, m.h, m.stale(), m.detailOn || m.logOn, m.logOn)
}

// listWidth is how wide the rows of the list are.
func (m *model) listWidth() int {
	p := m.page()
	if p.list.h == 0 {
		return p.w - 2
	}
	return p.list.w - 2
}

// fit tells the table how much room it has. own is whether it is the operator
// who changed something.
func (m *model) fit(own bool) {
	p := m.page()
	if p.list.h > 0 {
		m.table.height = max(p.list.h-3, 1)
	}
	m.table.settle(m.index, own, m.now())
}

// current is the job under the cursor, or nil.
func (m *model) current() *core.Job {
	if m.index.place(m.table.cursor) < 0 {
		return nil
	}
	return m.index.get(m.table.cursor)
}

// summary is what is left to say at the end.
func (m *model) summary() Summary { return Summary{Alive: m.index.alive()} }
