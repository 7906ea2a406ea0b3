package runner

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"dcctop/core"
)

func TestAWrongCommandIsRefusedWithTheFieldAndTheFix(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    CommandOptions
		want string
	}{
		{"no command", CommandOptions{}, "command: empty; give a program"},
		{"no program", CommandOptions{Argv: []string{"", "x"}}, "command: empty"},
		{"unknown program", CommandOptions{Argv: []string{"no-such-program"}}, "give its full path"},
		{"no such file", CommandOptions{Argv: []string{filepath.Join(dir, "none")}}, "command:"},
		{"not in the PATH given", CommandOptions{Argv: []string{"sh"}, Env: []string{"PATH=" + dir}}, "not found in the PATH given in env"},
		{"NUL", CommandOptions{Argv: []string{self, "a\x00b"}}, "argument 1 holds a NUL"},
		{"no such dir", CommandOptions{Argv: []string{self}, Dir: filepath.Join(dir, "none")}, "dir:"},
		{"dir is a file", CommandOptions{Argv: []string{self}, Dir: file}, "is not a directory"},
		{"env", CommandOptions{Argv: []string{self}, Env: []string{"A"}}, `env: "A" is not of the form KEY=value`},
		{"env key", CommandOptions{Argv: []string{self}, Env: []string{"=A"}}, "KEY=value"},
		{"pattern", CommandOptions{Argv: []string{self}, Progress: "("}, "progress: error parsing regexp"},
		{"no group", CommandOptions{Argv: []string{self}, Progress: "x"}, "0 groups; give one"},
		{"three groups", CommandOptions{Argv: []string{self}, Progress: "(a)(b)(c)"}, "3 groups; give one"},
		{"kill after", CommandOptions{Argv: []string{self}, KillAfter: -time.Second}, "kill after: -1s is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewCommand(c.o)
			if !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q, want one that says %q", err, c.want)
			}
		})
	}
}

func TestTheProgramIsFoundFromItsOwnDirectoryAndPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file of any name is no program here")
	}
	dir := t.TempDir()
	tool := filepath.Join(dir, "bin", "tool")
	if err := os.Mkdir(filepath.Dir(tool), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, o := range []CommandOptions{
		{Argv: []string{"bin/tool"}, Dir: dir},
		{Argv: []string{"./bin/tool"}, Dir: dir},
		{Argv: []string{tool}},
		{Argv: []string{"tool"}, Env: []string{"PATH=/none", "PATH=.:/none:" + filepath.Dir(tool)}},
	} {
		c, err := NewCommand(o)
		if err != nil || c.path != tool {
			t.Errorf("%q in %q with %q: %v", o.Argv, o.Dir, o.Env, err)
		}
	}
}
