//go:build unix

package skill

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A named pipe would block whoever opens it.
func TestANamedPipeIsNeverOpened(t *testing.T) {
	for _, name := range []string{"SKILL.md", "tools.yaml", "scripts/count.py"} {
		f := without(name)
		dir := f.write(t, filepath.Join(t.TempDir(), "counting"))
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
		skills, err := List(dir)
		if err != nil || len(skills) != 1 || len(skills[0].Problems) == 0 || !strings.Contains(skills[0].Problems[0].Text, "is no file") {
			t.Errorf("%s: %v, %+v", name, err, skills)
		}
	}
}
