package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"dcctop/core"
	"dcctop/jobs/runner/python"
)

// MaxResult bounds the parameters of a script, and the line that is its result,
// in bytes.
const MaxResult = 64 << 10

// Script runs a skill script as a job, in a Python or a Blender of its own. It
// is a [Command] that gets its parameters on standard input and is judged by the
// result that it prints. It is used once.
type Script struct {
	*Command
	blend  bool
	errors decoder // of what is printed beside the results

	mu      sync.Mutex // guards offered
	offered json.RawMessage
}

// NewScript returns the runner of a script. Of o, Argv and Stdin are its own to
// set. It looks for every file now; the error wraps [core.ErrInvalid] and names
// the field.
func NewScript(s core.Script, o CommandOptions) (*Script, error) {
	var err error
	if s.Path, err = fileOf(o.Dir, s.Path); err != nil {
		return nil, fmt.Errorf("%w: script.path: %w", core.ErrInvalid, err)
	}
	if o.Stdin, err = params(s.Params); err != nil {
		return nil, fmt.Errorf("%w: script.params: %w", core.ErrInvalid, err)
	}
	if s.Blend != "" {
		if s.Blend, err = fileOf(o.Dir, s.Blend); err != nil {
			return nil, fmt.Errorf("%w: script.blend: %w", core.ErrInvalid, err)
		}
	}
	field, program := "script.python", s.Python
	switch {
	case s.Blend != "" && s.Python != "":
		return nil, fmt.Errorf("%w: script.python: given with script.blend; Blender has a Python of its own, leave it out", core.ErrInvalid)
	case s.Blend != "":
		field, program = "script.blend", "blender"
	case s.Python == "":
		program = "python3"
		if runtime.GOOS == "windows" {
			program = "python" // the installer there makes no other
		}
	}
	if len(s.Args) > 0 && s.Blend == "" {
		return nil, fmt.Errorf("%w: script.args: given without script.blend; they are Blender's own, give a file or leave them out", core.ErrInvalid)
	}
	o.Argv = []string{program}
	if _, err := o.find(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", core.ErrInvalid, field, err)
	}
	module, err := python.File()
	if err != nil {
		return nil, err
	}
	if o.Argv = python.Argv(program, module, s.Path); s.Blend != "" {
		o.Argv = python.BlenderArgv(program, s.Blend, module, s.Path, s.Args...)
	}
	c, err := NewCommand(o)
	if err != nil {
		return nil, err
	}
	errs, err := newDecoder(o.Argv, o.Progress)
	if err != nil {
		return nil, fmt.Errorf("%w: progress: %w", core.ErrInvalid, err)
	}
	return &Script{Command: c, blend: s.Blend != "", errors: errs}, nil
}

// Argv returns the command line that runs the script.
func (s *Script) Argv() []string { return slices.Clone(s.o.Argv) }

// Attaches returns true: a script comes to listen for its cancel, once its
// Python is up.
func (s *Script) Attaches() bool { return true }

// Offer gives a result that came by another way than the output. It counts where
// the script prints none.
func (s *Script) Offer(result json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered = result
}

// Run is that of [Command.Run]. The Result holds what the script returned, and
// its Err is a [*ScriptError] where that says that it failed.
func (s *Script) Run(ctx context.Context, sink Sink) Result {
	printed := &results{log: &output{sink: sink, decoder: s.decoder}}
	res := s.run(ctx, sink, streams{out: printed, err: &output{sink: sink, decoder: s.errors}})
	if res.Exit == nil {
		return res // it did not run
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(printed.found) == 0 && s.offered != nil {
		printed.found = append(printed.found, s.offered)
	}
	return s.judge(res, printed)
}

// judge says what the end of a process means with what it printed. It is pure.
func (s *Script) judge(res Result, printed *results) Result {
	var bad error
	switch n := len(printed.found); {
	case printed.broken != "":
		bad = fmt.Errorf("printed a broken result: %s", printed.broken)
	case n > 1:
		bad = fmt.Errorf("printed %d results; a script prints one", n)
	case n == 0 && res.Err == nil && !s.blend && printed.near:
		bad = errors.New(`printed no result: the one that it printed is not alone on its line; end what stands before it with a newline, and print it on one line`)
	case n == 0 && res.Err == nil && !s.blend:
		bad = errors.New(`printed no result; a script prints one JSON object with "success", on a line of its own`)
	case n == 1:
		res.Value = printed.found[0]
		failed := failure(res.Value)
		switch {
		case failed != nil && (!res.Signalled || failed.Cancelled):
			res.Err = failed
		case failed == nil && res.Err != nil && !res.Signalled:
			res.Err = &ScriptError{Message: res.Err.Error() + ", after a result that says success"}
		}
	}
	if bad != nil && !res.Signalled {
		res.Err = bad
	}
	return res
}

// fileOf returns the whole path of a file, as seen from a directory.
func fileOf(dir, path string) (string, error) {
	if path == "" {
		return "", errors.New("empty; give the path of a file")
	}
	if dir != "" && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w; give the path of a file", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", path)
	}
	return path, nil
}

// params returns what a script reads.
func params(given json.RawMessage) ([]byte, error) {
	if len(given) == 0 {
		return []byte("{}"), nil
	}
	var object map[string]json.RawMessage
	switch err := json.Unmarshal(given, &object); {
	case len(given) > MaxResult:
		return nil, fmt.Errorf("%d bytes long; give at most %d, or the name of a file", len(given), MaxResult)
	case !json.Valid(given):
		return nil, fmt.Errorf("not JSON: %w; give one object", err)
	case err != nil || object == nil:
		return nil, fmt.Errorf("%s is not an object; give one, as {\"frames\": 24}", plain(string(given), 40))
	}
	return given, nil
}
