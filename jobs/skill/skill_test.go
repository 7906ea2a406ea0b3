package skill

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAGoodSkillIsReadWithItsTools(t *testing.T) {
	s := good().one(t)
	if s.Name != "counting" || s.DCC != "python" || s.Version != "1.0.0" || s.Description != "Counts." || len(s.Problems) > 0 {
		t.Errorf("%+v", s)
	}
	if len(s.Tools) != 2 {
		t.Fatalf("tools: %+v", s.Tools)
	}
	count, deaf := s.Tools[0], s.Tools[1]
	if count.Slug != "python.counting.count" || count.Script != filepath.Join(s.Dir, "scripts", "count.py") || count.Description != "Count in steps." {
		t.Errorf("%+v", count)
	}
	if want := `{"properties":{"delay":{"minimum":0,"type":"number"},"iterations":{"minimum":1,"type":"integer"}},"type":"object"}`; string(count.Schema) != want {
		t.Errorf("schema %s", count.Schema)
	}
	if deaf.Schema != nil {
		t.Errorf("a schema from nowhere: %s", deaf.Schema)
	}
}

func TestAllThatTheEcosystemReadsIsRead(t *testing.T) {
	for name, f := range map[string]files{
		"Windows line ends":            {"SKILL.md": strings.ReplaceAll(goodFront, "\n", "\r\n"), "tools.yaml": strings.ReplaceAll(goodTools, "\n", "\r\n"), "scripts/count.py": "", "scripts/deaf.py": ""},
		"blanks after the dashes":      with("SKILL.md", "---\n", "--- \n"),
		"every key of the spec":        with("SKILL.md", "license: MIT", "license: MIT\ncompatibility: any\nallowed-tools: a b"),
		"allowed_tools":                with("SKILL.md", "license: MIT", "allowed_tools: [a]"),
		"backslashes in plain text":    with("SKILL.md", `version: "1.0.0"`, `version: \"1.0.0\"`),
		"an anchor in tools.yaml":      with("tools.yaml", "input_schema:\n      type: object", "input_schema:\n      type: &o object\n      title: *o"),
		"a link inside the folder":     with("tools.yaml", "scripts/count.py", "scripts/link.py").and("scripts/link.py", "-> count.py"),
		"a script found by its name":   with("tools.yaml", "    source_file: scripts/count.py\n", ""),
		"a key that nobody knows":      with("tools.yaml", "execution: async", "affinity: any"),
		"text in several lines":        with("SKILL.md", `"Counts."`, ">-\n  Counts,\n  and says so."),
		"tools in a folder":            with("SKILL.md", "tools.yaml", "meta/tools.yml").and("meta/tools.yml", goodTools),
		"a second document after ---":  good().and("tools.yaml", goodTools+"---\nother: 1\n"),
		"a tool that is a name alone":  good().and("tools.yaml", "tools: [count, deaf]\n"),
		"an input_schema that is null": with("tools.yaml", "    source_file: scripts/deaf.py", "    source_file: scripts/deaf.py\n    input_schema:"),
	} {
		t.Run(name, func(t *testing.T) {
			s := f.one(t)
			if len(s.Problems) > 0 || len(s.Tools) != 2 || s.Tools[0].Script == "" {
				t.Errorf("tools %+v, problems %v", s.Tools, s.Problems)
			}
		})
	}
}

func TestWhatIsWrongIsNamedWithItsPlaceAndTheFix(t *testing.T) {
	for _, c := range append(wrongs(), dangers()...) {
		t.Run(c.name, func(t *testing.T) {
			s := c.files.one(t)
			if s.worst() != c.effect {
				t.Errorf("effect %q, want %q", s.worst(), c.effect)
			}
			for _, p := range s.Problems {
				if text := p.String(); p.Effect == c.effect && strings.HasPrefix(text, c.place) && strings.Contains(text, c.say) {
					return
				}
			}
			t.Errorf("no problem at %q with %q in %v", c.place, c.say, s.Problems)
		})
	}
}

