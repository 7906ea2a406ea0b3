package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"dcctop/core"
)

// longLog is n numbered lines of about 100 bytes.
func longLog(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %06d %s\n", i, strings.Repeat("x", 80))
	}
	return b.String()
}

// inLog opens the log of one job.
func inLog(t *testing.T, text string, floor int64, test func(r *rig)) {
	t.Helper()
	inFarm(t, Options{Width: 120, Height: 24}, colorprofile.TrueColor, func(r *rig) {
		r.snapshot(job("J1", core.Running))
		r.feed.logs["J1"], r.feed.floor = text, floor
		r.press("l")
		test(r)
	})
}

func (r *rig) print(s string) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	r.feed.logs["J1"] += s
}

func TestALargeLogBeginsAtItsTailAndLoadsWhatIsScrolledTo(t *testing.T) {
	const n = 170_000 // 16 MiB
	inLog(t, longLog(n), 0, func(r *rig) {
		r.wants(fmt.Sprintf("line %06d", n-1), "following")
		if r.feed.reads > 4 || len(r.m.log.lines) > 1000 {
			t.Fatalf("%d readings, %d lines loaded to see the tail", r.feed.reads, len(r.m.log.lines))
		}
		const page = 18
		want := n - 19 // the line at the top
		for range 100 {
			r.press("pgup")
			want -= page
			r.wants(fmt.Sprintf("line %06d", want), fmt.Sprintf("line %06d", want+page))
		}
		r.wants("below · G follows")
		if r.feed.reads > 12 {
			t.Errorf("%d readings for 2,000 lines", r.feed.reads)
		}
		r.press("k", "k", "j")
		r.wants(fmt.Sprintf("line %06d", want-1))
		r.lacks(fmt.Sprintf("line %06d", want-2))
		r.press("G")
		r.wants(fmt.Sprintf("line %06d", n-1), "following")
		r.press("g")
		r.wants("line 000000", "more below · G goes to the end")
		for i := range 40 {
			r.press("pgdown")
			r.wants(fmt.Sprintf("line %06d", page*(i+1)))
		}
		r.press("G")
		r.wants(fmt.Sprintf("line %06d", n-1), "following")
		r.print("and on it goes\n")
		r.pass(2 * time.Second)
		r.wants("and on it goes", "following")
	})
}

func TestALogThatIsReadThroughKeepsAWindowOfIt(t *testing.T) {
	const n = 60_000
	inLog(t, longLog(n), 0, func(r *rig) {
		for range n/18 + 1 {
			r.m.screen()
			r.press("pgup")
		}
		r.wants("line 000000")
		if got := len(r.m.log.lines); got > maxLogLines {
			t.Errorf("%d lines are kept", got)
		}
		for i := 0; i < n; i += 18 {
			r.m.screen()
			r.press("pgdown")
			if want := fmt.Sprintf("line %06d", min(i+18, n-19)); r.m.log.line(r.m.logView.top, r.m.clean)[:11] != want {
				r.wants(want)
			}
		}
		r.wants(fmt.Sprintf("line %06d", n-1), "following")
	})
}

func TestWhatALogNoLongerKeepsIsSaidAtItsTop(t *testing.T) {
	text := longLog(5000)
	inLog(t, text, 300_000, func(r *rig) {
		r.press("g")
		r.wants("[300000 bytes not kept]")
		r.press("G")
		for range 400 {
			r.press("pgup")
		}
		r.wants("[300000 bytes not kept]")
		reads := r.feed.reads
		r.press("pgup", "pgup")
		if r.feed.reads != reads {
			t.Error("what is not kept is asked for again and again")
		}
	})
}

func TestAScrolledLogStaysWhileMoreIsPrinted(t *testing.T) {
	inLog(t, longLog(3000), 0, func(r *rig) {
		r.wants("following")
		r.press("pgup", "pgup")
		before := r.line("line 002960")
		for range 50 {
			r.print(longLog(100))
			r.pass(250 * time.Millisecond)
		}
		if got := r.line("line 002960"); before == "" || got != before {
			t.Errorf("%q became %q", before, got)
		}
		r.press("G")
		r.pass(time.Second)
		r.wants("line 000099", "following")
	})
}

