package skill

import "strings"

// wrong is one mistake in a skill: where it is said to be, what is said of it,
// and what the ecosystem does with it. The interop test asks the real package.
type wrong struct {
	name   string
	files  files
	effect Effect
	place  string // the beginning of the problem
	say    string
}

func wrongs() []wrong {
	front := func(old, text string) files { return with("SKILL.md", old, text) }
	tools := func(old, text string) files { return with("tools.yaml", old, text) }
	return []wrong{
		{"a key outside the specification", front("license: MIT", "license: MIT\nversion: 1.0.0"), SkillSkipped, "SKILL.md:5: version: ", "metadata.dcc-mcp.version"},
		{"an unknown key", front("license: MIT", "licence: MIT"), SkillSkipped, "SKILL.md:4: licence: ", "specification"},
		{"no name", front("name: counting\n", ""), SkillSkipped, "SKILL.md:1: name: ", `add "name: counting"`},
		{"a number for a name", front("name: counting", "name: 12"), SkillSkipped, "SKILL.md:2: name: ", "quotes"},
		{"an empty name", front("name: counting", `name: ""`), Noted, "SKILL.md:2: name: ", "counting"},
		{"another name than the folder", front("name: counting", "name: counter"), Noted, "SKILL.md:2: name: ", "folder"},
		{"a name with capitals", front("name: counting", "name: Counting Loop"), Noted, "SKILL.md:2: name: ", "hyphens"},
		{"no description", front("description: \"Counts.\"\n", ""), Noted, "SKILL.md:1: description: ", "missing"},
		{"a list for a description", front(`"Counts."`, "[a]"), SkillSkipped, "SKILL.md:3: description: ", "text"},
		{"no SKILL.md", without("SKILL.md"), SkillSkipped, "SKILL.md: ", "does not exist"},
		{"no front matter", good().and("SKILL.md", "# counting\n"), SkillSkipped, "SKILL.md:1: ", "---"},
		{"front matter without an end", good().and("SKILL.md", "---\nname: counting\n"), SkillSkipped, "SKILL.md:1: ", "no end"},
		{"a blank line first", good().and("SKILL.md", "\n"+goodFront), SkillSkipped, "SKILL.md:1: ", "first line"},
		{"a byte order mark", good().and("SKILL.md", "\uFEFF"+goodFront), SkillSkipped, "SKILL.md:1: ", "byte order mark"},
		{"Latin-1", front("Counts.", "Z\xe4hlt."), SkillSkipped, "SKILL.md: ", "UTF-8"},
		{"front matter that is a list", good().and("SKILL.md", "---\n- a\n---\n"), SkillSkipped, "SKILL.md:2: ", "a list"},
		{"broken YAML", front("license: MIT", "license: [MIT"), SkillSkipped, "SKILL.md:5: ", "broken YAML"},
		{"a tab", front("    dcc:", "\tdcc:"), SkillSkipped, "SKILL.md:7: ", "broken YAML"},
		{"a key twice", front("license: MIT", "license: MIT\nlicense: MIT"), SkillSkipped, "SKILL.md:5: ", "license"},
		{"no tools named", front("    tools: tools.yaml\n", ""), ToolsLost, "SKILL.md:6: metadata.dcc-mcp.tools: ", "tools.yaml"},
		{"no tools.yaml", without("tools.yaml"), ToolsLost, "SKILL.md:9: metadata.dcc-mcp.tools: ", `"tools.yaml" does not exist`},
		{"tools that are no YAML file", front("tools.yaml", "tools.txt").and("tools.txt", goodTools), ToolsLost, "SKILL.md:9: metadata.dcc-mcp.tools: ", ".yaml"},
		{"tools in the front matter", front("tools: tools.yaml", "tools: [count]"), ToolsLost, "SKILL.md:9: metadata.dcc-mcp.tools: ", "a list"},
		{"broken tools.yaml", tools("execution: async", "execution: [async"), ToolsLost, "tools.yaml:5: ", "broken YAML"},
		{"tools.yaml that is a list", good().and("tools.yaml", "- name: count\n"), ToolsLost, "tools.yaml:1: tools: ", "mapping"},
		{"an empty tools.yaml", good().and("tools.yaml", ""), ToolsLost, "tools.yaml:1: tools: ", "mapping"},
		{"an execution that is none", tools("async", "later"), ToolsLost, "tools.yaml:4: tools[0].execution: ", "sync"},
		{"a key twice in a tool", tools("execution: async", "execution: async\n    execution: sync"), ToolsLost, "tools.yaml:5: ", "execution"},
		{"a tool without a name", tools("- name: count", "- title: count"), ToolUnusable, "tools.yaml:2: tools[0].name: ", "missing"},
		{"two tools of one name", tools("name: deaf", "name: count"), ToolUnusable, "tools.yaml:11: tools[1].name: ", "line 2"},
		{"a script that is not there", tools("scripts/count.py", "scripts/nope.py"), ToolUnusable, "tools.yaml:5: tools[0].source_file: ", "does not exist"},
		{"a folder for a script", tools("scripts/count.py", "scripts"), ToolUnusable, "tools.yaml:5: tools[0].source_file: ", "file"},
		{"no script", tools("name: deaf\n    description: Never ask.\n    source_file: scripts/deaf.py", "name: other"), ToolUnusable, "tools.yaml:11: tools[1].source_file: ", "scripts/other.py"},
		{"a schema that is text", tools("    source_file: scripts/deaf.py", "    source_file: scripts/deaf.py\n    input_schema: hello"), ToolUnusable, "tools.yaml:14: tools[1].input_schema: ", "mapping"},
		{"a schema of a type that is none", tools("type: integer", "type: frob"), ToolUnusable, "tools.yaml:6: tools[0].input_schema: ", "input_schema.properties.iterations.type"},
		{"a schema in camel case", tools("    source_file: scripts/deaf.py", "    source_file: scripts/deaf.py\n    inputSchema: {}"), Noted, "tools.yaml:14: tools[1].inputSchema: ", "input_schema"},
	}
}

