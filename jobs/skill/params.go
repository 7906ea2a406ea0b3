package skill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	maxParams      = 64 << 10 // bytes, as for the result of a script
	maxParamsDepth = 64
)

// Params returns what b holds as the parameters of a script: one JSON object,
// without the blanks around it. Nothing at all is an empty object. The error
// wraps [ErrParams] and says what is wrong, and where.
func Params(b []byte) (json.RawMessage, error) {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0:
		return json.RawMessage("{}"), nil
	case len(b) > maxParams:
		return nil, fmt.Errorf("%w: params: %d bytes; give at most %d, or the path of a file", ErrParams, len(b), maxParams)
	case !utf8.Valid(b):
		return nil, fmt.Errorf("%w: params: not UTF-8; save them as UTF-8", ErrParams)
	}
	v, err := decodeJSON(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	if _, ok := v.(map[string]any); !ok {
		return nil, fmt.Errorf("%w: params: must be a JSON object, as {\"name\": 1}, is %s", ErrParams, article(typeName(v)))
	}
	return b, nil
}

// decodeJSON is encoding/json with numbers kept as written, an error for a key
// that is given twice, and a limit to the nesting.
func decodeJSON(b []byte) (any, error) {
	d := jsonDecoder{json.NewDecoder(bytes.NewReader(b))}
	d.UseNumber()
	v, err := d.value("params", 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("params: something follows the JSON value; give one object only")
	}
	return v, nil
}

type jsonDecoder struct{ *json.Decoder }

func (d jsonDecoder) value(path string, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, d.broken(err)
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth >= maxParamsDepth {
		return nil, fmt.Errorf("params: nested more than %d deep; make them flatter", maxParamsDepth)
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			v, err := d.value(fmt.Sprintf("%s[%d]", path, len(list)), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, d.end()
	}
	object := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, d.broken(err)
		}
		key, _ := t.(string) // the decoder takes nothing else
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("%s: given twice; give it once", join(path, key))
		}
		if object[key], err = d.value(join(path, key), depth+1); err != nil {
			return nil, err
		}
	}
	return object, d.end()
}

// end reads the closing bracket.
func (d jsonDecoder) end() error {
	if _, err := d.Token(); err != nil {
		return d.broken(err)
	}
	return nil
}

func (d jsonDecoder) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("params: not JSON: it ends in the middle; is a quote or a bracket missing?")
	}
	return fmt.Errorf("params: not JSON: %w (at byte %d)", err, d.InputOffset())
}

// typeName is the type of a JSON value, as JSON Schema calls it.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

func article(noun string) string {
	switch noun {
	case "null":
		return noun
	case "array", "object", "integer":
		return "an " + noun
	}
	return "a " + noun
}
