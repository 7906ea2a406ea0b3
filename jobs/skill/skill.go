package skill

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Skill is one skill directory as it was read.
type Skill struct {
	Dir         string    `json:"dir"`  // absolute
	Name        string    `json:"name"` // the folder's where the front matter gives none
	DCC         string    `json:"dcc,omitempty"`
	Version     string    `json:"version,omitempty"`
	Description string    `json:"description,omitempty"`
	Tools       []Tool    `json:"tools,omitempty"`
	Problems    []Problem `json:"problems,omitempty"` // in the order of the files and their lines
}

// Skipped reports whether the ecosystem passes this skill over.
func (s *Skill) Skipped() bool { return s.worst() == SkillSkipped }

// worst is the gravest effect of the skill's problems, "" where there are none.
func (s *Skill) worst() Effect {
	for _, e := range []Effect{SkillSkipped, ToolsLost, ToolUnusable, Noted} {
		for _, p := range s.Problems {
			if p.Effect == e {
				return e
			}
		}
	}
	return ""
}

// Tool is one tool of a skill.
type Tool struct {
	Name        string `json:"name"`
	Slug        string `json:"slug"` // dcc.skill.tool
	Description string `json:"description,omitempty"`
	// Script is the Python file that runs it: an absolute path inside the
	// skill's folder; "" where there is none to run.
	Script string          `json:"script,omitempty"`
	Schema json.RawMessage `json:"input_schema,omitempty"` // nil: takes any object

	line int // in the tools file
}

// Problem is one thing that is wrong with a skill.
type Problem struct {
	File   string `json:"file"`           // below the skill's folder
	Line   int    `json:"line,omitempty"` // from 1; 0 where it is about the whole file
	Field  string `json:"field,omitempty"`
	Text   string `json:"text"` // what is wrong and what to do
	Tool   string `json:"tool,omitempty"`
	Effect Effect `json:"effect"`
}

// String is the problem in one line, as a compiler would print it.
func (p Problem) String() string {
	where := p.File
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, p.Line)
	}
	if p.Field != "" {
		where += ": " + p.Field
	}
	return where + ": " + p.Text
}

// Effect is what becomes of a skill that has a problem.
type Effect string

// The effects, from the gravest.
const (
	SkillSkipped Effect = "skill skipped" // the ecosystem does not load it
	ToolsLost    Effect = "no tools"      // it is loaded, and none of its tools as they were meant
	ToolUnusable Effect = "tool unusable" // one tool cannot be run, or not safely
	Noted        Effect = "note"          // it works; the ecosystem's own checker complains
)

// Errors that a caller decides on.
var (
	ErrNoTool    = errors.New("no such tool")
	ErrAmbiguous = errors.New("means several tools")
	ErrBroken    = errors.New("skill is broken")
	ErrParams    = errors.New("wrong parameters")
)

// List reads the skill that dir is, or else every skill directly below it, as
// the ecosystem searches. The order is that of the folders' names. A broken
// skill is listed with its problems; the error is about dir itself.
func List(dir string) ([]Skill, error) {
	dir, folders, err := folders(dir)
	if err != nil {
		return nil, err
	}
	if folders == nil {
		return []Skill{read(dir)}, nil
	}
	var skills []Skill
	for _, f := range folders {
		s := read(filepath.Join(dir, f.name))
		if f.link {
			s.add(Problem{File: ".", Text: "the folder is a symbolic link; move the skill here itself", Effect: SkillSkipped})
		}
		skills = append(skills, s)
	}
	return skills, nil
}

// Find returns the tool that name means among the skills of dir: the tool's
// own name, skill.tool, dcc.skill.tool, or the ecosystem's name for it,
// skill__tool. The error wraps [ErrNoTool], with what there is, [ErrAmbiguous],
// with all that it means, or [ErrBroken], with the problems that keep the tool
// from running.
func Find(dir, name string) (*Skill, *Tool, error) {
	skills, err := List(dir)
	if err != nil {
		return nil, nil, err
	}
	type match struct {
		skill *Skill
		tool  *Tool
	}
	var found []match
	var all []string
	for i := range skills {
		s := &skills[i]
		for j := range s.Tools {
			t := &s.Tools[j]
			all = append(all, t.Slug)
			if s.means(t, name) {
				found = append(found, match{s, t})
			}
		}
	}
	switch {
	case len(found) == 1:
		s, t := found[0].skill, found[0].tool
		return s, t, s.usable(t)
	case len(found) > 1:
		lines := make([]string, len(found))
		for i, m := range found {
			lines[i] = fmt.Sprintf("  %s  (%s)", m.tool.Slug, m.skill.Dir)
		}
		return nil, nil, fmt.Errorf("%q %w; name one of them in full:\n%s", name, ErrAmbiguous, few(lines, "\n"))
	}
	if len(skills) == 1 {
		if err := skills[0].usable(nil); err != nil {
			return nil, nil, err
		}
	}
	var broken []string
	for i := range skills {
		if skills[i].usable(nil) != nil {
			broken = append(broken, skills[i].Name)
		}
	}
	there := "there are: " + few(all, ", ")
	if len(all) == 0 {
		there = "there is no tool in " + dir
	}
	if len(broken) > 0 {
		there += "; broken, so without tools: " + few(broken, ", ")
	}
	return nil, nil, fmt.Errorf("%w: %q; %s", ErrNoTool, name, there)
}

// means reports whether name means t.
func (s *Skill) means(t *Tool, name string) bool {
	action := t.Name
	if prefix := strings.ReplaceAll(s.Name, "-", "_") + "__"; !strings.HasPrefix(action, prefix) {
		action = prefix + t.Name
	}
	for _, own := range []string{t.Name, action} {
		if name == own || name == s.Name+"."+own || name == s.DCC+"."+s.Name+"."+own {
			return true
		}
	}
	return false
}

// usable returns what keeps t from being run, or with nil for t what keeps the
// skill from having tools.
func (s *Skill) usable(t *Tool) error {
	var bad []string
	for _, p := range s.Problems {
		if p.Effect == SkillSkipped || p.Effect == ToolsLost || p.Effect == ToolUnusable && t != nil && p.Tool == t.Name {
			bad = append(bad, "  "+p.String())
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s\n%s", ErrBroken, s.Dir, few(bad, "\n"))
}

func (s *Skill) add(p Problem) { s.Problems = append(s.Problems, p) }

// few joins what a person reads, and counts the rest.
func few(items []string, sep string) string {
	const most = 20
	if len(items) > most {
		items = append(items[:most:most], fmt.Sprintf("and %d more", len(items)-most))
	}
	return strings.Join(items, sep)
}

// byPlace orders problems as the files are read.
func byPlace(a, b Problem) int {
	rank := func(p Problem) int {
		if p.File == skillFile {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}
