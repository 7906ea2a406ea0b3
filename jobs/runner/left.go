package runner

import (
	"slices"
	"time"

	"dcctop/core"
)

// maxProcessName is to how many characters the name of a process is cut.
const maxProcessName = 32

// What a command leaves behind is as a rule gone in a moment; it is named when
// it is not, and looked at again, as a look at all processes is dear.
const (
	leftAfter = 100 * time.Millisecond
	leftEvery = 500 * time.Millisecond
)

// leftovers is what was told of what outlives a leader.
type leftovers struct {
	sink Sink
	next time.Time // when to look
	told []core.Process
}

// tellLeft tells the sink, where that wants to know, which processes of the job
// outlive its leader.
func (c *Command) tellLeft() {
	sink, ok := c.left.sink.(interface{ Left([]core.Process) })
	if !ok || time.Now().Before(c.left.next) {
		return
	}
	c.left.next = time.Now().Add(leftEvery)
	c.mu.Lock()
	left := c.proc.left()
	c.mu.Unlock()
	if !slices.Equal(left, c.left.told) {
		c.left.told = left
		sink.Left(left)
	}
}
