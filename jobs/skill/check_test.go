package skill

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestParamsMustBeOneJSONObject(t *testing.T) {
	for in, say := range map[string]string{
		`{"a": 1`:                   "ends in the middle",
		`{"a": "x}`:                 "ends in the middle",
		`{a: 1}`:                    "not JSON",
		`{'a': 1}`:                  "not JSON",
		`{"a": 1,}`:                 "not JSON",
		`a=1`:                       "not JSON",
		`{"a": NaN}`:                "not JSON",
		`[1, 2]`:                    "must be a JSON object",
		`"x"`:                       "is a string",
		`12`:                        "is a number",
		`null`:                      "is null",
		`true`:                      "is a boolean",
		`{} {}`:                     "something follows",
		`{"a": 1, "a": 2}`:          "params.a: given twice",
		`{"x": [{"b": 1, "b": 2}]}`: "params.x[0].b: given twice",
		"{\"a\": \"\xff\"}":         "UTF-8",
		strings.Repeat("[", 100):    "nested",
		`{"a": "` + strings.Repeat("x", maxParams) + `"}`: "bytes",
	} {
		got, err := Params([]byte(in))
		if !errors.Is(err, ErrParams) || !strings.Contains(err.Error(), say) || !strings.Contains(err.Error(), "params") {
			t.Errorf("%.40q: %s, %v; want %q", in, got, err, say)
		}
	}
	for in, want := range map[string]string{"": "{}", " \n": "{}", " {\"a\": 1}\n": `{"a": 1}`, `{"n": 12345678901234567890}`: `{"n": 12345678901234567890}`} {
		if got, err := Params([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%q: %s, %v", in, got, err)
		}
	}
}

func TestParametersAreCheckedAgainstTheSchemaAndEachFieldIsNamed(t *testing.T) {
	const schema = `{"type": "object", "required": ["shot"], "properties": {
		"shot": {"type": "string", "pattern": "^sh[0-9]+$", "maxLength": 8},
		"iterations": {"type": "integer", "minimum": 1, "maximum": 100},
		"delay": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
		"mode": {"enum": ["fast", "best"]},
		"layers": {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}},
		"size": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]},
		"odd.key": {"type": "integer"}
	}, "additionalProperties": false}`
	tool := &Tool{Name: "render", Schema: json.RawMessage(schema)}
	for in, want := range map[string][]string{
		`{}`:                                                        {"params.shot: missing; it is required"},
		`{"shot": "x"}`:                                             {`params.shot: must match ^sh[0-9]+$, is "x"`},
		`{"shot": "sh123456789"}`:                                   {"params.shot: must have at most 8 characters, has 11"},
		`{"shot": "sh1", "iterations": 0}`:                          {"params.iterations: must be at least 1, is 0"},
		`{"shot": "sh1", "iterations": 1e3}`:                        {"params.iterations: must be at most 100, is 1000"},
		`{"shot": "sh1", "iterations": 1.5}`:                        {"params.iterations: must be an integer, is a number"},
		`{"shot": "sh1", "iterations": "3"}`:                        {"params.iterations: must be an integer, is a string"},
		`{"shot": "sh1", "iterations": null}`:                       {"params.iterations: must be an integer, is null"},
		`{"shot": "sh1", "delay": 0}`:                               {"params.delay: must be more than 0, is 0"},
		`{"shot": "sh1", "delay": 0.7}`:                             {"params.delay: must be a multiple of 0.5, is 0.7"},
		`{"shot": "sh1", "mode": "slow"}`:                           {`params.mode: must be one of "fast", "best", is "slow"`},
		`{"shot": "sh1", "layers": []}`:                             {"params.layers: must have at least 1 items, has 0"},
		`{"shot": "sh1", "layers": [{"name": "a"}, {}]}`:            {"params.layers[1].name: missing; it is required"},
		`{"shot": "sh1", "layers": [{"name": "a"}, {"name": "a"}]}`: {"params.layers: items 0 and 1 are the same; leave one out"},
		`{"shot": "sh1", "size": "x"}`:                              {"params.size: fits none of the forms it may have: params.size: must be an array, is a string; or params.size: must be an integer, is a string"},
		`{"shot": "sh1", "odd.key": "x"}`:                           {`params["odd.key"]: must be an integer, is a string`},
		`{"shot": "sh1", "itertions": 1}`:                           {"params.itertions: unknown; there are delay, iterations, layers, mode, odd.key, shot, size"},
		`{"iterations": 0, "mode": 1}`:                              {"params.iterations: must be at least 1, is 0", `params.mode: must be one of "fast", "best", is 1`, "params.shot: missing; it is required"},
	} {
		err := tool.Check(json.RawMessage(in))
		if !errors.Is(err, ErrParams) {
			t.Errorf("%s: %v", in, err)
			continue
		}
		_, lines, _ := strings.Cut(err.Error(), "\n  ")
		if got := strings.Split(lines, "\n  "); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s:\n got  %q\n want %q", in, got, want)
		}
	}
	for _, in := range []string{`{"shot": "sh1"}`, `{"shot": "sh1", "iterations": 100, "delay": 1.5, "size": [1], "odd.key": 1}`} {
		if err := tool.Check(json.RawMessage(in)); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestAToolWithoutASchemaTakesAnyObject(t *testing.T) {
	if err := (&Tool{Name: "free"}).Check(json.RawMessage(`{"anything": [1]}`)); err != nil {
		t.Error(err)
	}
}
