package runner

import "bytes"

// maxLine is how much of one line is looked at; the rest of it is passed over.
// So a program that prints 10 MB without a newline costs no memory.
const maxLine = 4096

// splitter cuts a stream into lines that end in \n or \r: renderers redraw one
// line by going back to its start. The zero splitter is ready.
type splitter struct {
	buf []byte // the start of the line that is not ended yet; at most maxLine
}

// feed takes the next bytes and calls line for each line that ends in them,
// without its end. The slice is the splitter's again when line returns.
func (s *splitter) feed(p []byte, line func([]byte)) {
	for {
		i := bytes.IndexAny(p, "\r\n")
		if i < 0 {
			s.keep(p)
			return
		}
		s.keep(p[:i])
		s.flush(line)
		p = p[i+1:]
	}
}

// flush ends the line that is not ended yet, as at the end of the stream. Empty
// lines are left out.
func (s *splitter) flush(line func([]byte)) {
	if len(s.buf) > 0 {
		line(s.buf)
		s.buf = s.buf[:0]
	}
}

func (s *splitter) keep(p []byte) {
	s.buf = append(s.buf, p[:min(len(p), maxLine-len(s.buf))]...)
}
