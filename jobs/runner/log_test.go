package runner

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

func TestTheLogKeepsTheLastBytesUnderTheirOffsets(t *testing.T) {
	for _, limit := range []int{0, 1, 7, 64, 1000} {
		random := rand.New(rand.NewPCG(1, uint64(limit)))
		log, all := NewLog(limit), []byte(nil)
		for range 300 {
			p := make([]byte, random.IntN(2*limit+3)/(1+random.IntN(4)))
			for i := range p {
				p[i] = byte(random.Uint32())
			}
			if n, err := log.Write(p); n != len(p) || err != nil {
				t.Fatalf("write: %d, %v", n, err)
			}
			all = append(all, p...)
			floor := max(len(all)-limit, 0)
			from := random.IntN(len(all) + 10)
			data, next, _ := log.Read(int64(from), math.MaxInt)
			want := all[min(max(from, floor), len(all)):]
			if next != int64(len(all)) || !bytes.Equal(data, want) {
				t.Fatalf("limit %d: read from %d of %d: %d bytes up to %d, want %d", limit, from, len(all), len(data), next, len(want))
			}
		}
	}
}

func TestALogThatIsReadBeforeItsFloorStartsAtTheFloor(t *testing.T) {
	log := NewLog(4)
	log.Write([]byte("0123456789"))
	for _, from := range []int64{-5, 0, 6} {
		if data, next, _ := log.Read(from, math.MaxInt); string(data) != "6789" || next != 10 {
			t.Errorf("from %d: %q up to %d", from, data, next)
		}
	}
	if data, next, _ := log.Read(8, math.MaxInt); string(data) != "89" || next != 10 {
		t.Errorf("from 8: %q up to %d", data, next)
	}
	if data, next, _ := log.Read(99, math.MaxInt); data != nil || next != 10 {
		t.Errorf("past the end: %q up to %d", data, next)
	}
}

func TestTheReaderOfALogOwnsWhatItGot(t *testing.T) {
	log := NewLog(4)
	log.Write([]byte("abcd"))
	data, _, _ := log.Read(0, math.MaxInt)
	log.Write([]byte("wxyz"))
	if string(data) != "abcd" {
		t.Errorf("what was read became %q", data)
	}
}

func TestAQuietLogTakesNoMemoryAndAFullOneNoMoreThanItsLimit(t *testing.T) {
	log := NewLog(256 << 10)
	if log.tail.buf != nil {
		t.Errorf("%d bytes before the first write", cap(log.tail.buf))
	}
	log.Write([]byte("a line\n"))
	if cap(log.tail.buf) > 512 {
		t.Errorf("%d bytes for one line", cap(log.tail.buf))
	}
	for range 10_000 {
		log.Write([]byte("a line that is somewhat longer than the first\n"))
	}
	if cap(log.tail.buf) > 256<<10 {
		t.Errorf("%d bytes, the limit is %d", cap(log.tail.buf), 256<<10)
	}
}