// dangers are what the ecosystem would run or read, and dcctop does not.
func dangers() []wrong {
	front := func(text string) files { return with("SKILL.md", "tools: tools.yaml", "tools: "+text) }
	script := func(path string) files { return with("tools.yaml", "scripts/count.py", path) }
	schema := func(text string) files {
		return with("tools.yaml", "    source_file: scripts/deaf.py", "    source_file: scripts/deaf.py\n    input_schema: "+text)
	}
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for _, pair := range []string{"ba", "cb", "dc", "ed", "fe", "gf"} {
		bomb += pair[:1] + ": &" + pair[:1] + " [" + strings.Repeat("*"+pair[1:]+", ", 9) + "*" + pair[1:] + "]\n"
	}
	return []wrong{
		{"a script above the folder", script("../other.py").and("../other.py", ""), ToolUnusable, "tools.yaml:5: tools[0].source_file: ", "out of the skill's folder"},
		{"an absolute script", script("/etc/passwd"), ToolUnusable, "tools.yaml:5: tools[0].source_file: ", "out of the skill's folder"},
		{"a link out of the folder", script("scripts/link.py").and("other.py", "").and("scripts/link.py", "-> ../../outside.py").and("../outside.py", ""),
			ToolUnusable, "tools.yaml:5: tools[0].source_file: ", "out of the skill's folder"},
		{"tools above the folder", front("../tools.yaml").and("../tools.yaml", goodTools), ToolsLost, "SKILL.md:9: ", "out of the skill's folder"},
		{"tools that link out of the folder", front("link.yaml").and("link.yaml", "-> ../tools.yaml").and("../tools.yaml", goodTools), ToolsLost, "SKILL.md:9: ", "out of the skill's folder"},
		{"a shell script", script("scripts/count.sh").and("scripts/count.sh", ""), ToolUnusable, "tools.yaml:5: tools[0].source_file: ", ".py only"},
		{"a schema from a file", schema(`{$ref: "file:///etc/passwd"}`), ToolUnusable, "tools.yaml:14: tools[1].input_schema: ", "$defs"},
		{"a schema from the network", schema(`{$ref: "http://127.0.0.1:1/schema"}`), ToolUnusable, "tools.yaml:14: tools[1].input_schema: ", "$defs"},
		{"a pattern that no engine here has", schema(`{properties: {a: {pattern: "(?=x)"}}}`), ToolUnusable, "tools.yaml:14: tools[1].input_schema: ", "pattern"},
		{"a YAML bomb", good().and("tools.yaml", bomb), ToolsLost, "tools.yaml:", "aliases grow"},
		{"brackets, very deep", good().and("tools.yaml", strings.Repeat("[", 10_000)), ToolsLost, "tools.yaml:1: ", "nested"},
		{"brackets over many lines", good().and("tools.yaml", strings.Repeat("[\n", 100)), ToolsLost, "tools.yaml:", "nested"},
		{"entries, very deep", good().and("tools.yaml", strings.Repeat("- ", 10_000)+"a"), ToolsLost, "tools.yaml:1: ", "nested"},
		{"mappings, very deep", good().and("tools.yaml", deepMapping(300)), ToolsLost, "tools.yaml:", "nested"},
		{"anchors without end", good().and("tools.yaml", strings.Repeat("- &a x\n", 2000)), ToolsLost, "tools.yaml:", "anchors"},
		{"an alias to itself", good().and("tools.yaml", "tools: &a [*a]\n"), ToolsLost, "tools.yaml:1: ", "anchor"},
		{"a merge", good().and("tools.yaml", "a: &a {b: 1}\ntools:\n  - <<: *a\n"), ToolsLost, "tools.yaml:3: ", "merge"},
		{"no number", good().and("tools.yaml", "tools: .nan\n"), ToolsLost, "tools.yaml:1: ", "JSON"},
		{"a huge SKILL.md", good().and("SKILL.md", goodFront+strings.Repeat("x", maxFile)), SkillSkipped, "SKILL.md: ", "256 KiB"},
		{"a huge tools.yaml", good().and("tools.yaml", goodTools+strings.Repeat("#", maxFile)), ToolsLost, "SKILL.md:9: ", "256 KiB"},
		{"many small values", good().and("tools.yaml", "tools: ["+strings.Repeat("1,", 50_000)+"]"), ToolsLost, "tools.yaml:1: ", "too long"},
	}
}

func deepMapping(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}
