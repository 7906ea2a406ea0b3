package skill

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// specKeys are the keys that the specification (agentskills.io 1.0) knows at
// the top of the front matter. The ecosystem skips a skill that has another.
const specKeys = "name, description, license, compatibility, metadata, allowed-tools"

// read reads one skill directory. It always returns a skill: what is wrong is
// in its problems.
func read(dir string) Skill {
	s := Skill{Dir: dir, Name: filepath.Base(dir), DCC: "python"}
	root, err := os.OpenRoot(dir)
	if err != nil {
		s.add(Problem{File: ".", Text: plain(err).Error(), Effect: SkillSkipped})
		return s
	}
	defer func() { _ = root.Close() }() // opened for reading
	text, err := readFile(root, skillFile)
	if err != nil {
		s.add(Problem{File: skillFile, Text: err.Error(), Effect: SkillSkipped})
		return s
	}
	s.readFront(root, text)
	slices.SortStableFunc(s.Problems, byPlace)
	return s
}

func (s *Skill) readFront(root *os.Root, text string) {
	skip := func(line int, field, format string, args ...any) {
		s.add(Problem{skillFile, line, field, fmt.Sprintf(format, args...), "", SkillSkipped})
	}
	matter, err := frontMatter(text)
	if err != nil {
		skip(1, "", "%v", err)
		return
	}
	front, err := decodeYAML(matter)
	if bad := new(yamlError); errors.As(err, &bad) {
		skip(bad.line, "", "%s", bad.text)
		return
	}
	fields, ok := front.data.([]field)
	if !ok {
		skip(front.line, "", "the front matter is %s; make it a mapping with name and description", front.kind())
		return
	}
	for _, f := range fields {
		known := slices.Contains(strings.Split(specKeys, ", "), f.key) || f.key == "allowed_tools"
		if !known {
			skip(f.line, f.key, "outside the specification (%s); move it to metadata.dcc-mcp.%s", specKeys, f.key)
		}
	}
	s.readName(front, skip)
	s.readDescription(front, skip)
	meta, _ := front.get("metadata")
	ours, _ := meta.value.get("dcc-mcp")
	s.DCC = ours.value.text("dcc")
	if s.DCC == "" {
		s.DCC = "python" // the ecosystem's default
	}
	s.Version = ours.value.text("version")
	tools, ok := ours.value.get("tools")
	if !ok {
		s.add(Problem{skillFile, max(ours.line, meta.line, 1), "metadata.dcc-mcp.tools",
			"missing: nothing says what may be run, or with which parameters; add \"tools: tools.yaml\" and the file", "", ToolsLost})
		return
	}
	s.readTools(root, tools)
}

// frontMatter returns the YAML between the first line, ---, and the next one.
// Line n of it is line n of the file: the first line is left empty.
func frontMatter(text string) (string, error) {
	const fence = "---"
	switch {
	case strings.HasPrefix(text, "\uFEFF"):
		return "", errors.New("starts with a byte order mark; save it as UTF-8 without one")
	case !strings.HasPrefix(text, fence):
		return "", errors.New("no front matter; the first line must be ---")
	}
	rest := text[len(fence):]
	end := strings.Index(rest, "\n"+fence)
	if end < 0 {
		return "", errors.New("the front matter has no end; close it with a line ---")
	}
	matter := strings.ReplaceAll(rest[:end], "\r\n", "\n")
	first, body, _ := strings.Cut(matter, "\n")
	if strings.TrimSpace(first) != "" {
		return "", errors.New("text after the first ---; start the front matter on the next line")
	}
	return "\n" + body + "\n", nil
}

// kebab is a name as the specification wants it.
var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (s *Skill) readName(front value, skip func(int, string, string, ...any)) {
	note := func(line int, format string, args ...any) {
		s.add(Problem{skillFile, line, "name", fmt.Sprintf(format, args...), "", Noted})
	}
	f, ok := front.get("name")
	name, isText := f.value.data.(string)
	folder := filepath.Base(s.Dir)
	switch {
	case !ok:
		skip(1, "name", "missing; add \"name: %s\"", folder)
		return
	case !isText:
		skip(f.line, "name", "is %s; put it in quotes", f.value.kind())
		return
	case name == "":
		note(f.line, "empty, the folder's is taken; write %q", folder)
		return
	case name != folder:
		note(f.line, "%q is not the folder's name, %q; rename one of them", name, folder)
	}
	s.Name = name
	if !kebab.MatchString(name) || len(name) > 64 {
		note(f.line, "%q should be lower-case words joined by hyphens, 64 characters at most", name)
	}
}

func (s *Skill) readDescription(front value, skip func(int, string, string, ...any)) {
	f, ok := front.get("description")
	text, isText := f.value.data.(string)
	switch {
	case ok && !isText && f.value.data != nil:
		skip(f.line, "description", "is %s; make it text", f.value.kind())
	case text == "":
		s.add(Problem{skillFile, max(f.line, 1), "description", "missing; say what the skill is for", "", Noted})
	case utf8.RuneCountInString(text) > 1024:
		s.add(Problem{skillFile, f.line, "description", "longer than 1024 characters; shorten it", "", Noted})
	}
	s.Description = text
}
