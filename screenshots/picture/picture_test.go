package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"dcctop/ui/tui/tuitest"
)

// show returns the screen and the picture of what a program printed.
func show(t testing.TB, w, h int, out string) (tuitest.Screen, *image.RGBA) {
	t.Helper()
	term := tuitest.New(t, w, h)
	if _, err := term.Write([]byte(strings.ReplaceAll(out, "\n", "\r\n"))); err != nil {
		t.Fatal(err)
	}
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	s := term.Screen()
	return s, p.Draw(s, term.Theme())
}

// at returns the colour in the middle of a cell, moved by dx, dy pixels.
func at(img image.Image, x, y, dx, dy int) color.Color {
	return img.At(margin+x*cellW+cellW/2+dx, margin+y*cellH+cellH/2+dy)
}

func TestCellsAreDrawnInTheirColours(t *testing.T) {
	_, img := show(t, 8, 2, "\x1b[?25l\x1b[31m█\x1b[38;5;196m█\x1b[38;2;1;2;3m█\x1b[m\x1b[42m \x1b[m\x1b[7m \x1b[m\x1b[2m█\x1b[m█")
	th := tuitest.Dark()
	for x, want := range []color.Color{
		th.Palette[1], color.RGBA{0xff, 0, 0, 0xff}, color.RGBA{1, 2, 3, 0xff}, th.Palette[2], th.Fg,
		mix(th.Resolve(th.Fg, nil), th.Resolve(th.Bg, nil), 0.45), th.Fg, th.Bg,
	} {
		if got := at(img, x, 0, 0, 0); got != want {
			t.Errorf("cell %d is %v, want %v", x, got, want)
		}
	}
}

func TestTheCursorIsSeen(t *testing.T) {
	th := tuitest.Dark()
	_, img := show(t, 4, 1, "ab")
	if got := at(img, 2, 0, 0, 0); got != th.Fg {
		t.Errorf("block cursor is %v, want %v", got, th.Fg)
	}
	_, img = show(t, 4, 1, "\x1b[6 qab")
	if got := at(img, 2, 0, -cellW/2, 0); got != th.Fg {
		t.Errorf("bar cursor is %v, want %v", got, th.Fg)
	}
	if got := at(img, 2, 0, 0, 0); got != th.Bg {
		t.Errorf("beside the bar cursor is %v, want %v", got, th.Bg)
	}
	_, img = show(t, 4, 1, "ab\x1b[?25l")
	if got := at(img, 2, 0, 0, 0); got != th.Bg {
		t.Errorf("a hidden cursor is %v, want %v", got, th.Bg)
	}
}

func TestFramesHaveNoSeams(t *testing.T) {
	_, img := show(t, 3, 3, "\x1b[?25l╭─╮\n│ │\n╰─╯")
	fg := tuitest.Dark().Fg
	for x := margin + cellW; x < margin+2*cellW; x++ {
		for _, y := range []int{0, 2} {
			if got := img.At(x, margin+y*cellH+cellH/2); got != fg {
				t.Fatalf("row %d, pixel %d is %v: a gap in the line", y, x, got)
			}
		}
	}
	for y := margin + cellH; y < margin+2*cellH; y++ {
		for _, x := range []int{0, 2} {
			if got := img.At(margin+x*cellW+cellW/2, y); got != fg {
				t.Fatalf("column %d, pixel %d is %v: a gap in the line", x, y, got)
			}
		}
	}
}

func TestEverySignIsDrawnAndNoTwoAreTheSame(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	same := strings.NewReplacer("⚫", "●", "⬤", "●", "⚪", "○", "◯", "○", "⦿", "◉", "◼", "■", "⏹", "■", "⬛", "■", "◻", "□", "⬜", "□", "☐", "□", "⏺", "●")
	seen := map[string]rune{}
	check := func(r rune) {
		m := p.shape(glyph{text: string(r), width: cellsOf(r)})
		sum := 0
		for _, a := range m.Pix {
			sum += int(a)
		}
		if sum == 0 && r != 0x2800 {
			t.Errorf("%c (%U) is empty", r, r)
		}
		key := string(m.Pix)
		if other, ok := seen[key]; ok && same.Replace(string(r)) != same.Replace(string(other)) {
			t.Errorf("%c (%U) looks like %c (%U)", r, r, other, other)
		}
		seen[key] = r
	}
	for r := rune(0x2500); r <= 0x259f; r++ {
		check(r)
	}
	for r := rune(0x2800); r <= 0x28ff; r++ {
		check(r)
	}
	for _, r := range "●○◐◑◒◓◔◕◌◎◉⊙◦⊘⊗⊕⊖▲△▶▷▼▽◀◁▴▵▸▹▾▿◂◃■□▪▫◆◇◈★☆✓✔✗✖❯❮⏸⏵⏺⏳⚠⚡⚑⋯⋮↵⇧⇥⇒⇐↻↺␣←→↑↓…•·éß渲染鏡頭🎬" {
		check(r)
	}
}

