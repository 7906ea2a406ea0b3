package tuitest

import (
	"fmt"
	"image/color"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// probe is a small program that shows what it was told.
type probe struct {
	w, h   int
	keys   []string
	pasted string
	bg     string
	level  int
	repeat int
}

func (m probe) Init() tea.Cmd { return tea.RequestBackgroundColor }

func (m probe) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.bg = fmt.Sprintf("dark %v", msg.IsDark())
	case tea.PasteMsg:
		m.pasted = msg.Content
	case tea.KeyboardEnhancementsMsg:
		m.level = msg.Flags
	case tea.KeyPressMsg:
		if msg.IsRepeat {
			m.repeat++
			return m, nil
		}
		m.keys = append(m.keys, msg.String())
		switch msg.String() {
		case "q":
			return m, tea.Quit
		case "y":
			return m, tea.SetClipboard("01J9ZX")
		}
	}
	return m, nil
}

func (m probe) View() tea.View {
	red := lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true)
	true24 := lipgloss.NewStyle().Background(lipgloss.Color("#123456")).Reverse(true).Underline(true)
	v := tea.NewView(strings.Join([]string{
		fmt.Sprintf("size %dx%d", m.w, m.h),
		"keys " + strings.Join(m.keys, " "),
		"paste " + m.pasted,
		m.bg,
		fmt.Sprintf("level %d, repeats %d", m.level, m.repeat),
		red.Render("red") + " " + true24.Render("deep"),
		"渲染_鏡頭010|é|👨‍👩‍👧|🇫🇮|",
	}, "\n"))
	v.AltScreen = true
	v.WindowTitle = "probe"
	v.KeyboardEnhancements.ReportEventTypes = true
	return v
}

// run starts a probe on a terminal and returns the latter with what waits for
// the probe's end.
func run(t *testing.T, o Options) (*Term, func()) {
	t.Helper()
	term := NewWith(t, o)
	p := tea.NewProgram(probe{}, tea.WithInput(term), tea.WithOutput(term), tea.WithEnvironment(term.Env()),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithoutSignals())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	wait := func() {
		t.Helper()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("program: %v", err)
			}
			ended <- nil
		case <-time.After(10 * time.Second):
			t.Fatalf("program has not ended\n%s", term.Framed(term.Text()))
		}
	}
	t.Cleanup(func() {
		p.Quit()
		wait()
	})
	return term, wait
}

func TestAProgramLearnsItsSizeAndEachNewOne(t *testing.T) {
	term, _ := run(t, Options{Width: 60, Height: 12})
	term.WaitText("size 60x12")
	told := 0
	term.OnResize(func(w, h int) { told = w*1000 + h })
	term.Resize(100, 30)
	term.WaitText("size 100x30")
	if told != 100030 {
		t.Errorf("the hook was told %d, want 100x30", told)
	}
	if w, h := term.Size(); w != 100 || h != 30 {
		t.Errorf("terminal is %dx%d, want 100x30", w, h)
	}
}

func TestTheTerminalAnswersForItsColours(t *testing.T) {
	for name, tc := range map[string]struct {
		o    Options
		want string
	}{
		"dark":  {Options{}, "dark true"},
		"light": {Options{Light: true}, "dark false"},
	} {
		t.Run(name, func(t *testing.T) {
			term, _ := run(t, tc.o)
			term.WaitText(tc.want)
		})
	}
}

func TestEveryKeyArrivesUnderItsName(t *testing.T) {
	names := []string{
		"a", "G", "enter", "tab", "shift+tab", "space", "backspace", "up", "down", "left", "right",
		"home", "end", "pgup", "pgdown", "delete", "insert", "f1", "f4", "f5", "f9", "f12",
		"ctrl+c", "ctrl+z", "alt+x", "ctrl+left", "shift+up", "/", "?", "é", "鏡", "esc",
	}
	for name, o := range map[string]Options{"new": {Width: 300}, "legacy": {Width: 300, Legacy: true}} {
		t.Run(name, func(t *testing.T) {
			term, _ := run(t, o)
			term.WaitText("size 300")
			if !o.Legacy {
				term.WaitText("level 3") // from now on keys are unambiguous
			}
			term.Key(names...)
			term.Key("esc")
			term.Type("x") // no alt+x, however soon it follows
			term.WaitText("keys " + strings.Join(names, " ") + " esc x")
		})
	}
}

func TestAHeldKeyRepeatsAndIsReleased(t *testing.T) {
	term, _ := run(t, Options{})
	term.WaitText("level 3")
	term.Hold("c", 5)
	term.Type("d")
	term.WaitText("keys c d")
	term.WaitText("repeats 5")
}

func TestOnALegacyTerminalAHeldKeyIsTheSameBytesAgain(t *testing.T) {
	term, _ := run(t, Options{Legacy: true})
	term.WaitText("size 80")
	term.Hold("c", 2)
	term.Type("d")
	term.WaitText("keys c c c d")
}

func TestPastedTextIsNotTyped(t *testing.T) {
	term, _ := run(t, Options{})
	term.WaitText("size 80")
	term.Paste("cy")
	term.WaitText("paste cy")
	if line := term.Line(1); line != "keys" {
		t.Errorf("row 1 is %q: the paste arrived as keys", line)
	}
}

func TestTheClipboardHoldsWhatWasCopied(t *testing.T) {
	term, _ := run(t, Options{})
	term.WaitText("size 80")
	term.Type("y")
	term.WaitText("keys y")
	term.Type("q")
	term.WaitFor("the clipboard", func(string) bool { return term.Clipboard() == "01J9ZX" })
}

