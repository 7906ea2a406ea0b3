package skill

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever the files hold, a skill is read, and what it would run lies in its
// folder.
func FuzzSkillDirectory(f *testing.F) {
	for _, c := range append(wrongs(), dangers()...) {
		if len(c.files["SKILL.md"]) < 4<<10 && len(c.files["tools.yaml"]) < 4<<10 {
			f.Add(c.files["SKILL.md"], c.files["tools.yaml"])
		}
	}
	f.Fuzz(func(t *testing.T, front, tools string) {
		if strings.HasPrefix(front, "-> ") || strings.HasPrefix(tools, "-> ") {
			return
		}
		s := good().and("SKILL.md", front).and("tools.yaml", tools).one(t)
		for _, tool := range s.Tools {
			if tool.Script != "" && !strings.HasPrefix(tool.Script, s.Dir+string(filepath.Separator)) {
				t.Errorf("runs %q", tool.Script)
			}
		}
		for _, p := range s.Problems {
			if p.Text == "" || p.Effect == "" || p.File == "" {
				t.Errorf("a problem that says nothing: %+v", p)
			}
		}
		if _, err := json.Marshal(s); err != nil {
			t.Error(err)
		}
	})
}

func FuzzYAML(f *testing.F) {
	for _, c := range append(wrongs(), dangers()...) {
		f.Add(c.files["tools.yaml"][:min(len(c.files["tools.yaml"]), 4<<10)])
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := decodeYAML(text)
		if bad := new(yamlError); err != nil && (!errors.As(err, &bad) || bad.line < 1) {
			t.Errorf("%T %v", err, err)
		}
		if _, err := json.Marshal(v.plain()); err != nil {
			t.Error(err)
		}
	})
}

// What is taken as parameters is what Python's json and ours read alike.
func FuzzParams(f *testing.F) {
	for _, s := range []string{"", "{}", `{"a": [1, {"b": null}]}`, `{"a": 1, "a": 2}`, `{"a`, "[[[["} {
		f.Add([]byte(s), `{"type": "object", "properties": {"a": {"minimum": 1}}}`)
	}
	f.Fuzz(func(t *testing.T, b []byte, schema string) {
		params, err := Params(b)
		if err != nil {
			if !errors.Is(err, ErrParams) {
				t.Errorf("%v", err)
			}
			return
		}
		var object map[string]any
		if err := json.Unmarshal(params, &object); err != nil || object == nil {
			t.Errorf("%q is taken for an object: %v", params, err)
		}
		err = (&Tool{Name: "t", Schema: json.RawMessage(schema)}).Check(params)
		if err != nil && !errors.Is(err, ErrParams) && !errors.Is(err, ErrBroken) {
			t.Errorf("%v", err)
		}
	})
}