func TestWhatCannotBeDrawnLeavesABoxOfItsWidth(t *testing.T) {
	_, img := show(t, 6, 1, "\x1b[?25l龍x")
	bg := tuitest.Dark().Bg
	inked := func(from, to int) (n int) {
		for x := margin + from*cellW; x < margin+to*cellW; x++ {
			for y := margin; y < margin+cellH; y++ {
				if img.At(x, y) != bg {
					n++
				}
			}
		}
		return n
	}
	if inked(0, 1) == 0 || inked(1, 2) == 0 || inked(2, 3) == 0 || inked(3, 6) != 0 {
		t.Errorf("ink by cell: %d %d %d, rest %d", inked(0, 1), inked(1, 2), inked(2, 3), inked(3, 6))
	}
}

func TestALetterOfTwoCodePointsIsOneLetter(t *testing.T) {
	_, one := show(t, 3, 1, "é")
	_, two := show(t, 3, 1, "e\u0301")
	_, plain := show(t, 3, 1, "e")
	if !bytes.Equal(one.Pix, two.Pix) || bytes.Equal(one.Pix, plain.Pix) {
		t.Error("e with a combining accent is not drawn as é")
	}
}

func cellsOf(r rune) int {
	if _, ok := han(r); ok || r == '🎬' {
		return 2
	}
	return 1
}

// sheet is a screen with everything on it that can be drawn.
func sheet() string {
	var b strings.Builder
	b.WriteString("\x1b[1mbold\x1b[m \x1b[2mfaint\x1b[m \x1b[3mitalic\x1b[m \x1b[1;3mboth\x1b[m \x1b[4munderlined\x1b[m \x1b[7mreverse\x1b[m \x1b[9mstruck\x1b[m e\u0301 naïve 渲染_鏡頭010 龍 🎬 👨‍👩‍👧 🇫🇮 שלום\r\n")
	for i := range 16 {
		fmt.Fprintf(&b, "\x1b[48;5;%dm  \x1b[38;5;%dm\x1b[49m██", i, i)
	}
	b.WriteString("\x1b[m\r\n")
	for i := range 64 {
		fmt.Fprintf(&b, "\x1b[48;2;%d;%d;%dm ", i*4, 80, 255-i*4)
	}
	b.WriteString("\x1b[m\r\n")
	for r := rune(0x2500); r <= 0x259f; r++ {
		b.WriteRune(r)
		if r%0x40 == 0x3f {
			b.WriteString("\r\n")
		}
	}
	b.WriteString("\r\n▏▎▍▌▋▊▉█ ⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ ⣾⣽⣻⢿⡿⣟⣯⣷ ▁▂▃▄▅▆▇█\r\n")
	b.WriteString("● ○ ◐ ◑ ◒ ◓ ◔ ◕ ◌ ◎ ◉ ⊙ ◦ ⊘ ⊗ ⊕ ⊖ ▲ △ ▶ ▷ ▼ ▽ ◀ ◁ ▴ ▵ ▸ ▹ ▾ ▿ ◂ ◃ ■ □ ▪ ▫ ◆ ◇ ◈ ★ ☆\r\n")
	b.WriteString("✓ ✔ ✗ ✘ ✕ ✖ ❯ ❮ ⏸ ⏵ ⏺ ⏹ ⏳ ⚠ ⚡ ⚑ ⋯ ⋮ ↵ ⇧ ⇥ ⇒ ⇐ ↻ ↺ ␣ ← → ↑ ↓ ↔ ↕ … • · × – — ‘’ “” « » § µ ° ±\r\n")
	b.WriteString("╭────┬────╮  ┏━━━━┳━━━━┓  ╔════╦════╗  ┌╌╌┄┄┈┈┐\r\n│ a  │ b  │  ┃ a  ┃ b  ┃  ║ a  ║ b  ║  ┆      ╎\r\n")
	b.WriteString("├────┼────┤  ┣━━━━╋━━━━┫  ╠════╬════╣  ╟──╫───╢\r\n│ c  │ d  │  ┃ c  ┃ d  ┃  ║ c  ║ d  ║  ╞══╪═══╡\r\n╰────┴────╯  ┗━━━━┻━━━━┛  ╚════╩════╝  └──┴───┘")
	return b.String()
}

// The sheet is looked at by a person: PICTURE_SHEET=file go test -run Sheet .
func TestSheet(t *testing.T) {
	_, img := show(t, 96, 18, strings.ReplaceAll(sheet(), "\r", ""))
	var out bytes.Buffer
	if err := Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	read, err := png.Decode(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			a, b := img.RGBAAt(x, y), color.RGBAModel.Convert(read.At(x, y)).(color.RGBA)
			worst = max(worst, math.Abs(float64(a.R)-float64(b.R)), math.Abs(float64(a.G)-float64(b.G)), math.Abs(float64(a.B)-float64(b.B)))
		}
	}
	if worst > 24 {
		t.Errorf("a colour is off by %v of 255 in the file", worst)
	}
	if got, want := img.Rect.Size(), Size(96, 18); got != want {
		t.Errorf("picture is %v, want %v", got, want)
	}
	if file := os.Getenv("PICTURE_SHEET"); file != "" {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkPicture160x48(b *testing.B) {
	s, _ := show(b, 160, 48, strings.ReplaceAll(strings.Repeat(sheet()+"\r\n", 3), "\r", ""))
	for b.Loop() {
		p, err := New()
		if err != nil {
			b.Fatal(err)
		}
		var out bytes.Buffer
		if err := Encode(&out, p.Draw(s, tuitest.Dark())); err != nil {
			b.Fatal(err)
		}
	}
}
