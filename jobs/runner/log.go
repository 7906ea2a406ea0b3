package runner

import "sync"

// Log holds the last bytes of a job's output, under offsets that count all that
// was ever printed. It takes memory only as it fills, so ten thousand quiet jobs
// cost nothing. It is safe for use by several goroutines at once.
type Log struct {
	limit int

	mu  sync.Mutex // guards all below
	buf []byte     // the byte at offset o is at o % limit; shorter than limit while nothing was dropped
	end int64      // offset of the next byte
}

// NewLog returns a log that keeps the last limit bytes; a limit below 1 keeps
// none and only counts.
func NewLog(limit int) *Log { return &Log{limit: max(limit, 0)} }

// Write takes the next bytes of the output. It never fails.
func (l *Log) Write(p []byte) (int, error) {
	n := len(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.grow(int(min(l.end+int64(n), int64(l.limit))))
	if skip := n - l.limit; skip > 0 { // these would be overwritten at once
		l.end += int64(skip)
		p = p[skip:]
	}
	for len(p) > 0 {
		done := copy(l.buf[l.end%int64(l.limit):], p)
		l.end += int64(done)
		p = p[done:]
	}
	return n, nil
}

// grow makes the buffer n bytes long, with room for as much again but never for
// more than the limit.
func (l *Log) grow(n int) {
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

// Read returns a copy of the output from the offset from on, and the offset to
// read on at. What is no longer held is left out: the data then starts at the
// floor, and the offset of its first byte is always next - len(data). An offset
// past the end returns nothing and the end.
func (l *Log) Read(from int64) (data []byte, next int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from = max(from, l.end-int64(len(l.buf)))
	if from >= l.end {
		return nil, l.end
	}
	data = make([]byte, l.end-from)
	at := int(from % int64(l.limit))
	n := copy(data, l.buf[at:])
	copy(data[n:], l.buf)
	return data, l.end
}
