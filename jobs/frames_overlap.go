package jobs

import "strings"

// checkOverlap refuses a frame that is in two spans: two chunks would write the
// same picture at the same time.
func checkOverlap(spans []chunk) error {
	if len(spans) < 2 {
		return nil
	}
	low, high := spans[0].start, spans[0].end
	for _, s := range spans {
		low, high = min(low, s.start), max(high, s.end)
	}
	seen := newBits(int(high-low) + 1)
	for i, s := range spans {
		for frame := s.start; frame <= s.end; frame += s.step {
			if at := int(frame - low); !seen.has(at) {
				seen.set(at)
				continue
			}
			for _, other := range spans[:i] {
				if frame >= other.start && frame <= other.end && (frame-other.start)%other.step == 0 {
					return invalid("frames.range", "frame %d is in %s and in %s; give each frame once", frame, other, s)
				}
			}
			// In no other, so twice in this one: it cannot be.
		}
	}
	return nil
}

// rangeOf writes chunks of a size so that [cutFrames] gives the same again.
// Neighbours are written as one span where that does not move a border.
func rangeOf(list []chunk, size int) string {
	var b strings.Builder
	for i := 0; i < len(list); {
		span := list[i]
		full := span.frames() == max(size, 1)
		for i++; i < len(list) && full && list[i].step == span.step && list[i].start == span.end+span.step; i++ {
			span.end = list[i].end
			full = list[i].frames() == max(size, 1)
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(span.String())
	}
	return b.String()
}

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) clear(i int)    { b[i/64] &^= 1 << (i % 64) }
func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
