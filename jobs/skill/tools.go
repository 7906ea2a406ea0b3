package skill

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxTools bounds the tools of one skill.
const maxTools = 1000

// readTools reads the file that metadata.dcc-mcp.tools names.
func (s *Skill) readTools(root *os.Root, f field) {
	const key = "metadata.dcc-mcp.tools"
	name, isText := f.value.data.(string)
	lower := strings.ToLower(name)
	switch {
	case !isText || name == "":
		s.add(Problem{skillFile, f.line, key, "is " + f.value.kind() + "; give the name of a file, as tools.yaml", "", ToolsLost})
		return
	case !strings.HasSuffix(lower, ".yaml") && !strings.HasSuffix(lower, ".yml"):
		s.add(Problem{skillFile, f.line, key, fmt.Sprintf("%q does not end in .yaml; rename the file", name), "", ToolsLost})
		return
	}
	text, err := readFile(root, filepath.FromSlash(name))
	if err != nil {
		s.add(Problem{skillFile, f.line, key, fmt.Sprintf("%q %v", name, err), "", ToolsLost})
		return
	}
	lost := func(line int, field, format string, args ...any) {
		s.add(Problem{name, line, field, fmt.Sprintf(format, args...), "", ToolsLost})
	}
	doc, err := decodeYAML(text)
	if bad := new(yamlError); errors.As(err, &bad) {
		lost(bad.line, "", "%s", bad.text)
		return
	}
	tools, ok := doc.get("tools")
	list, isList := tools.value.data.([]value)
	switch {
	case !ok:
		lost(doc.line, "tools", "missing; the file must be a mapping with a list \"tools:\"")
		return
	case !isList:
		lost(tools.line, "tools", "is %s; make it a list of tools", tools.value.kind())
		return
	case len(list) == 0:
		lost(tools.line, "tools", "is an empty list; add a tool")
		return
	case len(list) > maxTools:
		lost(tools.line, "tools", "has %d tools; %d at most", len(list), maxTools)
		return
	}
	seen := map[string]int{} // name → line
	for i, item := range list {
		t := toolReader{skill: s, root: root, file: name, place: fmt.Sprintf("tools[%d]", i), seen: seen}
		t.read(item)
	}
}

// toolReader reads one tool.
type toolReader struct {
	skill *Skill
	root  *os.Root
	file  string
	place string
	seen  map[string]int
	tool  Tool
}

func (r *toolReader) problem(line int, field string, effect Effect, format string, args ...any) {
	if field != "" {
		field = "." + field
	}
	r.skill.add(Problem{r.file, line, r.place + field, fmt.Sprintf(format, args...), r.tool.Name, effect})
}

func (r *toolReader) read(item value) {
	if name, ok := item.data.(string); ok { // a name alone is allowed
		item.data = []field{{"name", item.line, value{item.line, name}}}
	}
	if _, ok := item.data.([]field); !ok {
		r.problem(item.line, "", ToolsLost, "is %s; make it a mapping with name, source_file and input_schema", item.kind())
		return
	}
	r.tool = Tool{Name: item.text("name"), Description: strings.TrimSpace(item.text("description")), line: item.line}
	name, hasName := item.get("name")
	if _, isText := name.value.data.(string); r.tool.Name == "" || !isText {
		effect, line := ToolUnusable, item.line
		if hasName && !isText {
			effect, line = ToolsLost, name.line
		}
		r.problem(line, "name", effect, "missing or no text; give the tool a name")
		return
	}
	if before, twice := r.seen[r.tool.Name]; twice {
		r.problem(name.line, "name", ToolUnusable, "%q is the name of a tool on line %d already; rename one", r.tool.Name, before)
	}
	r.seen[r.tool.Name] = name.line
	if f, ok := item.get("execution"); ok && f.value.data != "sync" && f.value.data != "async" {
		r.problem(f.line, "execution", ToolsLost, "%q is neither sync nor async", fmt.Sprint(f.value.plain()))
	}
	r.tool.Slug = r.skill.DCC + "." + r.skill.Name + "." + r.tool.Name
	r.readScript(item)
	r.readSchema(item)
	r.skill.Tools = append(r.skill.Tools, r.tool)
}

// readScript finds the file that runs the tool: the one it names, else the one
// with its name, else the only one there is.
func (r *toolReader) readScript(item value) {
	f, named := item.get("source_file")
	path := item.text("source_file")
	line := f.line
	if path == "" {
		path, line = r.ownScript(), item.line
		if path == "" {
			r.problem(line, "source_file", ToolUnusable, "missing, and no script in %s/ has the tool's name; name one, as scripts/%s.py", scriptsDir, r.tool.Name)
			return
		}
	}
	if _, isText := f.value.data.(string); named && !isText && f.value.data != nil {
		r.problem(line, "source_file", ToolsLost, "is %s; give the path of a script", f.value.kind())
		return
	}
	local := filepath.FromSlash(path)
	if err := regular(r.root, local); err != nil {
		r.problem(line, "source_file", ToolUnusable, "%q %v", path, err)
		return
	}
	if !strings.EqualFold(filepath.Ext(path), ".py") {
		r.problem(line, "source_file", ToolUnusable, "%q is no Python script; dcctop runs .py only", path)
		return
	}
	r.tool.Script = filepath.Join(r.skill.Dir, local)
}

func (r *toolReader) ownScript() string {
	dir, err := r.root.Open(scriptsDir)
	if err != nil {
		return ""
	}
	entries, err := dir.ReadDir(maxTools)
	if errors.Join(dir.Close(), nil) != nil || err != nil {
		return ""
	}
	bare := r.tool.Name
	if i := strings.LastIndex(bare, "__"); i >= 0 {
		bare = bare[i+2:]
	}
	plainName := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }
	var scripts []string
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if !e.Type().IsRegular() || ext == "" {
			continue
		}
		if plainName(strings.TrimSuffix(e.Name(), ext)) == plainName(bare) {
			return scriptsDir + "/" + e.Name()
		}
		scripts = append(scripts, e.Name())
	}
	if len(scripts) == 1 {
		return scriptsDir + "/" + scripts[0]
	}
	return ""
}

func (r *toolReader) readSchema(item value) {
	f, ok := item.get("input_schema")
	if !ok || f.value.data == nil {
		if f, ok := item.get("inputSchema"); ok {
			r.problem(f.line, "inputSchema", Noted, "is not read; call it input_schema")
		}
		return
	}
	if _, isMapping := f.value.data.([]field); !isMapping {
		r.problem(f.line, "input_schema", ToolUnusable, "is %s; make it a JSON Schema, a mapping with \"type: object\"", f.value.kind())
		return
	}
	b, err := json.Marshal(f.value.plain())
	if err != nil {
		r.problem(f.line, "input_schema", ToolUnusable, "has no form in JSON: %v", err)
		return
	}
	r.tool.Schema = b
	if _, err := compileSchema(b); err != nil {
		r.problem(f.line, "input_schema", ToolUnusable, "%v", err)
	}
}
