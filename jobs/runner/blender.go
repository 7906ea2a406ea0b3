package runner

import (
	"strconv"
	"strings"

	"dcctop/core"
)

// blender reads what Blender prints while it renders: "Fra:12 … | Sample 3/16",
// then "Saved: '…'". With the frames known from its arguments the progress is a
// part of them, in frames, the samples of the current one included; else it is
// the number of frames written.
type blender struct {
	plan  []span // in the order of rendering
	total int    // frames in plan; 0: not known

	frame   int     // being rendered
	at      int     // index of frame in plan
	part    float64 // of frame that is rendered
	from    int     // where the next frame is looked for in plan
	started bool    // frame is set
	written int     // frames, where the plan is not known
	counted bool    // frame is in written
}

func newBlender(args []string) *blender {
	b := &blender{plan: blenderPlan(args)}
	for _, s := range b.plan {
		b.total += s.len()
	}
	return b
}

func (b *blender) decode(line string) (core.Progress, bool) {
	if rest, ok := strings.CutPrefix(line, "Append frame "); ok { // into a video
		n, _ := digits(rest)
		return b.saved(n)
	}
	if strings.HasPrefix(line, "Saved: ") {
		return b.saved(b.frame)
	}
	frame, rest, ok := fra(line)
	if !ok {
		return core.Progress{}, false
	}
	if !b.started || frame != b.frame || b.at < b.from {
		at, ok := b.find(frame)
		if !ok {
			return core.Progress{}, false // not of the render that was asked for
		}
		b.frame, b.at, b.part, b.started, b.counted = frame, at, 0, true, false
	}
	if b.total == 0 {
		return b.progress(float64(b.written)), true
	}
	if part, ok := sampled(rest); ok { // most lines say nothing about it
		b.part = part
	}
	return b.progress(float64(b.at) + b.part), true
}

// saved ends the frame.
func (b *blender) saved(frame int) (core.Progress, bool) {
	if !b.started || frame != b.frame {
		return core.Progress{}, false
	}
	if b.total > 0 {
		b.from = b.at + 1
		return b.progress(float64(b.at + 1)), true
	}
	if !b.counted { // stereo, and file output nodes, write more than one file
		b.counted = true
		b.written++
	}
	return b.progress(float64(b.written)), true
}

func (b *blender) progress(current float64) core.Progress {
	return core.Progress{Current: current, Total: float64(b.total), Unit: "frame", Message: "frame " + strconv.Itoa(b.frame)}
}

// find returns the index of a frame in the plan, at or after b.from.
func (b *blender) find(frame int) (int, bool) {
	if b.total == 0 {
		return 0, true
	}
	start := 0
	for _, s := range b.plan {
		if i, ok := s.index(frame); ok && start+i >= b.from {
			return start + i, true
		}
		start += s.len()
	}
	return 0, false
}

// fra returns the frame that a line is about, and the rest of the line. Newer
// releases put a time in front of it.
func fra(line string) (frame int, rest string, ok bool) {
	before, after, ok := strings.Cut(line, "Fra:")
	if !ok || before != "" && !strings.HasSuffix(before, " ") {
		return 0, "", false
	}
	after = strings.TrimLeft(after, " ")
	minus := strings.HasPrefix(after, "-")
	frame, ok = digits(strings.TrimPrefix(after, "-"))
	if minus {
		frame = -frame
	}
	return frame, after, ok
}

// sampled returns which part of a frame is done: from "Sample 3/16", which may
// come after "Rendered 2/4 Tiles", or from Eevee's "Rendering 3 / 64 samples".
func sampled(line string) (float64, bool) {
	part, of, ok := ratio(line, "Sample ")
	if !ok {
		part, of, ok = ratio(line, "Rendering ")
	}
	if !ok || of <= 0 || part > of {
		return 0, false
	}
	done := min(float64(part)/float64(of), 0.99) // a frame is done when it is saved
	if tile, tiles, ok := ratio(line, "Rendered "); ok && tiles > 0 && tile < tiles {
		done = (float64(tile) + done) / float64(tiles)
	}
	return done, true
}

// ratio reads "A/B" or "A / B" after a word.
func ratio(line, word string) (a, b int, ok bool) {
	_, line, ok = strings.Cut(line, word)
	if !ok {
		return 0, 0, false
	}
	first, second, ok := strings.Cut(line, "/")
	if !ok {
		return 0, 0, false
	}
	a, err := strconv.Atoi(strings.TrimSpace(first))
	b, ok = digits(strings.TrimLeft(second, " "))
	return a, b, ok && err == nil && a >= 0
}

// digits reads the number that s starts with, of at most 9 digits.
func digits(s string) (n int, ok bool) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	if end == 0 || end > 9 {
		return 0, false
	}
	n, err := strconv.Atoi(s[:end])
	return n, err == nil
}