// What cannot be run is found by no name.
func TestABrokenToolIsNeverFoundToBeRun(t *testing.T) {
	for _, c := range append(wrongs(), dangers()...) {
		if c.effect == Noted {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			s := c.files.one(t)
			refused := 0
			for _, tool := range []string{"count", "deaf", "other"} {
				_, found, err := Find(s.Dir, tool)
				if err != nil {
					refused++
				} else if !strings.HasPrefix(found.Script, s.Dir+string(filepath.Separator)) {
					t.Errorf("%s runs %q", tool, found.Script)
				}
			}
			if want := map[Effect]int{SkillSkipped: 3, ToolsLost: 3, ToolUnusable: 2}[c.effect]; refused < want {
				t.Errorf("refused %d of 3 tools, want %d", refused, want)
			}
		})
	}
}

func TestListFindsTheSkillsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	good().write(t, filepath.Join(dir, "counting"))
	with("SKILL.md", "name: counting", "name: zebra").write(t, filepath.Join(dir, "zebra"))
	without("SKILL.md").write(t, filepath.Join(dir, "half"))
	files{"readme.txt": "", "notes/todo.txt": ""}.write(t, dir)
	good().write(t, filepath.Join(dir, "deeper", "counting"))
	elsewhere := good().write(t, filepath.Join(t.TempDir(), "linked"))
	if err := os.Symlink(elsewhere, filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	skills, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range skills {
		got = append(got, filepath.Base(s.Dir)+" "+string(s.worst()))
	}
	if want := "counting , half skill skipped, linked skill skipped, zebra "; strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}

func TestListOfWhatIsNoFolder(t *testing.T) {
	dir := good().write(t, t.TempDir())
	for path, say := range map[string]string{"nope": "no such directory", "SKILL.md": "is a file"} {
		if _, err := List(filepath.Join(dir, path)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", path, err)
		}
	}
	empty := t.TempDir()
	if skills, err := List(empty); err != nil || len(skills) != 0 {
		t.Errorf("%v, %v", skills, err)
	}
	if _, _, err := Find(empty, "count"); !errors.Is(err, ErrNoTool) || !strings.Contains(err.Error(), "no tool in") {
		t.Error(err)
	}
}

func TestAToolIsFoundByEachOfItsNames(t *testing.T) {
	dir := t.TempDir()
	with("SKILL.md", "name: counting", "name: counting-loop").write(t, filepath.Join(dir, "counting-loop"))
	for _, name := range []string{
		"count", "counting-loop.count", "python.counting-loop.count",
		"counting_loop__count", "counting-loop.counting_loop__count", "python.counting-loop.counting_loop__count",
	} {
		s, tool, err := Find(dir, name)
		if err != nil || s.Name != "counting-loop" || tool.Name != "count" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "Count", "count ", "maya.counting-loop.count", "other.count", "counting-loop."} {
		if _, _, err := Find(dir, name); !errors.Is(err, ErrNoTool) || !strings.Contains(err.Error(), "python.counting-loop.deaf") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestANameThatMeansTwoToolsIsRefusedWithBoth(t *testing.T) {
	dir := t.TempDir()
	good().write(t, filepath.Join(dir, "counting"))
	with("SKILL.md", "name: counting", "name: other").write(t, filepath.Join(dir, "other"))
	_, _, err := Find(dir, "count")
	if !errors.Is(err, ErrAmbiguous) || !strings.Contains(err.Error(), "python.counting.count") || !strings.Contains(err.Error(), "python.other.count") {
		t.Errorf("%v", err)
	}
	if s, _, err := Find(dir, "other.count"); err != nil || s.Name != "other" {
		t.Error(err)
	}
}

func TestABrokenNeighbourKeepsNoToolFromRunning(t *testing.T) {
	dir := t.TempDir()
	good().write(t, filepath.Join(dir, "counting"))
	without("tools.yaml").write(t, filepath.Join(dir, "half"))
	if _, _, err := Find(dir, "count"); err != nil {
		t.Error(err)
	}
	if _, _, err := Find(dir, "nope"); !errors.Is(err, ErrNoTool) || !strings.Contains(err.Error(), "broken, so without tools: counting") {
		t.Error(err) // its name is the one in the front matter
	}
}
