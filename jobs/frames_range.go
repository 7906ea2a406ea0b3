package jobs

import (
	"strconv"
	"strings"

	"dcctop/core"
)

// The limits on a range of frames. The package comment states them.
const (
	maxFrame      = 9_999_999 // and as far below 0
	maxFrames     = 1_000_000
	maxChunks     = 10_000
	maxFrameRange = 512 << 10 // bytes; room for the largest number of chunks, each by itself
)

// chunk is some frames of a range, the work of one child: from start on, every
// step-th, up to end, which is one of them.
type chunk struct{ start, end, step int32 }

// frames returns how many there are.
func (c chunk) frames() int { return int(c.end-c.start)/int(c.step) + 1 }

// span is the first and the last frame, for a name: "1-15", "7".
func (c chunk) span() string {
	if c.start == c.end {
		return strconv.Itoa(int(c.start))
	}
	return strconv.Itoa(int(c.start)) + "-" + strconv.Itoa(int(c.end))
}

// String writes the chunk as a range: "1-15x2".
func (c chunk) String() string {
	switch {
	case c.step == 1:
		return c.span()
	case c.start == c.end: // the step is kept, since {step} stands for it
		return c.span() + "-" + c.span() + "x" + strconv.Itoa(int(c.step))
	}
	return c.span() + "x" + strconv.Itoa(int(c.step))
}

// cutFrames returns the chunks of a range, in the order in which it is written,
// and the number of frames in them. A range is frames and spans with commas:
// "7", "1-240", "1-240x2" for every second one, "1-10,20-30x5". Frames below 0
// are written as they are: "-5-10", "-10--5". A chunk holds frames of one span
// only.
//
// The error names the field and the fix. What is too large is refused before
// anything is made.
func cutFrames(f core.Frames) ([]chunk, int, error) {
	size := f.Chunk
	if size == 0 {
		size = 1
	}
	if size < 0 {
		return nil, 0, invalid("frames.chunk", "%d is below 1; give how many frames a chunk takes", f.Chunk)
	}
	spans, err := readRange(f.Range)
	if err != nil {
		return nil, 0, err
	}
	frames, chunks := 0, 0
	for _, s := range spans {
		frames += s.frames()
		chunks += (s.frames() + size - 1) / size
	}
	switch {
	case frames > maxFrames:
		return nil, 0, invalid("frames.range", "%d frames; give at most %d in one job", frames, maxFrames)
	case chunks > maxChunks:
		return nil, 0, invalid("frames.chunk", "%d chunks of up to %d frames; a job has at most %d chunks, give a chunk of %d frames or more",
			chunks, size, maxChunks, max(size+1, (frames+maxChunks-1)/maxChunks))
	}
	if err := checkOverlap(spans); err != nil {
		return nil, 0, err
	}
	list := make([]chunk, 0, chunks)
	for _, s := range spans {
		for n := s.frames(); n > 0; n -= size {
			c := chunk{start: s.start, step: s.step}
			c.end = s.start + int32(min(n, size)-1)*s.step
			list = append(list, c)
			s.start = c.end + s.step
		}
	}
	return list, frames, nil
}

// readRange returns the spans of a range.
func readRange(text string) ([]chunk, error) {
	if strings.TrimSpace(text) == "" {
		return nil, invalid("frames.range", "empty; give the frames, as 1-240, 1-240x2 or 7")
	}
	if len(text) > maxFrameRange {
		return nil, invalid("frames.range", "%d bytes long; give at most %d", len(text), maxFrameRange)
	}
	spans := make([]chunk, 0, strings.Count(text, ",")+1)
	for part := range strings.SplitSeq(text, ",") {
		s, err := readSpan(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		spans = append(spans, s)
	}
	return spans, nil
}

func readSpan(text string) (chunk, error) {
	if text == "" {
		return chunk{}, invalid("frames.range", "nothing before or after a comma; leave the comma out")
	}
	body, by, stepped := strings.Cut(text, "x")
	first, last, ranged := body, body, false
	if i := strings.IndexByte(body[min(1, len(body)):], '-'); i >= 0 {
		first, last, ranged = body[:i+1], body[i+2:], true
	}
	start, ok := readFrame(first)
	if !ok {
		return chunk{}, notAFrame(first, text)
	}
	end, ok := readFrame(last)
	if !ok {
		return chunk{}, notAFrame(last, text)
	}
	step := int32(1)
	if stepped {
		if step, ok = readFrame(by); !ok || step < 1 {
			return chunk{}, invalid("frames.range", "step %q of %q; give a whole number from 1 up, as in 1-240x2", cut(by, maxWord), cut(text, maxWord))
		}
	}
	switch {
	case stepped && !ranged:
		return chunk{}, invalid("frames.range", "%q has a step but no end; write it as 1-240x2", cut(text, maxWord))
	case end < start:
		return chunk{}, invalid("frames.range", "%q runs backwards; write it as %d-%d", cut(text, maxWord), end, start)
	}
	end -= (end - start) % step
	return chunk{start, end, step}, nil
}

// readFrame reads a whole number, as it is commonly written.
func readFrame(text string) (int32, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 32)
	return int32(n), err == nil && n >= -maxFrame && n <= maxFrame
}

func notAFrame(text, in string) error {
	if in = cut(in, maxWord); text == "" {
		return invalid("frames.range", "%q has no number on one side; write it as 1-240, 1-240x2 or 7", in)
	}
	return invalid("frames.range", "%q in %q is not a frame; give whole numbers from %d to %d, as in 1-240, 1-240x2 or 7",
		cut(text, maxWord), in, -maxFrame, maxFrame)
}
