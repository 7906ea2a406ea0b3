package runner

// tail is the last bytes of a stream, in memory.
type tail struct {
	limit int
	buf   []byte // the byte at offset o is at o % limit; shorter than limit while nothing was dropped
	end   int64  // offset of the next byte
}

func (l *tail) write(p []byte) {
	l.grow(int(min(l.end+int64(len(p)), int64(l.limit))))
	if skip := len(p) - l.limit; skip > 0 { // these would be overwritten at once
		l.end += int64(skip)
		p = p[skip:]
	}
	for len(p) > 0 {
		done := copy(l.buf[l.end%int64(l.limit):], p)
		l.end += int64(done)
		p = p[done:]
	}
}

// grow makes the buffer n bytes long, with room for as much again but never for
// more than the limit.
func (l *tail) grow(n int) {
	if n <= len(l.buf) {
		return
	}
	if n > cap(l.buf) {
		buf := make([]byte, len(l.buf), min(max(2*n, 512), l.limit))
		copy(buf, l.buf)
		l.buf = buf
	}
	l.buf = l.buf[:n]
}

// read returns a copy of at most that many bytes from an offset or from the
// first that is held, and the offset behind them.
func (l *tail) read(from int64, most int) (data []byte, next int64) {
	from = max(from, l.end-int64(len(l.buf)))
	n := min(l.end-from, int64(most))
	if n <= 0 {
		return nil, min(from, l.end)
	}
	data = make([]byte, n)
	at := int(from % int64(l.limit))
	done := copy(data, l.buf[at:])
	copy(data[done:], l.buf)
	return data, from + n
}
