package runner

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// census looks at all processes of the machine, for all the jobs of a dispatcher
// together: a look is dear, and when three hundred jobs are cancelled at once
// each wants one. Who asks gets a table that was begun after that, and so misses
// nothing that was there; all who ask while one is being made share the next.
type census struct {
	fast, full counting
}

func newCensus() *census {
	return &census{fast: counting{count: func() *table { return count(false) }}, full: counting{count: func() *table { return count(true) }}}
}

// quick returns where every process stands, and nothing of its environment and
// its output.
func (c *census) quick() *table { return c.fast.next() }

// thorough returns all there is.
func (c *census) thorough() *table { return c.full.next() }

// counting makes one table at a time.
type counting struct {
	count func() *table

	mu    sync.Mutex // guards what follows
	begun int        // tables
	made  int        // the number of the newest that is done
	table *table
	done  chan struct{} // closed with the one under way; nil when there is none
}

func (c *counting) next() *table {
	c.mu.Lock()
	want := c.begun + 1
	for c.made < want {
		if done := c.done; done != nil {
			c.mu.Unlock()
			<-done
			c.mu.Lock()
			continue
		}
		c.begun++
		done := make(chan struct{})
		c.done = done
		c.mu.Unlock()
		t := c.count()
		c.mu.Lock()
		c.table, c.made, c.done = t, c.begun, nil
		close(done)
	}
	defer c.mu.Unlock()
	return c.table
}

// table is every live process but this one. It is shared, and nobody changes it.
type table struct {
	procs    map[int]proc
	children map[int][]int
	err      error
}

type proc struct {
	procStat
	marks []string // in its environment, of any dispatcher's jobs
	pipes []string // that it prints into
}

// carries reports whether a process has all of some marks, and there are any.
func (p *proc) carries(marks []string) bool {
	return len(marks) > 0 && !slices.ContainsFunc(marks, func(m string) bool { return !slices.Contains(p.marks, m) })
}

// prints reports whether a process prints into one of some pipes.
func (p *proc) prints(pipes []string) bool {
	return slices.ContainsFunc(p.pipes, func(name string) bool { return slices.Contains(pipes, name) })
}

func count(thorough bool) *table {
	pids, err := allPids()
	t := &table{procs: make(map[int]proc, len(pids)), children: make(map[int][]int), err: err}
	for _, pid := range pids {
		s, ok := readStat(pid)
		if !ok || pid == os.Getpid() {
			continue
		}
		p := proc{procStat: s}
		if thorough {
			dir := "/proc/" + strconv.Itoa(pid)
			if env, err := os.ReadFile(dir + "/environ"); err == nil { // as it was at its start
				p.marks = marksIn(env)
			}
			p.pipes = pipesOf(dir)
		}
		t.procs[pid] = p
		t.children[s.parent] = append(t.children[s.parent], pid)
	}
	return t
}

// marksIn returns the entries of an environment, as the kernel shows it, by which
// processes of jobs are known.
func marksIn(env []byte) []string {
	var marks []string
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.HasPrefix(entry, []byte(envJobID+"=")) || bytes.HasPrefix(entry, []byte(envCookie+"=")) {
			marks = append(marks, string(entry))
		}
	}
	return marks
}

// pipesOf returns the pipes that a process has as its output.
func pipesOf(dir string) []string {
	var pipes []string
	for _, fd := range []string{"/fd/1", "/fd/2"} {
		if to, err := os.Readlink(dir + fd); err == nil && strings.HasPrefix(to, "pipe:") && !slices.Contains(pipes, to) {
			pipes = append(pipes, to)
		}
	}
	return pipes
}
