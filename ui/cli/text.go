package cli

import (
	"fmt"
	"unicode/utf8"

	"dcctop/core"
)

// checkText refuses what JSON cannot carry as it is: bytes that are not UTF-8
// would arrive as others, and name another file.
func checkText(s core.Submission) error {
	fields := map[string][]string{
		"command": s.Command, "env": s.Env, "name": {s.Name}, "kind": {s.Kind}, "dir": {s.Dir}, "progress": {s.Progress},
	}
	for k, v := range s.Labels {
		fields["label"] = append(fields["label"], k, v)
	}
	if s.Script != nil {
		fields["script"] = []string{s.Script.Path, s.Script.Python, s.Script.Blend}
	}
	for field, values := range fields {
		for _, v := range values {
			if !utf8.ValidString(v) {
				return fmt.Errorf("%w: %s: %q is not UTF-8; rename the file, or run the command from a script that names it", core.ErrInvalid, field, v)
			}
		}
	}
	return nil
}
