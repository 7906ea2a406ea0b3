package runner

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func newFileLog(t testing.TB, disk int64, memory int) *Log {
	t.Helper()
	l := NewFileLog(LogFileOptions{Path: filepath.Join(t.TempDir(), "01JOB"), Disk: disk, Memory: memory})
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// outputAt is what the test's job prints: each byte follows from its offset.
func outputAt(from int64, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		o := from + int64(i)
		p[i] = byte(o ^ o>>8 ^ o>>16)
	}
	return p
}

// readAll reads from an offset to the end in pieces, and returns the offset of
// the first byte that came.
func readAll(t testing.TB, l *Log, from int64, most int) (data []byte, first int64) {
	t.Helper()
	first = -1
	for {
		p, next, err := l.Read(from, most)
		if err != nil || len(p) > most {
			t.Fatalf("read from %d: %d bytes, %v", from, len(p), err)
		}
		if len(p) == 0 {
			return data, first
		}
		at := next - int64(len(p))
		if first < 0 {
			first = at
		} else if at != from {
			t.Fatalf("read from %d and got %d on", from, at)
		}
		data = append(data, p...)
		from = next
	}
}

func sizeOnDisk(t testing.TB, l *Log) (size int64, files int) {
	t.Helper()
	list, err := filepath.Glob(l.file.path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s is %s, want readable by its owner only", name, info.Mode())
		}
		size += info.Size()
	}
	return size, len(list)
}

func TestALogOnDiskKeepsTheLastBytesUnderTheirOffsets(t *testing.T) {
	for _, disk := range []int64{1, 2, 7, 1000, 4096} {
		random := rand.New(rand.NewPCG(3, uint64(disk)))
		l, end := newFileLog(t, disk, 10), int64(0)
		for range 200 {
			n := random.IntN(int(disk)+3) / (1 + random.IntN(3))
			if done, err := l.Write(outputAt(end, n)); done != n || err != nil {
				t.Fatalf("write: %d, %v", done, err)
			}
			end += int64(n)
			if l.End() != end {
				t.Fatalf("end %d, want %d", l.End(), end)
			}
			from := random.Int64N(end + 10)
			data, first := readAll(t, l, from, 1+random.IntN(300))
			kept := min(end, max(disk/2, 1)) // at least
			switch {
			case from >= end:
				if first != -1 {
					t.Fatalf("past the end: %d bytes", len(data))
				}
			case first < from || first > max(from, end-kept) || first+int64(len(data)) != end:
				t.Fatalf("disk %d: from %d of %d came %d to %d", disk, from, end, first, first+int64(len(data)))
			case !bytes.Equal(data, outputAt(first, len(data))):
				t.Fatalf("disk %d: other bytes came than were printed", disk)
			}
		}
		if size, files := sizeOnDisk(t, l); size > max(disk, 2) || files > 2 {
			t.Errorf("%d bytes in %d files, want at most %d in 2", size, files, disk)
		}
	}
}

