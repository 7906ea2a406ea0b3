package tui

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"dcctop/core"
)

// fakeFeed is a dispatcher for tests: a feed that yields what it is given, and
// a canceller that answers as told.
type fakeFeed struct {
	mu       sync.Mutex // guards all below
	updates  chan core.Update
	requests []core.CancelRequest
	answer   func(core.CancelRequest) ([]core.CancelOutcome, error)
	logs     map[core.JobID]string
	reads    int   // of logs
	floor    int64 // offset of the oldest byte of a log that is kept
	reruns   []core.RerunRequest
	rerun    func(core.RerunRequest) (*core.Job, error)
}

func newFakeFeed() *fakeFeed {
	return &fakeFeed{updates: make(chan core.Update, 1000), logs: map[core.JobID]string{}}
}

func (f *fakeFeed) Watch(ctx context.Context, _ ...core.Position) iter.Seq2[core.Update, error] {
	return func(yield func(core.Update, error) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case u := <-f.updates:
				if !yield(u, nil) {
					return
				}
			}
		}
	}
}

func (f *fakeFeed) Log(_ context.Context, id core.JobID, from int64) (core.LogChunk, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	s := f.logs[id]
	from = min(max(from, f.floor), int64(len(s)))
	next := min(from+logPiece, int64(len(s)))
	return core.LogChunk{ID: id, From: from, Next: next, Data: []byte(s[from:next])}, nil
}

func (f *fakeFeed) Rerun(_ context.Context, r core.RerunRequest) (*core.Job, error) {
	f.mu.Lock()
	f.reruns = append(f.reruns, r)
	answer := f.rerun
	f.mu.Unlock()
	if answer != nil {
		return answer(r)
	}
	return &core.Job{ID: "NEW-" + r.ID, Name: "name-" + string(r.ID), State: core.Pending}, nil
}

// reran is every rerun that was asked for, in order.
func (f *fakeFeed) reran() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, r := range f.reruns {
		s := string(r.ID)
		if r.OnlyUnfinished {
			s += " unfinished"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func (f *fakeFeed) Cancel(_ context.Context, r core.CancelRequest) ([]core.CancelOutcome, error) {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	answer := f.answer
	f.mu.Unlock()
	if answer != nil {
		return answer(r)
	}
	var out []core.CancelOutcome
	for _, id := range r.IDs {
		out = append(out, core.CancelOutcome{ID: id, Answer: core.Accepted, State: core.Cancelling})
	}
	return out, nil
}

// sent is every id that was asked for, in order.
func (f *fakeFeed) sent() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []string
	for _, r := range f.requests {
		for _, id := range r.IDs {
			ids = append(ids, string(id))
		}
	}
	return strings.Join(ids, " ")
}

// rig drives a model by hand, in the time of a synctest bubble.
type rig struct {
	t      *testing.T
	m      *model
	feed   *fakeFeed
	seq    uint64
	linked bool // data has come since the link was made
	msgs   chan tea.Msg
	quit   bool
	clip   string
}

// inRig runs a test in a bubble with a model that knows jobs.
func inRig(t *testing.T, jobs []*core.Job, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer func() { <-time.After(time.Minute) }() // the timers that are still set run out
		r := newRig(t, Options{})
		r.snapshot(jobs...)
		test(r)
	})
}

func newRig(t *testing.T, o Options) *rig {
	f := newFakeFeed()
	o.Feed, o.Canceller, o.Rerunner = f, f, f
	o.Me = core.Actor{User: "ann", Host: "ws01"}
	if o.Where == "" {
		o.Where = "farm"
	}
	if o.Width == 0 {
		o.Width, o.Height = 80, 24
	}
	o = o.withDefaults()
	m := newModel(t.Context(), o, newStore(), false, colorprofile.TrueColor)
	n := 0
	m.newID = func() string { n++; return fmt.Sprintf("cmd-%d", n) }
	return &rig{t: t, m: m, feed: f, msgs: make(chan tea.Msg, 100)}
}

// start is the time at which the bubble begins.
func start() core.Time { return core.At(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) }

func job(id string, s core.State) *core.Job {
	j := &core.Job{
		ID: core.JobID(id), Name: "name-" + id, State: s, User: "ann", Host: "ws01", Kind: "go",
		CreatedAt: start().Add(-time.Minute), StopsBy: core.StopsByToken,
	}
	if s != core.Pending {
		j.StartedAt = j.CreatedAt
	}
	if s.Terminal() {
		j.FinishedAt = start()
	}
	return j
}

// with returns another version of a job.
func with(j *core.Job, edit func(*core.Job)) *core.Job {
	c := *j
	if c.Cancellation != nil {
		k := *c.Cancellation
		c.Cancellation = &k
	}
	edit(&c)
	return &c
}

func running(ids ...string) []*core.Job {
	var out []*core.Job
	for _, id := range ids {
		out = append(out, job(id, core.Running))
	}
	return out
}

func (r *rig) snapshot(jobs ...*core.Job) {
	r.seq++
	r.data(core.Update{Snapshot: &core.Snapshot{Source: "farm", Epoch: "e", At: r.seq, Jobs: jobs}})
}

func (r *rig) change(jobs ...*core.Job) {
	r.seq++
	r.data(core.Update{Change: &core.Change{Source: "farm", Epoch: "e", From: r.seq - 1, To: r.seq, Jobs: jobs}})
}

