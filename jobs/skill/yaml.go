package skill

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The limits on a YAML text, each far above what any skill needs. The parser's
// time grows with the square of some of them.
const (
	maxTokens  = 20_000
	maxDepth   = 64
	maxAnchors = 256     // anchors, aliases and tags
	maxNodes   = 100_000 // once aliases are written out
)

// value is what a YAML node means, and where it stands.
type value struct {
	line int
	data any // nil, bool, int64, uint64, float64, string, []value or []field
}

type field struct {
	key   string
	line  int
	value value
}

// yamlError is what is wrong with a text, and where.
type yamlError struct {
	line int
	text string
}

func (e *yamlError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

// decodeYAML reads the first document of a text. Its error is a *yamlError.
func decodeYAML(text string) (v value, err error) {
	defer func() { // the parser panics on some texts that are no YAML
		if r := recover(); r != nil {
			v, err = value{}, &yamlError{1, "is no YAML"}
		}
	}()
	tokens := lexer.Tokenize(text)
	if err := checkTokens(tokens); err != nil {
		return value{}, err
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return value{}, syntaxError(err)
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		d := decoder{anchors: map[string]ast.Node{}, left: maxNodes}
		return d.value(doc.Body, 0)
	}
	return value{line: 1}, nil
}

// checkTokens refuses what would take the parser long. One line may open many
// levels ("- - - -", "[[[["), and brackets may do so over many lines.
func checkTokens(tokens token.Tokens) error {
	if len(tokens) > maxTokens {
		return &yamlError{tokens[maxTokens].Position.Line, "too long; shorten the file"}
	}
	brackets, anchors, entries, line := 0, 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, entries = t.Position.Line, 0
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			brackets++
		case token.MappingEndType, token.SequenceEndType:
			brackets--
		case token.SequenceEntryType, token.MappingKeyType:
			entries++
		case token.AnchorType, token.AliasType, token.TagType:
			anchors++
		}
		switch {
		case brackets > maxDepth || entries > maxDepth || t.Position.IndentNum > 8*maxDepth:
			return &yamlError{line, fmt.Sprintf("nested more than %d deep; make it flatter", maxDepth)}
		case anchors > maxAnchors:
			return &yamlError{line, fmt.Sprintf("more than %d anchors, aliases and tags; write them out", maxAnchors)}
		}
	}
	return nil
}

// syntaxError takes what a person needs out of the parser's error.
func syntaxError(err error) *yamlError {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		return &yamlError{at.GetToken().Position.Line, "broken YAML: " + at.GetMessage()}
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return &yamlError{1, "broken YAML: " + text}
}

// decoder turns the parser's tree into values. Aliases are written out, as the
// budget allows.
type decoder struct {
	anchors map[string]ast.Node
	left    int // of maxNodes
}

func (d *decoder) value(n ast.Node, depth int) (value, error) {
	line := 1
	if t := n.GetToken(); t != nil {
		line = t.Position.Line
	}
	v := value{line: line}
	switch d.left--; {
	case d.left < 0:
		return v, &yamlError{line, fmt.Sprintf("its aliases grow to more than %d values; write out what is needed", maxNodes)}
	case depth > maxDepth:
		return v, &yamlError{line, fmt.Sprintf("nested more than %d deep; make it flatter", maxDepth)}
	}
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.BoolNode:
		v.data = n.Value
	case *ast.IntegerNode:
		v.data = n.Value
		if i, ok := n.Value.(int); ok {
			v.data = int64(i)
		}
	case *ast.FloatNode:
		if math.IsInf(n.Value, 0) || math.IsNaN(n.Value) {
			return v, &yamlError{line, "is no number in JSON; give a finite one"}
		}
		v.data = n.Value
	case *ast.StringNode:
		v.data = n.Value
	case *ast.LiteralNode:
		v.data = n.Value.Value
	case *ast.AnchorNode:
		inner, err := d.value(n.Value, depth+1)
		if err != nil {
			return v, err
		}
		d.anchors[n.Name.GetToken().Value] = n.Value // after its value: an alias to itself is unknown
		return inner, nil
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		target, ok := d.anchors[name]
		if !ok {
			return v, &yamlError{line, fmt.Sprintf("alias *%s has no anchor before it", name)}
		}
		return d.value(target, depth+1)
	case *ast.TagNode:
		inner, err := d.value(n.Value, depth+1)
		if i, isScalar := n.Value.(ast.ScalarNode); err == nil && isScalar && n.Start.Value == "!!str" {
			inner.data = i.GetToken().Value
		}
		return inner, err
	case *ast.SequenceNode:
		list := make([]value, 0, len(n.Values))
		for _, item := range n.Values {
			inner, err := d.value(item, depth+1)
			if err != nil {
				return v, err
			}
			list = append(list, inner)
		}
		v.data = list
	case *ast.MappingNode:
		fields := make([]field, 0, len(n.Values))
		for _, entry := range n.Values {
			f, err := d.field(entry, depth)
			if err != nil {
				return v, err
			}
			fields = append(fields, f)
		}
		v.data = fields
	case *ast.MappingValueNode:
		f, err := d.field(n, depth)
		if err != nil {
			return v, err
		}
		v.data = []field{f}
	default: // .inf, .nan, and what YAML has and JSON has not
		return v, &yamlError{line, "has no form in JSON; write it as text, number, list or mapping"}
	}
	return v, nil
}

func (d *decoder) field(n *ast.MappingValueNode, depth int) (field, error) {
	key := n.Key.GetToken()
	f := field{key: key.Value, line: key.Position.Line}
	switch n.Key.(type) {
	case *ast.MergeKeyNode:
		return f, &yamlError{f.line, "a merge (<<) is not read by the ecosystem; write its fields out"}
	case *ast.MappingKeyNode, *ast.AliasNode, *ast.AnchorNode, *ast.TagNode:
		return f, &yamlError{f.line, "a key must be plain text"}
	}
	var err error
	f.value, err = d.value(n.Value, depth+1)
	return f, err
}

// get returns a field of a mapping.
func (v value) get(key string) (field, bool) {
	fields, _ := v.data.([]field)
	for _, f := range fields {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// text returns a field as text, "" where it is absent or none.
func (v value) text(key string) string {
	f, _ := v.get(key)
	switch data := f.value.data.(type) {
	case string:
		return data
	case int64, uint64, float64, bool:
		return fmt.Sprint(data)
	}
	return ""
}

// plain returns the value as package encoding/json would decode it.
func (v value) plain() any {
	switch data := v.data.(type) {
	case []value:
		list := make([]any, len(data))
		for i, item := range data {
			list[i] = item.plain()
		}
		return list
	case []field:
		object := make(map[string]any, len(data))
		for _, f := range data {
			object[f.key] = f.value.plain()
		}
		return object
	}
	return v.data
}

// kind names the value for a person.
func (v value) kind() string {
	switch v.data.(type) {
	case nil:
		return "empty"
	case bool:
		return "true or false"
	case string:
		return "text"
	case []value:
		return "a list"
	case []field:
		return "a mapping"
	}
	return "a number"
}
