package skill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const goodFront = `---
name: counting
description: "Counts."
license: MIT
metadata:
  dcc-mcp:
    dcc: python
    version: "1.0.0"
    tools: tools.yaml
---
# counting
`

const goodTools = `tools:
  - name: count
    description: Count in steps.
    execution: async
    source_file: scripts/count.py
    input_schema:
      type: object
      properties:
        iterations: {type: integer, minimum: 1}
        delay: {type: number, minimum: 0}
  - name: deaf
    description: Never ask.
    source_file: scripts/deaf.py
`

// files is a skill directory by path; a value that begins with "-> " is a link.
type files map[string]string

func good() files {
	return files{
		"SKILL.md": goodFront, "tools.yaml": goodTools,
		"scripts/count.py": "", "scripts/deaf.py": "",
	}
}

// with returns the good skill with one file changed.
func with(name, old, text string) files {
	f := good()
	if !strings.Contains(f[name], old) {
		panic(old + " is not in " + name)
	}
	f[name] = strings.Replace(f[name], old, text, 1)
	return f
}

func without(name string) files {
	f := good()
	delete(f, name)
	return f
}

func (f files) and(name, text string) files {
	f[name] = text
	return f
}

// write makes the folder.
func (f files) write(t testing.TB, dir string) string {
	t.Helper()
	for name, text := range f {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, isLink := strings.CutPrefix(text, "-> "); isLink {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// one reads the skill of a folder.
func (f files) one(t testing.TB) *Skill {
	t.Helper()
	dir := f.write(t, filepath.Join(t.TempDir(), "counting"))
	skills, err := List(dir)
	if err != nil || len(skills) != 1 {
		t.Fatalf("%d skills, %v", len(skills), err)
	}
	return &skills[0]
}