func (r *rig) gone(ids ...core.JobID) {
	r.seq++
	r.data(core.Update{Change: &core.Change{Source: "farm", Epoch: "e", From: r.seq - 1, To: r.seq, Gone: ids}})
}

// data gives an update as a client does: the link is live just before the first
// data of a connection, and the clock comes right after it.
func (r *rig) data(u core.Update) {
	r.t.Helper()
	if r.linked {
		r.update(u)
		return
	}
	r.linked = true
	now := core.At(time.Now())
	r.update(core.Update{Link: &core.Link{Source: "farm", State: core.LinkLive, Since: now}})
	r.update(u)
	r.update(core.Update{Sync: &core.Sync{Source: "farm", Epoch: "e", Seq: r.seq, Now: now}})
}

// cutLink says that the link was lost now.
func (r *rig) cutLink() {
	r.linked = false
	r.update(core.Update{Link: &core.Link{State: core.LinkStale, Since: core.At(time.Now()), Why: "connection reset"}})
}

func (r *rig) update(u core.Update) {
	r.t.Helper()
	if err := r.m.store.fold(u, time.Now()); err != nil {
		r.t.Fatalf("fold: %v", err)
	}
	r.give(dataMsg{})
}

// give gives a message to the model and runs what comes of it.
func (r *rig) give(msg tea.Msg) {
	_, cmd := r.m.Update(msg)
	r.start(cmd)
	r.drain()
}

// start runs a command as the program does, in a goroutine.
func (r *rig) start(cmd tea.Cmd) {
	if cmd != nil {
		go func() { r.msgs <- cmd() }()
	}
}

// drain handles every message there is without letting time pass.
func (r *rig) drain() {
	for {
		synctest.Wait()
		select {
		case msg := <-r.msgs:
			switch msg := msg.(type) {
			case tea.BatchMsg:
				for _, c := range msg {
					r.start(c)
				}
			case tea.QuitMsg:
				r.quit = true
			case nil:
			default:
				if s := fmt.Sprintf("%T", msg); s == "tea.setClipboardMsg" {
					r.clip = fmt.Sprint(msg)
				}
				_, cmd := r.m.Update(msg)
				r.start(cmd)
			}
		default:
			return
		}
	}
}

// pass lets time pass, a tick of the model's own every second.
func (r *rig) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		<-time.After(min(time.Until(end), 10*time.Millisecond))
		r.drain()
	}
	_, _ = r.m.Update(secondMsg{})
}

// keyPress is the message for a key by its name.
func keyPress(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "pgdown": tea.KeyPgDown,
		"pgup": tea.KeyPgUp, "f9": tea.KeyF9, "f1": tea.KeyF1, "backspace": tea.KeyBackspace, "home": tea.KeyHome,
		"left": tea.KeyLeft, "right": tea.KeyRight, "delete": tea.KeyDelete, "end": tea.KeyEnd,
	}
	switch {
	case name == "space":
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	case special[name] != 0:
		return tea.KeyPressMsg{Code: special[name]}
	case strings.HasPrefix(name, "ctrl+"):
		return tea.KeyPressMsg{Code: rune(name[5]), Mod: tea.ModCtrl}
	}
	r := []rune(name)
	return tea.KeyPressMsg{Code: r[0], Text: name}
}

// press presses keys by name, one right after the other.
func (r *rig) press(names ...string) {
	for _, n := range names {
		r.give(keyPress(n))
	}
}

// typeText types text, a key per character.
func (r *rig) typeText(s string) {
	for _, g := range split(s) {
		r.give(tea.KeyPressMsg{Code: []rune(g)[0], Text: g})
	}
}

// confirm waits until the dialog takes keys and says y.
func (r *rig) confirm() {
	r.pass(guardFor)
	r.press("y")
	r.pass(2 * time.Second) // so that the next y is a fresh one
}

// screen is what is drawn, without colours.
func (r *rig) screen() string {
	lines, _ := r.m.screen()
	return ansi.Strip(strings.Join(lines, "\n"))
}

// line is the first line of the screen that holds s.
func (r *rig) line(s string) string {
	for l := range strings.Lines(r.screen()) {
		if strings.Contains(l, s) {
			return strings.TrimRight(l, "\n")
		}
	}
	return ""
}

func (r *rig) wants(words ...string) {
	r.t.Helper()
	s := r.screen()
	for _, w := range words {
		if !strings.Contains(s, w) {
			r.t.Fatalf("the screen does not say %q:\n%s", w, s)
		}
	}
}

// told fails unless a toast on the screen says each of words, wherever its lines
// break.
func (r *rig) told(words ...string) {
	r.t.Helper()
	s := r.screen()
	all := ""
	for _, l := range r.m.toasts.list {
		if first, _, _ := strings.Cut(l.text, " "); strings.Contains(s, first) {
			all += l.text + "\n"
		}
	}
	for _, w := range words {
		if !strings.Contains(all, w) {
			r.t.Fatalf("no toast says %q:\n%s", w, s)
		}
	}
}

func (r *rig) lacks(words ...string) {
	r.t.Helper()
	s := r.screen()
	for _, w := range words {
		if strings.Contains(s, w) {
			r.t.Fatalf("the screen says %q:\n%s", w, s)
		}
	}
}

// wantSent fails unless exactly these ids were asked for.
func (r *rig) wantSent(ids string) {
	r.t.Helper()
	if got := r.feed.sent(); got != ids {
		r.t.Fatalf("asked for %q, want %q\n%s", got, ids, r.screen())
	}
}
