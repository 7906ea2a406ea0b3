package tui

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"dcctop/core"
)

func TestDurationsAreWrittenShort(t *testing.T) {
	for _, c := range []struct {
		d                time.Duration
		clock, age, span string
	}{
		{-time.Second, "00:00", "00:00", "0.0 s"}, {420 * time.Millisecond, "00:00", "00:00", "0.4 s"},
		{12 * time.Second, "00:12", "00:12", "12 s"}, {125 * time.Second, "02:05", "02:05", "02:05"},
		{3723 * time.Second, "1:02:03", "1h02", "1:02:03"}, {49 * time.Hour, "49:00:00", "2d01h", "49:00:00"},
		{1000 * time.Hour, "1000:00:00", "41d", "1000:00:00"},
	} {
		if a, b, s := clockText(c.d), ageText(c.d), spanText(c.d); a != c.clock || b != c.age || s != c.span {
			t.Errorf("%v: %q %q %q, want %q %q %q", c.d, a, b, s, c.clock, c.age, c.span)
		}
	}
}

func TestColumnsGoInTheStatedOrder(t *testing.T) {
	last := 100
	for w := 220; w >= minWidth-2; w-- {
		l := lay(w)
		n := len(l.slots)
		if n > last && w < 142 {
			t.Errorf("a column came back at %d", w)
		}
		last = n
		end := l.slots[len(l.slots)-1]
		if end.x+end.w > w {
			t.Errorf("at %d the last column ends at %d", w, end.x+end.w)
		}
		for _, s := range l.slots {
			if s.w <= 0 {
				t.Errorf("at %d %v is %d wide", w, s.col, s.w)
			}
		}
	}
	has := func(w int, c column) bool {
		for _, s := range lay(w).slots {
			if s.col == c {
				return true
			}
		}
		return false
	}
	gone := func(c column) int {
		for w := 220; w > 0; w-- {
			if !has(w, c) {
				return w
			}
		}
		return 0
	}
	if !(gone(colCancel) > gone(colKind) && gone(colKind) > gone(colHost) && gone(colHost) > gone(colUser) && gone(colUser) > gone(colID)) {
		t.Errorf("cancel %d, kind %d, host %d, user %d, id %d", gone(colCancel), gone(colKind), gone(colHost), gone(colUser), gone(colID))
	}
	for _, c := range []column{colState, colProgress, colName} {
		if !has(minWidth-2, c) {
			t.Errorf("%s is not there at the least width", c.title())
		}
	}
}

func TestAgesFollowTheDispatchersClock(t *testing.T) {
	inRig(t, running("J1"), func(r *rig) {
		r.update(core.Update{Sync: &core.Sync{Source: "farm", Epoch: "e", Seq: r.seq, Now: core.At(time.Now().Add(time.Hour))}})
		r.change() // an empty change carries the news
		if l := r.line("name-J1"); !strings.Contains(l, "1h01") {
			t.Errorf("the row reads %q", l)
		}
	})
}

func TestTheStoreTakesWhatChangedAndNothingElse(t *testing.T) {
	s := newStore()
	now := time.Now()
	snap := func(at uint64, jobs ...*core.Job) core.Update {
		return core.Update{Snapshot: &core.Snapshot{Source: "a", Epoch: "e", At: at, Jobs: jobs}}
	}
	if _, ok := s.take(); ok {
		t.Error("something to take in an empty store")
	}
	if err := s.fold(snap(1, running("J1", "J2")...), now); err != nil {
		t.Fatal(err)
	}
	b, ok := s.take()
	if !ok || !b.reset || len(b.jobs) != 2 || b.link.State != core.LinkLive || !b.seen {
		t.Fatalf("after a snapshot: %+v", b)
	}
	change := core.Update{Change: &core.Change{Source: "a", Epoch: "e", From: 1, To: 3, Jobs: running("J1", "J3"), Gone: []core.JobID{"J2"}}}
	if err := s.fold(change, now); err != nil {
		t.Fatal(err)
	}
	if b, _ = s.take(); b.reset || len(b.jobs) != 2 || len(b.gone) != 1 || b.gone[0] != "J2" {
		t.Fatalf("after a change: %+v", b)
	}
	if _, ok := s.take(); ok {
		t.Error("taken twice")
	}
	if err := s.fold(change, now); !errors.Is(err, core.ErrGap) {
		t.Errorf("a change that does not follow: %v", err)
	}
	if _, ok := s.take(); ok {
		t.Error("a change that was refused left something")
	}
}

// endingFeed yields what each watch is to yield, then ends.
type endingFeed struct {
	Feed
	watches [][]core.Update
	resumes []string
}

