package skill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// schemaURL is where a tool's schema stands while it is compiled. No reference
// leads away from it: see noLoader.
const schemaURL = "tool:///input_schema"

// noLoader refuses what a schema refers to outside itself. The library's own
// would open files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("refers to %q; put that into the schema itself, under $defs", url)
}

// compileSchema returns a schema, or an error for a person.
func compileSchema(b []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, schemaError(err)
	}
	s, err := c.Compile(schemaURL)
	if err != nil {
		return nil, schemaError(err)
	}
	return s, nil
}

func schemaError(err error) error {
	var load *jsonschema.LoadURLError
	var invalid *jsonschema.SchemaValidationError
	var wrong *jsonschema.ValidationError
	switch {
	case errors.As(err, &load):
		return load.Err
	case errors.As(err, &invalid) && errors.As(invalid.Err, &wrong):
		return fmt.Errorf("is no JSON Schema: %s", few(complaints("input_schema", wrong, nil), "; "))
	}
	return fmt.Errorf("is no JSON Schema: %s", strings.ReplaceAll(err.Error(), schemaURL+"#", "input_schema"))
}

// Check returns nil where the tool may be called with these parameters, as
// [Params] gives them. The error wraps [ErrParams] and has a line for each
// field that does not fit, by its path, with the fix. What the schema does not
// name is allowed unless it says additionalProperties: false, as JSON Schema
// has it, and defaults are the script's to apply.
func (t *Tool) Check(params json.RawMessage) error {
	if t.Schema == nil {
		return nil
	}
	schema, err := compileSchema(t.Schema)
	if err != nil {
		return fmt.Errorf("%w: tool %s: input_schema: %w", ErrBroken, t.Name, err)
	}
	v, err := decodeJSON(params)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrParams, err)
	}
	var wrong *jsonschema.ValidationError
	switch err := schema.Validate(v); {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return fmt.Errorf("%w: %w", ErrParams, err)
	}
	var known []string
	if len(schema.Properties) > 0 {
		known = slices.Sorted(maps.Keys(schema.Properties))
	}
	return fmt.Errorf("%w for tool %s:\n  %s", ErrParams, t.Name, few(complaints("params", wrong, known), "\n  "))
}

// complaints is a line for each thing that is wrong, in the order of the paths.
func complaints(root string, e *jsonschema.ValidationError, known []string) []string {
	var lines []string
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		switch e.ErrorKind.(type) {
		case *kind.AnyOf, *kind.OneOf:
			if len(e.Causes) > 0 {
				var forms []string
				for _, c := range e.Causes {
					forms = append(forms, strings.Join(complaints(root, c, known), " and "))
				}
				slices.Sort(forms)
				lines = append(lines, fmt.Sprintf("%s: fits none of the forms it may have: %s",
					at(root, e.InstanceLocation), few(slices.Compact(forms), "; or ")))
				return
			}
		}
		if len(e.Causes) == 0 {
			lines = append(lines, complaint(root, e, known)...)
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(e)
	slices.Sort(lines)
	return slices.Compact(lines)
}

// complaint words one leaf.
func complaint(root string, e *jsonschema.ValidationError, known []string) []string {
	path := at(root, e.InstanceLocation)
	say := func(format string, args ...any) []string { return []string{path + ": " + fmt.Sprintf(format, args...)} }
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return each(k.Missing, func(name string) string { return join(path, name) + ": missing; it is required" })
	case *kind.AdditionalProperties:
		return each(k.Properties, func(name string) string {
			if len(e.InstanceLocation) > 0 || len(known) == 0 {
				return join(path, name) + ": not allowed here; leave it out"
			}
			return join(path, name) + ": unknown; there are " + few(known, ", ")
		})
	case *kind.DependentRequired:
		return each(k.Missing, func(name string) string { return join(path, name) + ": missing; it goes with " + k.Prop })
	case *kind.Dependency:
		return each(k.Missing, func(name string) string { return join(path, name) + ": missing; it goes with " + k.Prop })
	case *kind.Type:
		want := make([]string, len(k.Want))
		for i, w := range k.Want {
			want[i] = article(w)
		}
		return say("must be %s, is %s", strings.Join(want, " or "), article(k.Got))
	case *kind.Enum:
		return say("must be one of %s, is %s", few(each(k.Want, short), ", "), short(k.Got))
	case *kind.Const:
		return say("must be %s, is %s", short(k.Want), short(k.Got))
	case *kind.Minimum:
		return say("must be at least %s, is %s", number(k.Want), number(k.Got))
	case *kind.Maximum:
		return say("must be at most %s, is %s", number(k.Want), number(k.Got))
	case *kind.ExclusiveMinimum:
		return say("must be more than %s, is %s", number(k.Want), number(k.Got))
	case *kind.ExclusiveMaximum:
		return say("must be less than %s, is %s", number(k.Want), number(k.Got))
	case *kind.MultipleOf:
		return say("must be a multiple of %s, is %s", number(k.Want), number(k.Got))
	case *kind.MinLength:
		return say("must have at least %d characters, has %d", k.Want, k.Got)
	case *kind.MaxLength:
		return say("must have at most %d characters, has %d", k.Want, k.Got)
	case *kind.Pattern:
		return say("must match %s, is %s", k.Want, short(k.Got))
	case *kind.MinItems:
		return say("must have at least %d items, has %d", k.Want, k.Got)
	case *kind.MaxItems:
		return say("must have at most %d items, has %d", k.Want, k.Got)
	case *kind.MinProperties:
		return say("must have at least %d fields, has %d", k.Want, k.Got)
	case *kind.MaxProperties:
		return say("must have at most %d fields, has %d", k.Want, k.Got)
	case *kind.UniqueItems:
		return say("items %d and %d are the same; leave one out", k.Duplicates[0], k.Duplicates[1])
	case *kind.AdditionalItems:
		return say("has %d items too many", k.Count)
	case *kind.PropertyNames:
		return say("%q is no name that is allowed here", k.Property)
	case *kind.FalseSchema:
		return say("not allowed; leave it out")
	case *kind.Not:
		return say("has a form that is not allowed")
	case *kind.OneOf:
		return say("fits more than one of the forms it may have")
	}
	return say("does not fit the schema (%s)", strings.Join(e.ErrorKind.KeywordPath(), "."))
}

func each[T any](items []T, text func(T) string) []string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = text(item)
	}
	return out
}

// at is the path of a value: params.shots[2].name.
func at(root string, location []string) string {
	for _, part := range location {
		if _, err := strconv.Atoi(part); err == nil {
			root += "[" + part + "]"
		} else {
			root = join(root, part)
		}
	}
	return root
}

func join(path, key string) string {
	if key == "" || strings.ContainsAny(key, ". []\"\n") {
		return path + "[" + strconv.Quote(key) + "]"
	}
	return path + "." + key
}

func number(r *big.Rat) string {
	if r.IsInt() && len(r.Num().String()) <= 20 {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// short is a value as JSON, not too long for a line.
func short(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	const most = 60
	if r := []rune(string(b)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(b)
}
