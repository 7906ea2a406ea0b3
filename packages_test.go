package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows is the map of the house: what each package may import of dcctop, and
// which modules only it may import. A prefix ending in /... is a folder.
var arrows = []struct {
	pkg     string
	imports []string // of dcctop; nil for none
	why     string
}{
	{"dcctop", []string{"dcctop/ui/cli"}, "main only starts the commands"},
	{"dcctop/core", nil, "core is what everybody shares: the standard library only"},
	{"dcctop/jobs", []string{"dcctop/core", "dcctop/jobs/runner"}, "jobs works without any network or screen"},
	{"dcctop/jobs/runner", []string{"dcctop/core", "dcctop/jobs/runner/python"}, "a runner knows nothing of its dispatcher"},
	{"dcctop/jobs/runner/python", nil, "the embedded module knows no job"},
	{"dcctop/jobs/skill", []string{"dcctop/core"}, "a skill is read where it is asked for, without a dispatcher"},
	{"dcctop/jobs/demo", []string{"dcctop/core", "dcctop/jobs", "dcctop/jobs/runner"}, "the demo is work for a dispatcher, whoever looks at it"},
	{"dcctop/transport", []string{"dcctop/core"}, "transport serves any dispatcher: it names what it needs as an interface"},
	{"dcctop/ui/tui", []string{"dcctop/core"}, "the screen cannot tell a local dispatcher from a remote one"},
	{"dcctop/ui/tui/tuitest", nil, "a terminal for tests knows no job"},
	{"dcctop/ui/cli/...", []string{"dcctop/core", "dcctop/jobs", "dcctop/jobs/runner", "dcctop/jobs/demo", "dcctop/jobs/skill", "dcctop/transport", "dcctop/ui/tui"}, "cli wires the parts"},
	{"dcctop/screenshots/...", []string{"dcctop/core", "dcctop/jobs", "dcctop/jobs/runner", "dcctop/transport", "dcctop/ui/tui/tuitest"}, "pictures are taken of the real program"},
}

// only says which modules have one importer, so that each is wrapped once.
var only = []struct {
	module string
	pkgs   []string
}{
	{"github.com/gorilla/websocket", []string{"dcctop/transport"}},
	{"charm.land/", []string{"dcctop/ui/tui/..."}},
	{"github.com/charmbracelet/", []string{"dcctop/ui/tui/..."}},
	{"github.com/creack/pty", []string{"dcctop/ui/tui/tuitest"}},
	{"github.com/spf13/", []string{"dcctop/ui/cli/..."}},
	{"github.com/adrg/xdg", []string{"dcctop/ui/cli/..."}},
	{"github.com/oklog/ulid", []string{"dcctop/jobs"}},
	{"github.com/goccy/go-yaml", []string{"dcctop/jobs/skill"}},
	{"github.com/santhosh-tekuri/jsonschema", []string{"dcctop/jobs/skill"}},
	{"golang.org/x/time/rate", []string{"dcctop/transport"}},
}

type listed struct {
	ImportPath string
	Imports    []string
	Standard   bool
	GoFiles    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,GoFiles", "./...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func covers(pattern, pkg string) bool {
	folder, deep := strings.CutSuffix(pattern, "/...")
	return pkg == folder || deep && strings.HasPrefix(pkg, folder+"/")
}

func TestImportArrows(t *testing.T) {
	for _, p := range packages(t) {
		i := slices.IndexFunc(arrows, func(a struct {
			pkg     string
			imports []string
			why     string
		}) bool {
			return covers(a.pkg, p.ImportPath)
		})
		if i < 0 {
			t.Errorf("%s is on no map: the folders of the house are fixed (see arrows)", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			ours := imported == "dcctop" || strings.HasPrefix(imported, "dcctop/")
			if ours && !slices.Contains(arrows[i].imports, imported) && !covers(arrows[i].pkg, imported) {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, arrows[i].why)
			}
			if p.ImportPath == "dcctop/core" && strings.Contains(strings.Split(imported, "/")[0], ".") {
				t.Errorf("core imports %s: %s", imported, arrows[i].why)
			}
			for _, o := range only {
				if strings.HasPrefix(imported, o.module) && !slices.ContainsFunc(o.pkgs, func(pattern string) bool { return covers(pattern, p.ImportPath) }) {
					t.Errorf("%s imports %s: only %s does, so that it is wrapped once", p.ImportPath, imported, strings.Join(o.pkgs, ", "))
				}
			}
		}
	}
}