func (f *endingFeed) Watch(_ context.Context, resume ...core.Position) iter.Seq2[core.Update, error] {
	return func(yield func(core.Update, error) bool) {
		f.resumes = append(f.resumes, fmt.Sprint(resume))
		if len(f.watches) == 0 {
			yield(core.Update{}, errors.New("gone away"))
			return
		}
		w := f.watches[0]
		f.watches = f.watches[1:]
		for _, u := range w {
			if !yield(u, nil) {
				return
			}
		}
	}
}

func TestAGapOrAnEndIsFollowedByAResumeAfterAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &endingFeed{watches: [][]core.Update{
			{{Snapshot: &core.Snapshot{Source: "a", Epoch: "e", At: 7, Jobs: running("J1")}},
				{Change: &core.Change{Source: "a", Epoch: "e", From: 9, To: 10}}},
			{{Change: &core.Change{Source: "a", Epoch: "e", From: 7, To: 8, Jobs: running("J2")}}},
		}}
		s := newStore()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { follow(ctx, f, s, time.Now); close(done) }()
		<-time.After(30 * time.Second)
		stop()
		<-done
		if n := len(f.resumes); n < 5 || n > 14 {
			t.Errorf("%d watches in 30 s, want a few", n)
		}
		if f.resumes[0] != "[]" || f.resumes[1] != "[{a e 7}]" || f.resumes[2] != "[{a e 8}]" {
			t.Errorf("resumed from %v", f.resumes[:3])
		}
		b, _ := s.take()
		if len(b.jobs) != 2 || b.link.State != core.LinkStale || b.link.Why != "gone away" || b.link.Retry.IsZero() {
			t.Errorf("in the end: %+v", b)
		}
	})
}

// countingSender counts what it is sent.
type countingSender struct {
	n    int
	slow time.Duration
}

func (c *countingSender) Send(tea.Msg) { c.n++; <-time.After(c.slow) }

func TestABurstCostsAtMost30RepaintsASecondAndSilenceNone(t *testing.T) {
	count := func(slow time.Duration, changes bool) int {
		n := 0
		synctest.Test(t, func(t *testing.T) {
			s, c := newStore(), &countingSender{slow: slow}
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { notify(ctx, s, c); close(done) }()
			for range 10000 {
				if changes {
					s.mu.Lock()
					s.wake()
					s.mu.Unlock()
				}
				<-time.After(time.Millisecond)
			}
			stop()
			<-done
			n = c.n
		})
		return n
	}
	if n := count(0, true); n > 310 || n < 250 {
		t.Errorf("%d repaints in 10 s of a burst, want nearly 300", n)
	}
	if n := count(0, false); n != 0 {
		t.Errorf("%d repaints in 10 s of silence", n)
	}
	if n := count(200*time.Millisecond, true); n > 25 {
		t.Errorf("%d repaints in 10 s on a terminal that falls behind", n)
	}
}

func TestALogIsReadWhileItIsShownAndAtMostFourTimesASecond(t *testing.T) {
	inFarm(t, Options{Width: 100, Height: 30}, colorprofile.TrueColor, func(r *rig) {
		id := farm()[1].ID
		r.pass(3 * time.Second)
		if r.feed.reads != 0 {
			t.Fatalf("%d readings of a log that is not shown", r.feed.reads)
		}
		for r.m.table.cursor != id {
			r.press("down")
		}
		r.press("l")
		r.wants("reading scene.blend", "Fra:12 Mem:120M | Sample 108/240", "following")
		r.lacks("[32m")
		before := r.feed.reads
		for i := range 200 { // a job that prints all the time
			r.feed.mu.Lock()
			r.feed.logs[id] += fmt.Sprintf("line %d\n", i)
			r.feed.mu.Unlock()
			r.pass(20 * time.Millisecond)
		}
		if n := r.feed.reads - before; n > 17 || n < 12 {
			t.Errorf("%d readings in 4 s, want about 16", n)
		}
		r.wants("line 19")
		r.press("pgup", "pgup")
		top := r.line("line 1")
		r.pass(3 * time.Second)
		if got := r.line("line 1"); got != top {
			t.Errorf("scrolled up, the log went on: %q, was %q", got, top)
		}
		r.wants("below")
		r.press("G")
		r.wants("following", "line 199")
		r.press("g")
		r.wants("reading scene.blend")
		r.press("esc")
		reads := r.feed.reads
		r.pass(5 * time.Second)
		if r.feed.reads > reads+1 {
			t.Errorf("%d readings after the log was closed", r.feed.reads-reads)
		}
	})
}

