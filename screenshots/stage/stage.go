// Package stage builds the real program and lets a scene be played on it, for
// pictures and for measuring.
package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"dcctop/ui/tui/tuitest"
)

// Stage is a built program and a folder for all it writes.
type Stage struct {
	Root    string // of the module
	Program string // the dcctop that was built
	Dir     string // temporary; short, as pictures show it
}

// Open builds the program of the module around the working directory.
func Open(ctx context.Context) (*Stage, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	dir, err := os.MkdirTemp("", "dcctop")
	if err != nil {
		return nil, err
	}
	s := &Stage{Root: strings.TrimSpace(string(root)), Dir: dir}
	s.Program = filepath.Join(dir, "bin", "dcctop")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", s.Program, ".")
	cmd.Dir = s.Root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("build dcctop: %w\n%s", err, bytes.TrimSpace(out)), s.Close())
	}
	return s, nil
}

// Close removes the folder.
func (s *Stage) Close() error { return os.RemoveAll(s.Dir) }

// Env is the environment of a program on the stage: all its places are in the
// folder named home, which is in the stage's own, so that nothing of the
// machine's user is read or touched.
func (s *Stage) Env(home string, more ...string) ([]string, error) {
	base := filepath.Join(s.Dir, home)
	env := []string{"HOME=" + base, "TMPDIR=" + base, "USER=mira", "LOGNAME=mira", "DCCTOP_SERVER", "LANG=C.UTF-8"}
	for _, place := range []string{"CONFIG_HOME", "STATE_HOME", "DATA_HOME", "CACHE_HOME", "RUNTIME_DIR"} {
		dir := filepath.Join(base, strings.ToLower(strings.TrimSuffix(place, "_HOME")))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		env = append(env, "XDG_"+place+"="+dir)
	}
	return append(env, more...), nil
}

// Play plays a scene. What would fail a test is the error; what the scene
// started is ended before Play returns.
func Play(scene func(tuitest.T)) error {
	p := &player{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer p.clean()
		scene(p)
	}()
	<-ended
	return p.err
}

// player is the test that a scene is to the terminal. Only the scene's
// goroutine uses it.
type player struct {
	err      error
	cleanups []func()
}

func (p *player) Helper() {}

func (p *player) Cleanup(f func()) { p.cleanups = append(p.cleanups, f) }

// clean runs the cleanups from the last to the first, all of them even when one
// fails.
func (p *player) clean() {
	if n := len(p.cleanups); n > 0 {
		last := p.cleanups[n-1]
		p.cleanups = p.cleanups[:n-1]
		defer p.clean()
		last()
	}
}

// Fatalf ends the scene, or the cleanup that calls it.
func (p *player) Fatalf(format string, args ...any) {
	p.err = errors.Join(p.err, fmt.Errorf(format, args...))
	runtime.Goexit()
}
