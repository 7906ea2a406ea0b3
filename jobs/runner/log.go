package runner

import "sync"

// Log is a job's output, under offsets that count all that was ever printed. It
// holds the last of it: in memory, or with [NewFileLog] on disk. It takes memory
// only as it fills, so ten thousand quiet jobs cost nothing. It is safe for use
// by several goroutines at once.
type Log struct {
	mu   sync.Mutex // guards all below
	file *logFile   // nil for a log in memory
	tail tail       // what comes after the file
}

// NewLog returns a log in memory that keeps the last limit bytes; a limit below
// 1 keeps none and only counts.
func NewLog(limit int) *Log { return &Log{tail: tail{limit: max(limit, 0)}} }

// Write takes the next bytes of the output. It never fails: what a disk does not
// take is kept in memory, and the log says so.
func (l *Log) Write(p []byte) (int, error) {
	n := len(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.file; f != nil && !f.broken {
		if f.closed {
			return n, nil // from something that outlived its job
		}
		done, err := f.write(p)
		if err == nil {
			return n, nil
		}
		f.giveUp()
		p = p[done:]
		l.tail.write([]byte("\ndcctop: log: " + plain(err.Error(), 300) + "; the rest is kept in memory only\n"))
	}
	l.tail.write(p)
	return n, nil
}

// Read returns a copy of at most the given number of bytes of the output from an
// offset on, and the offset to read on at. What is no longer held is left out:
// the data then starts later, and the offset of its first byte is always
// next - len(data). There may be more even if fewer came; there is none when
// nothing came. An offset past the end returns nothing and the end. The error is
// that of the file.
func (l *Log) Read(from int64, most int) (data []byte, next int64, err error) {
	l.mu.Lock()
	base := int64(0)
	if l.file != nil {
		if base = l.file.end; from < base {
			piece, err := l.file.open(from)
			l.mu.Unlock() // whoever writes does not wait for the disk
			if err != nil {
				return nil, 0, err
			}
			return piece.read(most)
		}
	}
	defer l.mu.Unlock()
	data, next = l.tail.read(from-base, most)
	return data, base + next, nil
}

// End returns the offset of the next byte to come.
func (l *Log) End() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return l.tail.end
	}
	return l.file.end + l.tail.end
}

// Close closes the file, if there is one: nothing is written to it any more, and
// it can be read as before. It may be called more than once.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	return l.file.close()
}

// Remove closes the log and deletes what is on disk of it.
func (l *Log) Remove() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	return l.file.remove()
}
