package runner

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"
)

// Guard sees to it that no process outlives its dispatcher, whatever ends that:
// kill -9, a crash, the kernel short of memory. It is a small helper process in
// a session of its own, where no Ctrl+C reaches it, and knows the process groups
// of all running commands. When the dispatcher is gone without [Guard.Close], it
// kills them, and on Linux also every process that carries the dispatcher's
// cookie in its environment, so a child in a session of its own too.
//
// On Windows there is no helper: each command's Job Object ends with the
// dispatcher.
//
// The helper is started with the first command. Should it die, another is started
// at once and told all that runs; where that dies again and again, after a pause
// that grows to 5 s, or with the next [Guard.Add]. On Linux one that is stopped
// (SIGSTOP) is made to go on at once; on macOS it is found out and replaced only
// when it does not take what it is told. What is not guarded is the death of the
// dispatcher in the very moment in which there is no helper, or together with
// it.
//
// A nil *Guard guards nothing. Methods are safe for use by several goroutines at
// once.
type Guard struct {
	cookie string
	census *census
	stop   chan struct{}  // closed by Close
	heirs  sync.WaitGroup // goroutines, one for each helper that is alive

	mu     sync.Mutex       // guards all below; held while the helper is told something, which is bounded
	groups map[int]struct{} // running
	helper *helper          // nil: not started, or found dead
	pause  time.Duration    // before a helper that dies young is followed by another
	closed bool
}

// StartGuard returns the guard of one dispatcher. The cookie is what its
// processes are known by: random, at least 8 letters and digits.
func StartGuard(cookie string) (*Guard, error) {
	if !regexp.MustCompile(`^[0-9A-Za-z_-]{8,64}$`).MatchString(cookie) {
		return nil, fmt.Errorf("guard: cookie %q: give 8 to 64 random letters and digits", cookie)
	}
	return &Guard{cookie: cookie, census: newCensus(), stop: make(chan struct{}), groups: make(map[int]struct{})}, nil
}

// mark is the entry in the environment of each guarded process.
func (g *Guard) mark() string { return envCookie + "=" + g.cookie }

// all is where the processes of all its jobs are looked for.
func (g *Guard) all() *census {
	if g == nil {
		return newCensus()
	}
	return g.census
}

// ready starts the helper where none runs.
func (g *Guard) ready() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ensure()
}

// Add guards a process group from now on. An error means that it is not guarded,
// as no helper can be started; the next Add tries again.
func (g *Guard) Add(pgid int) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.groups[pgid] = struct{}{}
	if g.helper.alive() && g.helper.tell("add", pgid) == nil {
		return nil
	}
	return g.ensure()
}

// Remove forgets a process group that is gone.
func (g *Guard) Remove(pgid int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, pgid)
	if g.helper.alive() {
		g.helper.tell("del", pgid) // one that cannot be told is replaced by the next Add
	}
}

// Close ends the helper; it kills nothing. It waits for its end, which is
// bounded, and may be called again.
func (g *Guard) Close() error {
	if g == nil {
		return nil
	}
	err := g.end()
	g.heirs.Wait()
	return err
}

// end is Close but for what only waits.
func (g *Guard) end() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.closed = true
		close(g.stop)
	}
	h := g.helper
	g.helper = nil
	return h.close()
}

// ensure starts a helper that knows all groups unless one is alive. The caller
// holds the lock.
func (g *Guard) ensure() error {
	if g.closed {
		return errors.New("guard: closed")
	}
	if g.helper.alive() {
		return nil
	}
	old := g.helper
	g.helper = nil
	old.kill()
	h, err := startHelper(g.mark())
	if err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	for pgid := range g.groups {
		if err := h.tell("add", pgid); err != nil {
			h.kill()
			return fmt.Errorf("guard: %w", err)
		}
	}
	g.helper = h
	born := time.Now()
	g.heirs.Go(func() { g.succeed(h, born) })
	return nil
}
