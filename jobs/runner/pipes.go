package runner

import (
	"fmt"
	"io"
	"os"
	"time"
)

// streams is where what a command prints goes. With err nil both of its outputs
// are one pipe, and so keep their order.
type streams struct {
	out, err printed
}

// printed takes one of the outputs of a command.
type printed interface {
	copyFrom(r io.Reader)   // until r ends
	reason() (string, says) // why it failed, as far as it says so, once copyFrom has returned
}

// reason returns the line that says best why the command failed. Where one of the
// errors and one of the output say it as well, it is that of the errors.
func (s streams) reason() string {
	line, how := s.out.reason()
	if s.err != nil {
		if of, better := s.err.reason(); better >= how {
			line = of
		}
	}
	return line
}

// pipes are both ends of what a command reads and prints.
type pipes struct {
	stdin, stdout, stderr *os.File // the command's; stderr is stdout where they are one
	in                    *os.File // ours, to write to; nil for none
	from                  []source
	input                 []byte
	done                  []chan struct{} // each closed when one of our ends has been served
}

type source struct {
	r  *os.File
	to printed
}

func (c *Command) open(to streams) (p *pipes, err error) {
	p = &pipes{input: c.o.Stdin}
	defer func() {
		if err != nil {
			p.closeTheirs()
			p.close()
			p, err = nil, fmt.Errorf("pipe for the command: %w", err)
		}
	}()
	if p.stdout, err = p.read(to.out); err != nil {
		return p, err
	}
	p.stderr = p.stdout
	if to.err != nil {
		if p.stderr, err = p.read(to.err); err != nil {
			return p, err
		}
	}
	if p.input != nil {
		p.stdin, p.in, err = os.Pipe()
	}
	return p, err
}

// read returns the end of a new pipe that is the command's to write to.
func (p *pipes) read(to printed) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.from = append(p.from, source{r, to})
	return w, nil
}

// names are those of the outputs, as /proc shows them.
func (p *pipes) names() []string {
	var names []string
	for _, s := range p.from {
		if name := pipeName(s.r); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (p *pipes) closeTheirs() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			f.Close() // stderr may be stdout: a second close is refused and harmless
		}
	}
}

// carry begins to serve our ends. Drain waits for the end of it.
func (p *pipes) carry() {
	for _, s := range p.from {
		p.serve(func() { s.to.copyFrom(s.r) })
	}
	if p.in != nil {
		p.serve(func() {
			p.in.Write(p.input) // fails where the command does not read it all
			p.in.Close()
		})
	}
}

func (p *pipes) serve(f func()) {
	done := make(chan struct{})
	p.done = append(p.done, done)
	go func() {
		defer close(done)
		f()
	}()
}

// drain returns when all that the command wrote is read; nothing of it runs any
// more. A process outside of its group that holds a pipe open does not hold up
// the job.
func (p *pipes) drain() {
	if p.in != nil {
		p.in.Close()
	}
	for _, s := range p.from {
		if s.r.SetReadDeadline(time.Now().Add(drainFor)) != nil {
			defer time.AfterFunc(drainFor, func() { s.r.Close() }).Stop()
		}
	}
	for _, done := range p.done {
		<-done
	}
}

func (p *pipes) close() {
	for _, s := range p.from {
		s.r.Close()
	}
	if p.in != nil {
		p.in.Close()
	}
}
