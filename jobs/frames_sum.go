package jobs

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dcctop/core"
)

// progress is the parent's. The caller holds the mutex.
func (f *frames) progress() core.Progress {
	p := core.Progress{Total: float64(f.total), Unit: "frame", At: now()}
	p.Current = min(math.Floor((float64(f.doneOf)+f.part)*100+0.001)/100, p.Total)
	p.Message = strconv.Itoa(f.in[chunkDone]) + " of " + strconv.Itoa(f.count) + " chunks"
	for _, c := range []struct {
		state chunkState
		word  string
	}{{chunkFailed, " failed"}, {chunkStopped, " cancelled"}} {
		if n := f.in[c.state]; n > 0 {
			p.Message += ", " + strconv.Itoa(n) + c.word
		}
	}
	return p
}

// outcome is what the work of the range came to, once no chunk is left; err is
// what it returned. The caller holds the mutex.
func (f *frames) outcome(err error) error {
	failed, stopped := f.in[chunkFailed], f.in[chunkStopped]
	var text []string
	if failed > 0 {
		why := ""
		if f.why != "" {
			why = " (" + f.why + ")"
		}
		text = append(text, fmt.Sprintf("%d of %d chunks failed: %s%s", failed, f.count, f.list(chunkFailed), why))
	}
	switch {
	case f.in[chunkDone] == f.count:
		return nil
	case failed > 0 && stopped > 0:
		text = append(text, fmt.Sprintf("%d were cancelled: %s", stopped, f.list(chunkStopped)))
		fallthrough
	case failed > 0:
		return fmt.Errorf("%s", strings.Join(text, "; "))
	case err != nil:
		return err
	case stopped > 0: // each by itself
		return fmt.Errorf("%d of %d chunks %w: %s", stopped, f.count, core.ErrCancelled, f.list(chunkStopped))
	}
	return err
}

// maxListed is how many chunks an error names.
const maxListed = 20

func (f *frames) list(state chunkState) string {
	var names []string
	for nth, t := range f.tries {
		if t.state != state {
			continue
		}
		if len(names) == maxListed {
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", f.in[state]-maxListed)
		}
		names = append(names, f.chunks[nth].String())
	}
	return strings.Join(names, ", ")
}
