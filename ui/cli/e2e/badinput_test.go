package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dcctop/jobs"
)

// skillsFolder makes a folder with a good skill, one without its tools.yaml and
// one that the ecosystem skips.
func skillsFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	front := func(name, more string) string {
		return "---\nname: " + name + "\ndescription: Counts.\n" + more + "metadata:\n  dcc-mcp:\n    dcc: python\n    tools: tools.yaml\n---\n"
	}
	const tools = `tools:
  - name: count
    description: Count in steps.
    source_file: scripts/count.py
    input_schema:
      type: object
      properties:
        iterations: {type: integer, minimum: 1}
        delay: {type: number, minimum: 0}
`
	const script = `import json, sys
params = json.load(sys.stdin)
print("counting")
print(json.dumps({"success": True, "message": "counted", "context": params}))
`
	write("counting/SKILL.md", front("counting", ""))
	write("counting/tools.yaml", tools)
	write("counting/scripts/count.py", script)
	write("half/SKILL.md", front("half", ""))
	write("old/SKILL.md", front("old", "version: 1.0.0\n"))
	write("old/tools.yaml", strings.ReplaceAll(tools, "name: count", "name: \"old\u001b[2J\""))
	write("old/scripts/count.py", script)
	return dir
}

// Every wrong input is an error that names the field and says what to do, and
// nothing is started.
func TestBadInputNamesTheFieldAndStartsNothing(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	skills := skillsFolder(t)
	counting, half, old := filepath.Join(skills, "counting"), filepath.Join(skills, "half"), filepath.Join(skills, "old")
	script := filepath.Join(counting, "scripts", "count.py")
	for _, c := range []struct {
		args []string
		want int
		say  string
	}{
		{[]string{"--skill", script, "--params", `{"a": 1`}, 2, "params: not JSON"},
		{[]string{"--skill", script, "--params", `[1]`}, 2, "params: must be a JSON object"},
		{[]string{"--skill", script, "--params", ``}, 2, "--params is empty"},
		{[]string{"--skill", script, "--params", `{"a": 1, "a": 2}`}, 2, "params.a: given twice"},
		{[]string{"--skill", script, "--params", "@" + filepath.Join(skills, "nope.json")}, 1, "nope.json"},
		{[]string{"--skill", script, "--params", "-"}, 2, "nothing in it"},
		{[]string{"--skill", script, "--params", `{"a": "` + strings.Repeat("x", 70_000) + `"}`}, 2, "params: 7"},
		{[]string{"--skill", script, "--python", "/no/such/python"}, 1, "/no/such/python"},
		{[]string{"--skill", filepath.Join(skills, "nope.py")}, 1, "script.path"},
		{[]string{"--skill", counting}, 2, "--tool: python.counting.count"},
		{[]string{"--skill", half}, 1, "dcctop skills"},
		{[]string{"--skill", counting, "--tool", "count", "--params", `{"iterations": 0}`}, 2, "params.iterations: must be at least 1, is 0"},
		{[]string{"--skill", skills, "--tool", "counting.count", "--params", `{"delay": "slow"}`}, 2, "params.delay: must be a number, is a string"},
		{[]string{"--skill", counting, "--tool", "nope"}, 4, "python.counting.count"},
		{[]string{"--skill", half, "--tool", "count"}, 1, `"tools.yaml" does not exist`},
		{[]string{"--skill", old, "--tool", "count"}, 1, "metadata.dcc-mcp.version"},
		{[]string{"--skill", filepath.Join(skills, "nope"), "--tool", "count"}, 1, "no such directory"},
		{[]string{"--skill", script, "--tool", "count"}, 1, "is a file"},
		{[]string{"--blender", filepath.Join(skills, "nope.blend"), "--script", script}, 1, "script.blend"},
		{[]string{"--blender", filepath.Join(skills, "nope.blend")}, 1, "--blender"},
		{[]string{"--frames", "10-1", "--", "true", "{start}"}, 1, "frames.range"},
		{[]string{"--frames", "1-5x0", "--", "true", "{start}"}, 1, "frames.range"},
		{[]string{"--frames", "1-1000000", "--", "true", "{start}"}, 1, "frames.chunk"},
		{[]string{"--frames", "a-b", "--", "true", "{start}"}, 1, "frames.range"},
		{[]string{"--frames", "1-5", "--", "true"}, 2, "{start}"},
		{[]string{"--frames", "1-5", "--retries", "-1", "--", "true", "{start}"}, 1, "retries"},
	} {
		code, out, errText := f.run(append([]string{"run"}, c.args...)...)
		if code != c.want || out != "" || !strings.Contains(errText, c.say) {
			t.Errorf("run %.120q:\n exit %d, want %d; out %q; says %q, want %q in it", c.args, code, c.want, out, errText, c.say)
		}
	}
	if _, out, _ := f.run("ls", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("one of these started %s", out)
	}
}

func TestRerunOfNothingAndOfARunningJob(t *testing.T) {
	f := newFarm(t, jobs.Options{})
	if code, _, errText := f.run("rerun", "01ZZZZ"); code != 4 || !strings.Contains(errText, "no such job") {
		t.Errorf("exit %d, %q", code, errText)
	}
	_, out, _ := f.run("run", "--", "sleep", "60")
	id := strings.TrimSpace(out)
	if code, out, errText := f.run("rerun", id); code != 1 || out != "" || !strings.Contains(errText, "not ended") {
		t.Errorf("exit %d, %q, %q", code, out, errText)
	}
	if code, _, errText := f.run("rerun"); code != 2 {
		t.Errorf("exit %d, %q", code, errText)
	}
}