func TestALogLineIsWhatATerminalWouldShowInTheEnd(t *testing.T) {
	g := &logText{}
	g.add(core.LogChunk{From: 0, Next: 10, Data: []byte("10%\r20%\r30")}, cleaner{})
	if got := g.tail(9, cleaner{}); len(got) != 1 || got[0] != "30" {
		t.Errorf("unfinished: %q", got)
	}
	g.add(core.LogChunk{From: 10, Next: 30, Data: []byte("%\r\nb\x1b[2J\x00\tc\n\xff")}, cleaner{})
	if got := strings.Join(g.tail(9, cleaner{}), "|"); got != "30%|b    c|\ufffd" {
		t.Errorf("lines %q", got)
	}
	g.add(core.LogChunk{From: 100, Next: 104, Data: []byte("end\n"), End: true}, cleaner{})
	if got := strings.Join(g.tail(9, cleaner{}), "|"); got != "30%|b    c|\ufffd|[70 bytes not kept]|end" {
		t.Errorf("after a gap: %q", got)
	}
}

func TestALongLogLineIsWrapped(t *testing.T) {
	for _, l := range wrapLine(strings.Repeat("鏡a", 50), 7) {
		if n := ansi.StringWidth(l); n > 7 || n < 6 {
			t.Errorf("%q is %d wide", l, n)
		}
	}
	if got := strings.Join(wrapLine("abcdefg", 3), "|"); got != "abc|def|g" {
		t.Errorf("wrapped to %s", got)
	}
}

func TestTypingEditsByCharacters(t *testing.T) {
	in := newInput("e\u0301🎬b")
	for _, c := range []struct{ key, want string }{
		{"left", "e\u0301🎬b"}, {"backspace", "e\u0301b"}, {"backspace", "b"}, {"end", "b"}, {"ctrl+u", ""},
	} {
		in.press(keyPress(c.key))
		if got := in.value(); got != c.want {
			t.Fatalf("%s: %q, want %q", c.key, got, c.want)
		}
	}
	in.insert("two words\x1b[2J\n")
	in.press(keyPress("ctrl+w"))
	if got := in.value(); got != "two " {
		t.Errorf("ctrl+w left %q", got)
	}
	in.insert(strings.Repeat("x", 2*maxInput))
	if n := len(in.chars); n != maxInput {
		t.Errorf("%d characters", n)
	}
	if text, at := in.draw(cleaner{}, 10); width(text) > 10 || at > 10 {
		t.Errorf("drawn %q, cursor at %d", text, at)
	}
}

func TestACommandIsWrittenSoThatAShellReadsItBack(t *testing.T) {
	if got := quoteCommand([]string{"blender", "-b", "a b", "it's", "", "-o=1"}); got != `blender -b 'a b' 'it'\''s' '' -o=1` {
		t.Error(got)
	}
}

func TestTheTerminalIsJudgedByItsEnvironment(t *testing.T) {
	for _, c := range []struct {
		env   []string
		ascii bool
		color colorprofile.Profile
	}{
		{[]string{"TERM=xterm-256color", "LANG=en_GB.UTF-8", "COLORTERM=truecolor"}, false, colorprofile.TrueColor},
		{[]string{"TERM=xterm-256color", "LANG=C"}, true, colorprofile.ANSI256},
		{[]string{"TERM=xterm-256color", "LANG=en_GB.UTF-8", "LC_ALL=POSIX"}, true, colorprofile.ANSI256},
		{[]string{"TERM=linux", "LANG=en_GB.UTF-8"}, true, colorprofile.ANSI},
		{[]string{"TERM=xterm-256color", "NO_COLOR=0"}, false, colorprofile.ASCII},
		{[]string{"TERM=xterm-256color", "NO_COLOR=anything"}, false, colorprofile.ASCII},
		{[]string{"TERM=xterm-256color", "NO_COLOR="}, false, colorprofile.ANSI256},
		{[]string{"TERM=tmux-256color"}, true, colorprofile.ANSI256},
	} {
		out := &strings.Builder{}
		if got := asciiOnly(c.env); got != c.ascii {
			t.Errorf("%v: ASCII %v", c.env, got)
		}
		if got := colours(out, c.env); got != c.color {
			t.Errorf("%v: colours %v, want %v", c.env, got, c.color)
		}
	}
}

func TestInTmuxSynchronisedOutputStaysOff(t *testing.T) {
	report := tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset}
	if sift(environ{"TERM=xterm", "TMUX=/tmp/x"})(nil, report) != nil {
		t.Error("in tmux the report went through")
	}
	if sift(environ{"TERM=xterm"})(nil, report) == nil {
		t.Error("outside tmux the report was dropped")
	}
	if sift(environ{"TERM=tmux-256color"})(nil, tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore}) == nil {
		t.Error("another report was dropped")
	}
}
