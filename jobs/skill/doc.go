// Package skill reads DCC-MCP skill directories: a SKILL.md with YAML front
// matter, a tools.yaml that the front matter names, and the scripts of its tools.
//
// # Usage
//
//	skills, err := skill.List(dir)               // all below dir, the broken ones too
//	s, tool, err := skill.Find(dir, "count")     // the one tool that is meant
//	params, err := skill.Params([]byte(`{…}`))   // a JSON object, or an error
//	err = tool.Check(params)                     // against its input_schema
//
// # What is wrong with a skill
//
// The real server skips a skill that it cannot read, or loads it without its
// tools, with a line in its log that nobody sees. [List] says the same as a
// [Problem]: the file, the line, the field, what to do about it, and what the
// ecosystem does with such a skill ([Effect]). What each mistake leads to was
// seen on dcc-mcp-core 0.20.49. Where that would run a script from outside the
// skill's folder, or parameters that its schema could not check, [Find] refuses.
//
// # Hostile directories
//
// A skill may come from anywhere. Files are read up to 256 KiB and only where
// they lie inside the folder, links followed; YAML is bounded in size, nesting,
// anchors and in what its aliases grow to; a schema loads nothing from a file
// or a network. Names and texts are as written: who prints them cleans them.
//
// All functions are safe for concurrent use; they keep nothing.
package skill
