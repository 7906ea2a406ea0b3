package runner

import (
	"io"
	"strings"

	"dcctop/core"
)

// output passes on what a command prints, and reads the progress from it.
type output struct {
	sink    Sink
	decoder decoder

	lines splitter
	last  recent
	told  core.Progress // the last progress that was sent on
}

// copyFrom passes on all that r gives, until it ends in whatever way.
func (o *output) copyFrom(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		o.write(buf[:n])
		if err != nil {
			o.end()
			return
		}
	}
}

func (o *output) write(p []byte) {
	if len(p) > 0 {
		o.sink.Write(p) // a sink that fails must not stop the command
		o.lines.feed(p, o.line)
	}
}

// end ends the last line.
func (o *output) end() { o.lines.flush(o.line) }

// line reads one line. Progress is sent on only where it has changed.
func (o *output) line(b []byte) {
	s := string(b)
	if strings.TrimSpace(s) != "" {
		o.last.add(b)
	}
	if p, ok := o.decoder.decode(s); ok && p != o.told {
		o.told = p
		o.sink.Progress(p)
	}
}

// reason is that of [recent.reason]. It is called when copyFrom has returned.
func (o *output) reason() (string, says) { return o.last.reason() }
