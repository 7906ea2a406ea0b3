package transport

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// number checks a number against the type that is to hold it.
func number(t reflect.Type, path, s string) *Error {
	if t == nil {
		return nil
	}
	var err error
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		_, err = strconv.ParseInt(s, 10, 64)
	case reflect.Uint64:
		_, err = strconv.ParseUint(s, 10, 64)
	case reflect.Float64:
		_, err = strconv.ParseFloat(s, 64)
	default:
		return wrongType(path, t, "a number")
	}
	if err != nil {
		return wrongType(path, t, s)
	}
	return nil
}

// fieldType returns the type of the value under key.
func fieldType(t reflect.Type, path, key string) (reflect.Type, *Error) {
	switch {
	case t == nil:
		return nil, nil
	case t.Kind() == reflect.Map:
		return t.Elem(), nil
	}
	var known []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == key {
			return f.Type, nil
		}
		if strings.EqualFold(name, key) {
			return nil, invalid(codeParams, path, "unknown field; write it %q", name)
		}
		known = append(known, name)
	}
	slices.Sort(known)
	return nil, invalid(codeParams, path, "unknown field; known here are %s", strings.Join(known, ", "))
}

// wrongType says what was wanted and what came.
func wrongType(path string, t reflect.Type, got string) *Error {
	want := map[reflect.Kind]string{
		reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "an array",
		reflect.Struct: "an object", reflect.Map: "an object", reflect.Int: "a whole number",
		reflect.Int64: "a whole number", reflect.Uint64: "a whole number from 0 up", reflect.Float64: "a number",
	}[t.Kind()]
	return invalid(codeParams, path, "want %s, got %s", want, clip(got, 40))
}

// join returns the path of a field.
func join(path, key string) string {
	if path == "" {
		return clip(key, 80)
	}
	return path + "." + clip(key, 80)
}

// clip shortens what came from outside before it is quoted back.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return fmt.Sprintf("%s…", s[:most])
}