func TestAJobThatPrintsFasterThanItIsReadIsFollowedAtItsTail(t *testing.T) {
	inLog(t, longLog(100), 0, func(r *rig) {
		r.print(longLog(50_000) + "the very end\n")
		r.pass(2 * time.Second)
		r.wants("the very end", "following")
		if r.feed.reads > 25 {
			t.Errorf("%d readings to catch up", r.feed.reads)
		}
	})
}

func TestAWordIsFoundInTheLogWhereverItStands(t *testing.T) {
	text := longLog(20_000)
	text = strings.Replace(text, "line 000007 ", "line 000007 Error: no camera ", 1)
	text = strings.Replace(text, "line 019900 ", "line 019900 error: late ", 1)
	inLog(t, text, 0, func(r *rig) {
		r.press("n")
		r.wants("/ looks for a word in the log")
		r.press("/")
		r.typeText("error:")
		r.wants("find: error:")
		r.press("enter")
		r.wants("line 019900 error: late", "n N: error:")
		r.press("n")
		r.wants("line 000007 Error: no camera")
		r.press("n")
		r.wants("not found above: error:")
		r.press("N")
		r.wants("line 019900 error: late")
		r.press("N")
		r.wants("not found below: error:")
		r.press("G", "esc")
		if r.m.logOn || r.m.index.filter.text != "" {
			t.Error("the log is still open, or the list was filtered")
		}
		r.wantSent("")
	})
}

func TestALineOfTenMegabytesNeitherBlocksNorFillsTheMemory(t *testing.T) {
	inLog(t, strings.Repeat("z", 10<<20), 0, func(r *rig) {
		r.wants("zzzz")
		for range 30 {
			r.press("pgup")
		}
		if r.m.log.size > maxLogBytes {
			t.Errorf("%d bytes are kept", r.m.log.size)
		}
		r.press("g", "G")
		r.print("\nafter it\n")
		r.pass(time.Second)
		r.wants("after it")
	})
}

func TestPiecesOfALogMeetWithoutLossOrDoubling(t *testing.T) {
	// the same log, read forwards from its start and backwards from its tail
	var b strings.Builder
	for i := 0; b.Len() < 5*logPiece; i++ {
		fmt.Fprintf(&b, "%d %s\r\n", i, strings.Repeat("渲a", i*37%90))
	}
	text := b.String()
	f := newFakeFeed()
	f.logs["J"] = text
	read := func(from int64) core.LogChunk {
		c, err := f.Log(t.Context(), "J", from)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	var forward, backward logText
	for forward.next < int64(len(text)) {
		forward.add(read(forward.next), cleaner{})
	}
	backward.locate(read(beyond))
	backward.add(read(backward.next), cleaner{})
	for n := 0; !backward.floor && n < 100; n++ {
		at := backward.older()
		backward.addOlder(read(at), at, cleaner{})
	}
	want := strings.Split(strings.ReplaceAll(strings.TrimSuffix(text, "\r\n"), "\r\n", "\n"), "\n")
	for name, g := range map[string]*logText{"forwards": &forward, "backwards": &backward} {
		if got := g.tail(1<<20, cleaner{}); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %d lines, want %d", name, len(got), len(want))
		}
		for _, l := range g.lines {
			if !strings.HasPrefix(text[l.at:], strings.Fields(l.text)[0]+" ") {
				t.Fatalf("%s: %q is not at %d", name, l.text[:10], l.at)
			}
		}
	}
}

func TestAPieceThatComesShortLosesNothing(t *testing.T) {
	text := longLog(3000)
	g := &logText{}
	g.locate(core.LogChunk{From: int64(len(text)), Next: int64(len(text))})
	part := func(from, n int64) core.LogChunk {
		next := min(from+n, int64(len(text)))
		return core.LogChunk{From: from, Next: next, Data: []byte(text[from:next])}
	}
	g.add(part(g.next, logPiece), cleaner{})
	for i := int64(0); !g.floor && i < 1000; i++ {
		at := g.older()
		g.addOlder(part(at, logPiece-(i%3)*10_000), at, cleaner{})
	}
	if got := g.tail(1<<20, cleaner{}); len(got) != 3000 || got[0][:11] != "line 000000" {
		t.Errorf("%d lines, the first %q", len(got), got[0])
	}
}
