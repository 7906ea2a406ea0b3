package runner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// LogFileOptions is how a log is kept on disk.
type LogFileOptions struct {
	// Path is that of its files but for their endings, .log and .old.log. The
	// directory is there; the files are not, and only their owner can read them.
	Path string
	// Disk is how many bytes the two may have together.
	Disk int64
	// Memory is how many bytes are kept in memory should the disk fail.
	Memory int
}

// NewFileLog returns a log on disk. A file is made with the first byte, and one
// is open only until [Log.Close], and for the time of a [Log.Read].
func NewFileLog(o LogFileOptions) *Log {
	l := NewLog(o.Memory)
	l.file = &logFile{path: o.Path, half: max(o.Disk/2, 1)}
	return l
}

// logFile is the last bytes of a stream, in a file and an older one. When the
// newer has half of what both may have, it takes the place of the older: so
// between half and all of it is held. The log's mutex guards it.
type logFile struct {
	path string
	half int64

	f      *os.File // to write to; nil while there is no first byte, and in the end
	first  int64    // offset of the first byte of the older file; start when there is none
	start  int64    // offset of the first byte of the newer
	end    int64    // offset of the next byte
	made   bool     // there was a first byte
	closed bool
	broken bool // the disk failed: nothing is written any more
}

func (l *logFile) newer() string { return l.path + ".log" }
func (l *logFile) older() string { return l.path + ".old.log" }

// write writes p and returns how much of it is on disk.
func (l *logFile) write(p []byte) (done int, err error) {
	for len(p) > 0 {
		room, err := l.room()
		if err != nil {
			return done, err
		}
		n, err := l.f.Write(p[:min(int64(len(p)), room)])
		l.end += int64(n)
		done += n
		p = p[n:]
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// room returns how much may be written to the open file, at least a byte.
func (l *logFile) room() (int64, error) {
	if l.f == nil {
		if err := l.create(); err != nil {
			return 0, err
		}
	}
	if room := l.start + l.half - l.end; room > 0 {
		return room, nil
	}
	rotated := l.rotate()
	if l.f == nil {
		return 0, rotated
	}
	if rotated == nil {
		return l.half, nil
	}
	// Where a file that somebody reads cannot be moved, the next write tries again.
	if room := l.start + 2*l.half - l.end; room > 0 {
		return min(room, 4096), nil
	}
	return 0, rotated
}

// create makes the newer file. It must not be there: an id is used once.
func (l *logFile) create() (err error) {
	l.f, err = os.OpenFile(l.newer(), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	l.made = l.made || err == nil
	return err
}

// rotate makes the newer file the older one. On an error the newer one is open
// as before, if that is possible.
func (l *logFile) rotate() error {
	f := l.f
	l.f = nil
	if err := f.Close(); err != nil {
		return err
	}
	// Removed first: some file systems write all to the disk where one file takes
	// another's place, and the job would wait for that.
	err := os.Remove(l.older())
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		l.first = l.start
		err = os.Rename(l.newer(), l.older())
	}
	if err != nil {
		l.f, _ = os.OpenFile(l.newer(), os.O_WRONLY|os.O_APPEND, 0o600)
		return err
	}
	l.start = l.end
	return l.create()
}

func (l *logFile) giveUp() {
	l.broken = true
	if l.f != nil {
		_ = l.f.Close() // it is given up for a better reason
		l.f = nil
	}
}

func (l *logFile) close() error {
	l.closed = true
	if l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	if err := f.Close(); err != nil {
		return fmt.Errorf("close the log: %w", err)
	}
	return nil
}

func (l *logFile) remove() error {
	errs := []error{l.close()}
	if !l.made {
		return errs[0]
	}
	for _, name := range []string{l.newer(), l.older()} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// logPiece is what one of the files holds from an offset on. The file is open, so
// that it is the same whatever becomes of its name.
type logPiece struct {
	f    *os.File
	at   int64 // in the file
	from int64 // the same place as an offset in the log
	size int64
}

// open opens the file that holds an offset below the end, or the first that is
// held.
func (l *logFile) open(from int64) (logPiece, error) {
	from = max(from, l.first)
	name, start, end := l.newer(), l.start, l.end
	if from < l.start {
		name, start, end = l.older(), l.first, l.start
	}
	f, err := os.Open(name)
	if err != nil {
		return logPiece{}, fmt.Errorf("read the log: %w", err)
	}
	return logPiece{f: f, at: from - start, from: from, size: end - from}, nil
}

// read reads at most that many bytes and closes the file.
func (p logPiece) read(most int) (data []byte, next int64, err error) {
	defer p.f.Close()
	data = make([]byte, min(p.size, int64(most)))
	n, err := p.f.ReadAt(data, p.at)
	if n < len(data) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, 0, fmt.Errorf("read the log %s: %w", p.f.Name(), err)
	}
	return data, p.from + int64(n), nil
}
