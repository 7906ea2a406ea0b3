package transport

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// decodeStrict reads JSON into the struct that into points at, and takes nothing
// that encoding/json would quietly bend: an unknown field, a field in another
// case, a key given twice, null, text that is not UTF-8 and half a surrogate
// pair are errors that name the field by its path and say what to do. (The
// standard library's strict decoder is not in the default build yet.)
//
// data must be valid JSON as json.Valid has it.
func decodeStrict(data []byte, into any, path string) *Error {
	w := walker{data: data}
	if err := w.value(reflect.TypeOf(into).Elem(), path, 0); err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return invalid(codeParams, path, "%v", err)
	}
	return nil
}

// walker passes once over valid JSON beside the type that it is meant for.
type walker struct {
	data []byte
	at   int
}

// value checks one value. A nil type or json.RawMessage takes any.
func (w *walker) value(t reflect.Type, path string, depth int) *Error {
	if depth > MaxDepth {
		return invalid(codeParams, path, "nested more than %d deep", MaxDepth)
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		t = nil
	}
	switch w.peek() {
	case '{':
		return w.object(t, path, depth)
	case '[':
		return w.array(t, path, depth)
	case '"':
		_, err := w.text(path)
		if err == nil && t != nil && t.Kind() != reflect.String {
			err = wrongType(path, t, "a string")
		}
		return err
	case 't', 'f':
		w.word()
		if t != nil && t.Kind() != reflect.Bool {
			return wrongType(path, t, "true or false")
		}
	case 'n':
		w.word()
		if t != nil {
			return invalid(codeParams, path, "null; leave the field out instead")
		}
	default:
		return number(t, path, w.word())
	}
	return nil
}

func (w *walker) object(t reflect.Type, path string, depth int) *Error {
	if t != nil && t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
		return wrongType(path, t, "an object")
	}
	seen := map[string]bool{}
	for w.at++; w.peek() != '}'; {
		key, err := w.text(path)
		if err != nil {
			return err
		}
		at := join(path, key)
		if seen[key] {
			return invalid(codeParams, at, "given twice; give it once")
		}
		seen[key] = true
		elem, err := fieldType(t, at, key)
		if err != nil {
			return err
		}
		w.skip(':')
		if err := w.value(elem, at, depth+1); err != nil {
			return err
		}
		w.skip(',')
	}
	w.at++
	return nil
}

func (w *walker) array(t reflect.Type, path string, depth int) *Error {
	var elem reflect.Type
	if t != nil {
		if t.Kind() != reflect.Slice {
			return wrongType(path, t, "an array")
		}
		elem = t.Elem()
	}
	w.at++
	for i := 0; w.peek() != ']'; i++ {
		if err := w.value(elem, path+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
			return err
		}
		w.skip(',')
	}
	w.at++
	return nil
}

// peek passes over white space and returns the next byte.
func (w *walker) peek() byte {
	for strings.IndexByte(" \t\r\n", w.data[w.at]) >= 0 {
		w.at++
	}
	return w.data[w.at]
}

// skip passes over c if it is next.
func (w *walker) skip(c byte) {
	if w.peek() == c {
		w.at++
	}
}

// word reads a number, true, false or null.
func (w *walker) word() string {
	start := w.at
	for w.at < len(w.data) && strings.IndexByte(" \t\r\n,]}", w.data[w.at]) < 0 {
		w.at++
	}
	return string(w.data[start:w.at])
}
