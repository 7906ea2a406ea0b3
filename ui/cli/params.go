package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"dcctop/jobs/skill"
)

// maxInput bounds what is read for --params. What is too long is for
// [skill.Params] to refuse.
const maxInput = 1 << 20

// readParams returns what --params gives: the text itself, @FILE, or - for
// standard input.
func readParams(given string, stdin io.Reader) (json.RawMessage, error) {
	b := []byte(given)
	var err error
	if path, isFile := strings.CutPrefix(given, "@"); isFile {
		b, err = readSome(path)
	} else if given == "-" {
		b, err = io.ReadAll(io.LimitReader(stdin, maxInput))
	}
	if err != nil {
		return nil, fmt.Errorf("--params %s: %w", given, err)
	}
	if given != "" && len(bytes.TrimSpace(b)) == 0 {
		return nil, &usageError{fmt.Errorf("--params %s: params: nothing in it; give a JSON object, as {}", given)}
	}
	return skill.Params(b)
}

// readSome reads a file, which may be a pipe as a shell makes it for <(…).
func readSome(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxInput))
	return b, errors.Join(err, f.Close())
}
