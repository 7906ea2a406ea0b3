package jobs

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dcctop/core"
)

func TestARangeIsCutIntoChunks(t *testing.T) {
	for _, c := range []struct {
		text  string
		size  int
		total int
		want  string // the chunks, with blanks
	}{
		{"1-10", 4, 10, "1-4 5-8 9-10"},
		{"1-240x2", 100, 120, "1-199x2 201-239x2"},
		{"1-10x3", 2, 4, "1-4x3 7-10x3"},
		{"7", 0, 1, "7"},
		{"7", 8, 1, "7"},
		{"3-3", 1, 1, "3"},
		{"1-3", 0, 3, "1 2 3"},
		{"1-3,20-30x5", 2, 6, "1-2 3 20-25x5 30-30x5"},
		{" 1-2 , 9 ", 5, 3, "1-2 9"},
		{"20,10", 1, 2, "20 10"}, // in the order given
		{"-5-10", 8, 16, "-5-2 3-10"},
		{"-10--5", 3, 6, "-10--8 -7--5"},
		{"-7", 1, 1, "-7"},
		{"0-0x9", 1, 1, "0-0x9"},
		{"1-5x100", 1, 1, "1-1x100"},
		{"1-9x2,2-10x2", 5, 10, "1-9x2 2-10x2"}, // side by side, but no frame twice
		{"007-008", 2, 2, "7-8"},
	} {
		list, total, err := cutFrames(core.Frames{Range: c.text, Chunk: c.size})
		var got []string
		for _, k := range list {
			got = append(got, k.String())
		}
		if err != nil || total != c.total || strings.Join(got, " ") != c.want {
			t.Errorf("%q by %d: %v, %d frames, %v; want %s, %d", c.text, c.size, got, total, err, c.want, c.total)
		}
	}
}

func TestABadRangeIsRefusedWithTheFieldAndTheFix(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
		want []string
	}{
		{"10-1", 1, []string{"frames.range", `"10-1" runs backwards`, "1-10"}},
		{"1-5x0", 1, []string{"frames.range", `step "0"`, "from 1 up"}},
		{"1-5x-2", 1, []string{"frames.range", `step "-2"`}},
		{"1-5x", 1, []string{"frames.range", `step ""`}},
		{"1-5xx2", 1, []string{"frames.range", `step "x2"`}},
		{"", 1, []string{"frames.range", "empty", "1-240x2"}},
		{"  ", 1, []string{"frames.range", "empty"}},
		{"1,,2", 1, []string{"frames.range", "comma"}},
		{"1-2,", 1, []string{"frames.range", "comma"}},
		{"one", 1, []string{"frames.range", `"one"`, "not a frame"}},
		{"1-b", 1, []string{"frames.range", `"b" in "1-b"`}},
		{"1.5-3", 1, []string{"frames.range", `"1.5"`, "whole numbers"}},
		{"+1-3", 1, []string{"frames.range", `"+1"`}},
		{"1–5", 1, []string{"frames.range", "not a frame"}},
		{"1-", 1, []string{"frames.range", "no number on one side"}},
		{"-", 1, []string{"frames.range", "not a frame"}},
		{"x2", 1, []string{"frames.range", "no number"}},
		{"7x2", 1, []string{"frames.range", "a step but no end"}},
		{"1-99999999999999999999", 1, []string{"frames.range", "not a frame", "9999999"}},
		{"1-10,5-20", 5, []string{"frames.range", "frame 5 is in 1-10 and in 5-20"}},
		{"3,3", 1, []string{"frames.range", "frame 3 is in 3 and in 3"}},
		{"1-100x3,50-60", 5, []string{"frames.range", "frame 52"}},
		{"1-10", -1, []string{"frames.chunk", "-1 is below 1"}},
		{"1-1000000", 1, []string{"frames.chunk", "1000000 chunks", "100 frames or more"}},
		{"1-10001", 1, []string{"frames.chunk", "10001 chunks", "2 frames or more"}},
		{"1-1000001", 1000, []string{"frames.range", "1000001 frames", "at most 1000000"}},
		{"-9999999-9999999", 1, []string{"frames.range", "19999999 frames"}},
	} {
		list, _, err := cutFrames(core.Frames{Range: c.text, Chunk: c.size})
		if !errors.Is(err, core.ErrInvalid) || list != nil {
			t.Errorf("%q by %d: %v, %d chunks", c.text, c.size, err, len(list))
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q by %d: %q does not say %q", c.text, c.size, err, w)
			}
		}
	}
}

func TestTheLargestRangesAreTaken(t *testing.T) {
	for _, f := range []core.Frames{{Range: "1-1000000", Chunk: 100}, {Range: "1-10000"}, {Range: "-9999999-9999999x20", Chunk: 1000}} {
		list, total, err := cutFrames(f)
		sum := 0
		for _, c := range list {
			sum += c.frames()
		}
		if err != nil || sum != total || len(list) > maxChunks {
			t.Errorf("%+v: %d chunks of %d of %d frames, %v", f, len(list), sum, total, err)
		}
	}
}

// What is left of a range, written as a range, is cut into the same chunks: a
// rerun of the unfinished ones runs exactly these.
func TestAnyChunksOfARangeCanBeWrittenAsARange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, text := range []string{"1-40", "1-40x3", "-20-20x2,30-31,50", "1-9x2,2-10x2"} {
		for size := range 7 {
			all, _, err := cutFrames(core.Frames{Range: text, Chunk: size})
			if err != nil {
				t.Fatal(err)
			}
			for range 50 {
				some := slices.DeleteFunc(slices.Clone(all), func(chunk) bool { return random.IntN(3) == 0 })
				if len(some) == 0 {
					continue
				}
				short := rangeOf(some, size)
				back, _, err := cutFrames(core.Frames{Range: short, Chunk: size})
				if err != nil || !slices.Equal(back, some) {
					t.Fatalf("%v by %d as %q is cut into %v, %v", some, size, short, back, err)
				}
			}
		}
	}
	all, _, _ := cutFrames(core.Frames{Range: "1-240", Chunk: 8})
	if got := rangeOf(all, 8); got != "1-240" {
		t.Errorf("all of 1-240 is written %q", got)
	}
	if got := rangeOf(slices.Delete(all, 3, 5), 8); got != "1-24,41-240" {
		t.Errorf("1-240 without two chunks is written %q", got)
	}
}

func FuzzRangeOfFrames(f *testing.F) {
	for _, s := range []string{"1-240x2", "7", "-5--1", "1-10,20-30x5", "1-2-3", "--1", "9999999x"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		list, total, err := cutFrames(core.Frames{Range: text, Chunk: size})
		if err != nil {
			if !errors.Is(err, core.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		seen := make(map[int32]bool)
		for _, c := range list {
			if c.step < 1 || c.end < c.start || c.frames() > max(size, 1) {
				t.Fatalf("chunk %+v of %q by %d", c, text, size)
			}
			for n := c.start; n <= c.end; n += c.step {
				if seen[n] {
					t.Fatalf("frame %d of %q twice", n, text)
				}
				seen[n] = true
			}
		}
		if len(seen) != total || total == 0 {
			t.Fatalf("%q: %d frames, said %d", text, len(seen), total)
		}
		if back, _, err := cutFrames(core.Frames{Range: rangeOf(list, size), Chunk: size}); err != nil || !slices.Equal(back, list) {
			t.Fatalf("%q by %d written as %q", text, size, rangeOf(list, size))
		}
	})
}
