package jobs

import (
	"crypto/rand"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"dcctop/core"
)

// ids makes job ids: ULIDs that sort in the order in which they were made, also
// within a millisecond and when the clock is set back. 80 random bits keep two
// runs of a dispatcher apart. Not safe for use by several goroutines at once.
type ids struct {
	entropy *ulid.MonotonicEntropy
	last    uint64 // the newest timestamp used, in ms
}

func newIDs() *ids { return &ids{entropy: ulid.Monotonic(rand.Reader, 0)} }

func (g *ids) next(now time.Time) (core.JobID, error) {
	g.last = max(g.last, ulid.Timestamp(now))
	id, err := ulid.New(g.last, g.entropy)
	if err != nil { // the random part ran over within this millisecond
		g.last++
		id, err = ulid.New(g.last, g.entropy)
	}
	if err != nil {
		return "", fmt.Errorf("make a job id: %w", err)
	}
	return core.JobID(id.String()), nil
}
