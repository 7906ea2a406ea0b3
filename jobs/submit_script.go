package jobs

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"

	"dcctop/core"
	"dcctop/jobs/runner"
)

// commandOptions are those of the process of a job.
func (d *Dispatcher) commandOptions(s *core.Submission, id core.JobID) runner.CommandOptions {
	o := runner.CommandOptions{
		Dir:       s.Dir,
		Env:       slices.Clone(s.Env),
		JobID:     id,
		Progress:  s.Progress,
		Guard:     d.guard,
		KillAfter: d.opts.KillAfter,
	}
	if s.KillAfterMS != nil {
		o.KillAfter = max(time.Duration(*s.KillAfterMS)*time.Millisecond, time.Millisecond) // 0 is the default there
	}
	return o
}

// prepareScript is prepare for a skill script.
func (d *Dispatcher) prepareScript(s *core.Submission) (func(core.JobID) (Runner, error), error) {
	if len(s.Command) > 0 {
		return nil, invalid("command", "given beside script; give one of the two")
	}
	script := *s.Script
	script.Params = bytes.Clone(script.Params)
	kind, dcc := "skill", "python"
	if script.Blend != "" {
		kind, dcc = "blender", "blender"
	}
	if s.Kind == "" {
		s.Kind = kind
	}
	if s.DCC == "" {
		s.DCC = dcc
	}
	if s.Name == "" {
		name := path.Base(strings.ReplaceAll(script.Path, `\`, "/"))
		s.Name = strings.TrimSuffix(name, ".py")
	}
	return func(id core.JobID) (Runner, error) {
		r, err := runner.NewScript(script, d.commandOptions(s, id))
		if err != nil {
			return nil, err // not a Runner that is a nil pointer
		}
		return r, nil
	}, nil
}

// commandOf is the command on the record of a job: of a script, what runs it.
func commandOf(s *core.Submission, run Runner) []string {
	if r, ok := run.(interface{ Argv() []string }); ok {
		return r.Argv()
	}
	return slices.Clone(s.Command)
}

// shownOf is the command on the record of a range, with its placeholders in it.
func (d *Dispatcher) shownOf(s core.Submission) ([]string, error) {
	if s.Script == nil {
		return slices.Clone(s.Command), nil
	}
	runnerOf, err := d.prepareScript(&s)
	if err != nil {
		return nil, err
	}
	run, err := runnerOf("")
	if err != nil {
		return nil, err
	}
	return commandOf(&s, run), nil
}
