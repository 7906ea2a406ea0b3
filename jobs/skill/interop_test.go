//go:build interop

package skill

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asks the real package what it makes of a directory of directories.
const askReal = `
import json, sys
import dcc_mcp_core as core
out = {}
for path in sys.argv[1:]:
    try:
        skill = core.parse_skill_md(path)
    except Exception:
        skill = None
    out[path] = None if skill is None else [t.name for t in skill.tools]
print(json.dumps(out))
`

// Every mistake has the effect that is claimed of it, on the real package.
func TestInteropTheRealPackageDoesWithEachMistakeWhatIsSaid(t *testing.T) {
	python, _, _ := strings.Cut(os.Getenv("DCCTOP_DCC_MCP_PYTHONS"), string(os.PathListSeparator))
	for _, p := range filepath.SplitList(os.Getenv("DCCTOP_DCC_MCP_PYTHONS")) {
		if strings.Contains(p, "3.11") || strings.Contains(p, "3.13") {
			python = p // in 3.7 the package has no loader
		}
	}
	if python == "" {
		t.Fatal("DCCTOP_DCC_MCP_PYTHONS names no Python with dcc-mcp-core")
	}
	cases := append(wrongs(), wrong{name: "nothing wrong", files: good()})
	paths := make([]string, len(cases))
	for i, c := range cases {
		paths[i] = c.files.write(t, filepath.Join(t.TempDir(), "counting"))
	}
	cmd := exec.Command(python, append([]string{"-c", askReal}, paths...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var real map[string][]string // nil: skipped
	if i := bytes.LastIndexByte(bytes.TrimSpace(out), '\n'); i >= 0 {
		out = out[i:] // what it logs comes first
	}
	if err := json.Unmarshal(out, &real); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for i, c := range cases {
		tools, known := real[paths[i]]
		switch {
		case !known:
			t.Errorf("%s: no answer", c.name)
		case c.effect == SkillSkipped && tools != nil:
			t.Errorf("%s: said to be skipped, and has tools %q", c.name, tools)
		case c.effect != SkillSkipped && tools == nil:
			t.Errorf("%s: said to be %q, and is skipped", c.name, c.effect)
		case c.effect == ToolsLost && len(tools) > 0:
			t.Errorf("%s: said to have lost its tools, and has %q", c.name, tools)
		case (c.effect == ToolUnusable || c.effect == Noted || c.effect == "") && len(tools) != 2:
			t.Errorf("%s: said to be %q, and has tools %q", c.name, c.effect, tools)
		}
	}
}
