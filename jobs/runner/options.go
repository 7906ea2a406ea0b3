package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"dcctop/core"
)

// CommandOptions is what a command is run with. Only Argv is required.
type CommandOptions struct {
	// Argv is the program and its arguments. No shell reads it.
	Argv []string
	// Dir is where it runs; empty is the dispatcher's own directory.
	Dir string
	// Env is KEY=value entries on top of the dispatcher's environment. A PATH
	// here is also where Argv[0] is looked for.
	Env []string
	// Stdin is what it reads from its standard input, which then ends; nil: it
	// has none.
	Stdin []byte
	// JobID goes into the environment as DCCTOP_JOB_ID.
	JobID core.JobID
	// Progress is a regular expression with one group (a percent where a % stands
	// next to it, else a count) or two (current, total). Empty: what renderers
	// print by themselves is read.
	Progress string
	// Guard kills the process group if the dispatcher dies. Nil: nothing does.
	Guard *Guard
	// KillAfter is how long what a command leaves behind when it ends by itself
	// has between SIGTERM and SIGKILL. Default 10 s.
	KillAfter time.Duration
}

// validate returns the path of the program.
func (o *CommandOptions) validate() (path string, err error) {
	if len(o.Argv) == 0 || o.Argv[0] == "" {
		return "", errors.New("command: empty; give a program and its arguments")
	}
	for i, a := range o.Argv {
		if strings.ContainsRune(a, 0) {
			return "", fmt.Errorf("command: argument %d holds a NUL byte; remove it", i)
		}
	}
	for _, e := range o.Env {
		if k, _, ok := strings.Cut(e, "="); !ok || k == "" || strings.ContainsRune(e, 0) {
			return "", fmt.Errorf("env: %q is not of the form KEY=value", e)
		}
	}
	if o.KillAfter < 0 {
		return "", fmt.Errorf("kill after: %s is negative", o.KillAfter)
	}
	if o.Dir != "" {
		if info, err := os.Stat(o.Dir); err != nil {
			return "", fmt.Errorf("dir: %w", err)
		} else if !info.IsDir() {
			return "", fmt.Errorf("dir: %s is not a directory", o.Dir)
		}
	}
	if path, err = o.find(); err != nil {
		return "", fmt.Errorf("command: %w", err)
	}
	return path, nil
}

// find looks for the program as the command itself would see it: from its own
// directory, and along its own PATH.
func (o *CommandOptions) find() (string, error) {
	name := o.Argv[0]
	if strings.ContainsRune(filepath.ToSlash(name), '/') {
		seen := name
		if o.Dir != "" && !filepath.IsAbs(name) {
			seen = filepath.Join(o.Dir, name)
		}
		path, err := exec.LookPath(seen)
		if err != nil {
			return "", err
		}
		return filepath.Abs(path)
	}
	if path, ok := lookup(o.Env, "PATH"); ok {
		for _, dir := range filepath.SplitList(path) {
			if !filepath.IsAbs(dir) {
				continue // never what happens to lie in the current directory
			}
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
		return "", fmt.Errorf("%q not found in the PATH given in env", name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%q not found in the dispatcher's PATH; give its full path", name)
	}
	return filepath.Abs(path)
}

// lookup returns the value that the last entry for key gives. On Windows the
// case of a key does not count.
func lookup(env []string, key string) (value string, ok bool) {
	for _, e := range env {
		k, v, _ := strings.Cut(e, "=")
		if k == key || runtime.GOOS == "windows" && strings.EqualFold(k, key) {
			value, ok = v, true
		}
	}
	return value, ok
}