func TestCellsHaveColoursAttributesAndWidths(t *testing.T) {
	term, _ := run(t, Options{})
	term.WaitText("deep")
	cells := term.Cells()
	red, deep := cells[5][0], cells[5][4]
	if red.Text != "r" || !red.Bold || red.Reverse {
		t.Errorf("first cell is %+v, want a bold r", red)
	}
	if got, want := Dark().Resolve(red.Fg, color.Black), Dark().Palette[1]; got != want {
		t.Errorf("red is %v, want the theme's %v", got, want)
	}
	if got, want := Dark().Resolve(deep.Bg, color.Black), (color.RGBA{0x12, 0x34, 0x56, 0xff}); got != want {
		t.Errorf("background is %v, want %v", got, want)
	}
	if !deep.Reverse || !deep.Underline {
		t.Errorf("cell is %+v, want reverse and underlined", deep)
	}
	var got []string
	for _, c := range cells[6][:24] {
		got = append(got, fmt.Sprintf("%s:%d", c.Text, c.Width))
	}
	want := "渲:2 :0 染:2 :0 _:1 鏡:2 :0 頭:2 :0 0:1 1:1 0:1 |:1 é:1 |:1 👨‍👩‍👧:2 :0 |:1 🇫🇮:2 :0 |:1  :1  :1  :1"
	if g := strings.Join(got, " "); g != want {
		t.Errorf("wide row:\n got %s\nwant %s", g, want)
	}
	if col, row, ok := term.Find("|é"); col != 12 || row != 6 || !ok {
		t.Errorf("found at %d,%d %v, want column 12 of row 6", col, row, ok)
	}
}

func TestHistoryHoldsEachScreenOnce(t *testing.T) {
	term := New(t, 20, 3)
	for _, s := range []string{"\x1b[Hrunning", "\x1b[Hrunning", "\x1b[Hcancelling", "\x1b[Hcancelled \x1b[K"} {
		if _, err := term.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, f := range term.History() {
		got = append(got, f.Text)
	}
	if want := "running,cancelling,cancelled"; strings.Join(got, ",") != want {
		t.Errorf("history %q, want %s", got, want)
	}
	if f, ok := term.FirstShown("cancelled"); !ok || f.At.IsZero() {
		t.Errorf("first frame with cancelled: %v %v", f, ok)
	}
	if _, ok := term.FirstShown("failed"); ok {
		t.Error("a word that was in no frame was found")
	}
	if got, want := term.Bytes(), int64(10+10+13+16); got != want {
		t.Errorf("%d bytes written, want %d", got, want)
	}
}

func TestASynchronisedUpdateIsSeenWhole(t *testing.T) {
	term := New(t, 20, 3)
	for _, s := range []string{"\x1b[?2026h\x1b[Hone", " two", " three\x1b[?2026l"} {
		if _, err := term.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	h := term.History()
	if len(h) != 1 || h[0].Text != "one two three" {
		t.Errorf("history %v, want one whole screen", h)
	}
}

func TestOutputForALargerScreenComesAfterTheResize(t *testing.T) {
	term := New(t, 20, 6)
	if _, err := term.Write([]byte("\x1b[4;1Hfour\x1b[5;1Hfive\x1b[6;1Hsix")); err != nil {
		t.Fatal(err)
	}
	term.Resize(20, 5)
	if _, err := term.Write([]byte("\x1b[4;6r\x1b[S\x1b[r")); err != nil { // rows 4 to 6, one up
		t.Fatal(err)
	}
	if got, want := term.Text(), "\n\n\nfive"; got != want {
		t.Errorf("screen %q, want %q: the region is cut at the last row", got, want)
	}
}

// failing takes a failure instead of a test.
type failing struct {
	T
	message string
}

func (f *failing) Fatalf(format string, args ...any) { f.message = fmt.Sprintf(format, args...) }

func TestAWaitThatFailsShowsTheWholeScreen(t *testing.T) {
	f := &failing{T: t}
	term := New(f, 20, 3)
	if _, err := term.Write([]byte("\r\nrunning 鏡")); err != nil {
		t.Fatal(err)
	}
	term.WaitText("cancelled", time.Millisecond)
	want := "waited for \"cancelled\": not within 1ms\n" +
		"┌────────────────────┐ 20x3\n" +
		"│                    │\n" +
		"│running 鏡          │\n" +
		"│                    │\n" +
		"└────────────────────┘"
	if f.message != want {
		t.Errorf("message:\n%s\nwant:\n%s", f.message, want)
	}
}

func TestAClosedTerminalEndsTheInput(t *testing.T) {
	term := NewWith(t, Options{})
	if _, err := term.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	if n, err := term.Read(buf); err != nil || !strings.HasPrefix(string(buf[:n]), "\x1b[48;24;80;") {
		t.Errorf("first read %q %v, want the size", buf[:n], err)
	}
	for range 2 {
		if err := term.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if n, err := term.Read(buf); n != 0 || err == nil {
		t.Errorf("read after close: %d %v, want EOF", n, err)
	}
	if _, err := term.Write([]byte("x")); err == nil {
		t.Error("write after close succeeded")
	}
}

func TestItWorksOnAClockThatATestMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		term, ended := run(t, Options{})
		term.WaitText("level 3")
		term.Type("a")
		<-time.After(time.Hour)
		synctest.Wait()
		if line := term.Line(1); line != "keys a" {
			t.Errorf("row 1 is %q", line)
		}
		term.Type("q")
		ended()
		if d := time.Since(start); d < time.Hour || d > time.Hour+time.Minute {
			t.Errorf("took %v of the test's time, want an hour", d)
		}
	})
}
