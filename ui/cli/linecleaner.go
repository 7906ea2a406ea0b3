package cli

import (
	"bytes"
	"io"

	"dcctop/ui/tui"
)

// maxLine is where a line without an end is broken, so that what one job
// prints cannot fill the memory of who reads it.
const maxLine = 4 << 10

// lineCleaner writes lines to a terminal with everything taken out that the
// terminal would act on. A carriage return ends a line as a newline does: a
// progress line that is drawn over itself becomes many. It is for one
// goroutine. Flush writes what has no end yet.
type lineCleaner struct {
	to   io.Writer
	rest []byte
}

func (c *lineCleaner) Write(p []byte) (int, error) {
	c.rest = append(c.rest, p...)
	for {
		i := bytes.IndexAny(c.rest, "\r\n")
		if i < 0 && len(c.rest) < maxLine {
			return len(p), nil
		}
		line, next := c.rest[:max(i, 0)], i+1
		if i < 0 || i > maxLine {
			line, next = c.rest[:maxLine], maxLine
		}
		if i >= 0 && c.rest[i] == '\r' && i+1 < len(c.rest) && c.rest[i+1] == '\n' {
			next++
		}
		if err := c.line(line); err != nil {
			return 0, err
		}
		c.rest = append(c.rest[:0], c.rest[next:]...)
	}
}

func (c *lineCleaner) Flush() error {
	if len(c.rest) == 0 {
		return nil
	}
	err := c.line(c.rest)
	c.rest = nil
	return err
}

func (c *lineCleaner) line(b []byte) error {
	_, err := io.WriteString(c.to, tui.Clean(string(b))+"\n")
	return err
}
