//go:build unix

package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dcctop/core"
	"dcctop/jobs"
	"dcctop/jobs/skill"
)

func TestSkillsListsToolsAndWhatIsWrong(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	dir := skillsFolder(t)
	code, out, errText := f.run("skills", dir)
	if code != 0 || errText != "" {
		t.Fatalf("exit %d, %q", code, errText)
	}
	for _, say := range []string{
		"counting  python  " + filepath.Join(dir, "counting") + "\n",
		"  python.counting.count  Count in steps.\n",
		"SKILL.md:7: metadata.dcc-mcp.tools: \"tools.yaml\" does not exist (no tools)",
		"old  python  " + filepath.Join(dir, "old") + "  SKIPPED by the ecosystem\n",
		"SKILL.md:4: version: outside the specification",
	} {
		if !strings.Contains(out, say) {
			t.Errorf("no %q in\n%s", say, out)
		}
	}
	// Case 29: names as escape codes.
	if strings.ContainsRune(out, '\x1b') {
		t.Errorf("an escape code in %q", out)
	}

	var list []skill.Skill
	_, out, _ = f.run("skills", "--json", dir)
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 3 || list[0].Tools[0].Name != "count" || list[2].Problems[0].Line != 4 {
		t.Errorf("%v, %s", err, out)
	}
	_, out, _ = f.run("skills", "--ndjson", dir)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 3 {
		t.Errorf("%d lines", len(lines))
	}
	for args, want := range map[string]int{"skills": 2, "skills /no/such/dir": 1, "skills --json --ndjson " + dir: 2} {
		if code, _, errText := f.run(strings.Fields(args)...); code != want || errText == "" {
			t.Errorf("%s: exit %d, %q", args, code, errText)
		}
	}
	empty := t.TempDir()
	if code, out, errText := f.run("skills", "--json", empty); code != 0 || strings.TrimSpace(out) != "[]" || !strings.Contains(errText, "no skill") {
		t.Errorf("exit %d, %q, %q", code, out, errText)
	}
}

func TestSkillsNeedsNoDispatcher(t *testing.T) {
	d := newDesk(t)
	if code, out, errText := d.run("--server", "127.0.0.1:1", "skills", skillsFolder(t)); code != 0 || !strings.Contains(out, "python.counting.count") {
		t.Errorf("exit %d, %q", code, errText)
	}
}

func TestAToolOfASkillFolderIsRunWithItsParameters(t *testing.T) {
	needPython(t)
	d := newDesk(t)
	d.serve()
	id := d.submit("--skill", skillsFolder(t), "--tool", "counting.count", "--params", `{"iterations": 3}`)
	j := d.job(id, "its end", func(j core.Job) bool { return j.State.Terminal() })
	if j.State != core.Completed || j.Name != "count" || j.Kind != "skill" || j.DCC != "python" || !strings.Contains(string(j.Result), `"iterations"`) {
		t.Errorf("%+v, result %s", j, j.Result)
	}
	if code, out, _ := d.run("logs", id); code != 0 || out != "counting\n" {
		t.Errorf("log %q", out)
	}
}

func TestRunWaitOfAScriptThatFailsIsNoSuccess(t *testing.T) {
	needPython(t)
	d := newDesk(t)
	d.serve()
	for name, text := range map[string]string{
		"says so":       `print('{"success": false, "message": "no camera"}')`,
		"two results":   "print('{\"success\": true}')\nprint('{\"success\": true}')",
		"no result":     `print("done")`,
		"broken result": `print('{"success": true,')`,
	} {
		script := filepath.Join(t.TempDir(), "script.py")
		writeFile(t, script, text)
		code, out, errText := d.run("run", "--wait", "--skill", script)
		if code == 0 || !strings.Contains(errText, "failed") {
			t.Errorf("%s: exit %d, %q, %q", name, code, out, errText)
		}
	}
}

func needPython(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
}

// What a job has printed is on disk below the state directory, for its user
// only.
func TestLogsAreKeptBelowTheStateDirectory(t *testing.T) {
	d := newDesk(t)
	d.serve()
	id := d.submit("--", "echo", "hello")
	d.job(id, "its end", func(j core.Job) bool { return j.State == core.Completed })
	var dir string
	for _, e := range d.env {
		if v, ok := strings.CutPrefix(e, "XDG_STATE_HOME="); ok {
			dir = v
		}
	}
	path := filepath.Join(dir, "dcctop", "logs", id+".log")
	if text := readFile(t, path); text != "hello\n" {
		t.Errorf("%q", text)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