func TestALogOnDiskIsReadWhileItIsWritten(t *testing.T) {
	l := newFileLog(t, 64<<10, 10)
	const total = 4 << 20
	written := make(chan struct{})
	go func() {
		defer close(written)
		for end := int64(0); end < total; end += 1000 {
			_, _ = l.Write(outputAt(end, 1000))
		}
	}()
	over := false
	for from := int64(0); ; {
		p, next, err := l.Read(from, 8<<10)
		if err != nil {
			t.Fatal(err)
		}
		at := next - int64(len(p))
		if at < from || !bytes.Equal(p, outputAt(at, len(p))) {
			t.Fatalf("from %d came %d bytes of %d that are not what was printed", from, len(p), at)
		}
		from = next
		if len(p) > 0 {
			continue
		}
		if over {
			break
		}
		select {
		case <-written:
			over = true
		default:
			runtime.Gosched()
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if data, first := readAll(t, l, 0, 1<<20); first+int64(len(data)) != l.End() || !bytes.Equal(data, outputAt(first, len(data))) {
		t.Errorf("after the end: %d bytes from %d on", len(data), first)
	}
}

func TestALogOnDiskHasNoFileBeforeItsFirstByteAndNoneOpenInTheEnd(t *testing.T) {
	l := newFileLog(t, 100, 10)
	_, _ = l.Write(nil)
	if _, files := sizeOnDisk(t, l); files != 0 {
		t.Errorf("%d files of a job that printed nothing", files)
	}
	_, _ = l.Write([]byte("a line\n"))
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if l.file.f != nil {
		t.Error("the file is open")
	}
	_, _ = l.Write([]byte("from a goroutine that the job left behind"))
	if data, _ := readAll(t, l, 0, 100); string(data) != "a line\n" {
		t.Errorf("after the end: %q", data)
	}
	if cap(l.tail.buf) != 0 {
		t.Errorf("%d bytes in memory", cap(l.tail.buf))
	}
}

func TestARemovedLogLeavesNothing(t *testing.T) {
	l := newFileLog(t, 100, 10)
	_, _ = l.Write(outputAt(0, 1000))
	if _, files := sizeOnDisk(t, l); files != 2 {
		t.Fatalf("%d files", files)
	}
	for range 2 {
		if err := l.Remove(); err != nil {
			t.Error(err)
		}
	}
	_, _ = l.Write([]byte("late"))
	if _, files := sizeOnDisk(t, l); files != 0 {
		t.Errorf("%d files are left", files)
	}
	if _, _, err := l.Read(0, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read: %v", err)
	}
}

func TestAFullDiskDoesNotStopTheJobAndIsSaidOnce(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here: ", err)
	}
	l := newFileLog(t, 1<<20, 300)
	_, _ = l.Write([]byte("before\n"))
	l.file.f.Close()
	l.file.f = full
	for range 50 {
		if n, err := l.Write([]byte("after the disk was full\n")); n != 24 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	head, next, err := l.Read(0, 100)
	if err != nil || string(head) != "before\n" {
		t.Errorf("what is on disk: %q, %v", head, err)
	}
	tail, end, err := l.Read(next, 1000)
	if err != nil || len(tail) != 300 || end != l.End() || !bytes.HasSuffix(tail, []byte("after the disk was full\n")) {
		t.Errorf("what is in memory: %d bytes to %d, %v", len(tail), end, err)
	}
}

func TestALogThatCannotBeMadeSaysWhyAndGoesOnInMemory(t *testing.T) {
	l := NewFileLog(LogFileOptions{Path: filepath.Join(t.TempDir(), "gone", "01JOB"), Disk: 100, Memory: 1000})
	_, _ = l.Write([]byte("one\n"))
	_, _ = l.Write([]byte("two\n"))
	data, first := readAll(t, l, 0, 1000)
	text := string(data)
	if first != 0 || !strings.HasSuffix(text, "memory only\none\ntwo\n") || strings.Count(text, "dcctop: log:") != 1 {
		t.Errorf("%q", text)
	}
}

func TestALogWhoseFilesWereTakenAwayGoesOnInMemory(t *testing.T) {
	l := newFileLog(t, 100, 1000)
	_, _ = l.Write([]byte("one\n"))
	if err := os.RemoveAll(filepath.Dir(l.file.path)); err != nil {
		t.Skip(err)
	}
	for range 30 {
		_, _ = l.Write([]byte("two\n"))
	}
	if _, _, err := l.Read(0, 100); err == nil {
		t.Error("what is gone was read")
	}
	if data, _, err := l.Read(l.End()-4, 100); string(data) != "two\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestALineOfTenMegabytesWithoutAnEndTakesNoMemory(t *testing.T) {
	l := newFileLog(t, 1<<20, 256<<10)
	piece := bytes.Repeat([]byte("x"), 32<<10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 << 20 / len(piece) {
		_, _ = l.Write(piece)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<10 {
		t.Errorf("%d bytes were allocated", grown)
	}
	if size, _ := sizeOnDisk(t, l); size > 1<<20 || l.End() != 10<<20 {
		t.Errorf("%d bytes on disk of %d", size, l.End())
	}
}

// BenchmarkLogWrite is what a job prints, a pipe's buffer at a time and a line at
// a time, beside a bare file.
func BenchmarkLogWrite(b *testing.B) {
	for _, c := range []struct {
		name string
		size int
	}{{"32 KiB", 32 << 10}, {"a line of 80", 80}} {
		p := bytes.Repeat([]byte("x"), c.size)
		b.Run("bare file/"+c.name, func(b *testing.B) {
			f, err := os.CreateTemp(b.TempDir(), "")
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			b.SetBytes(int64(c.size))
			for n := 0; b.Loop(); n += c.size {
				if n >= 8<<20 { // as long as a file of the log becomes
					n = 0
					_ = f.Truncate(0)
					_, _ = f.Seek(0, 0)
				}
				if _, err := f.Write(p); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("log on disk/"+c.name, func(b *testing.B) {
			l := newFileLog(b, 16<<20, 256<<10)
			b.SetBytes(int64(c.size))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = l.Write(p)
			}
		})
		b.Run("log in memory/"+c.name, func(b *testing.B) {
			l := NewLog(256 << 10)
			b.SetBytes(int64(c.size))
			for b.Loop() {
				_, _ = l.Write(p)
			}
		})
	}
}
