package runner

import (
	"strconv"
	"strings"
)

// span is some frames that Blender renders in one go.
type span struct{ first, last, step int }

func (s span) len() int {
	if s.last < s.first {
		return 0
	}
	return (s.last-s.first)/s.step + 1
}

// index returns which of the span's frames this is, from 0.
func (s span) index(frame int) (int, bool) {
	if frame < s.first || frame > s.last || (frame-s.first)%s.step != 0 {
		return 0, false
	}
	return (frame - s.first) / s.step, true
}

// blenderPlan returns the frames that Blender's arguments ask for, nothing where
// they do not say. Blender carries out its arguments one after the other, so the
// order counts: -s after -a is too late for it, and a .blend file brings its own
// range along.
func blenderPlan(args []string) []span {
	var (
		plan        []span
		first, last *int // nil: the file's own
		step        = 1
		skip        int
	)
	for i, arg := range args {
		if skip > 0 {
			skip--
			continue
		}
		value := ""
		if i+1 < len(args) {
			value = args[i+1]
		}
		skip = blenderValues(arg)
		switch arg {
		case "--":
			return plan
		case "-s", "--frame-start":
			first = frameNumber(value)
		case "-e", "--frame-end":
			last = frameNumber(value)
		case "-j", "--frame-jump":
			n := frameNumber(value)
			if n == nil || *n < 1 {
				return nil
			}
			step = *n
		case "-S", "--scene": // another scene, another range
			first, last, step = nil, nil, 1
		case "-a", "--render-anim":
			if first == nil || last == nil {
				return nil
			}
			plan = append(plan, span{*first, *last, step})
		case "-f", "--render-frame":
			frames := frameList(value)
			if frames == nil {
				return nil
			}
			plan = append(plan, frames...)
		default:
			if !strings.HasPrefix(arg, "-") {
				first, last, step = nil, nil, 1
			}
		}
	}
	return plan
}

// blenderValues returns how many values an option takes.
func blenderValues(option string) int {
	switch option {
	case "-s", "--frame-start", "-e", "--frame-end", "-j", "--frame-jump", "-f", "--render-frame",
		"-S", "--scene", "-o", "--render-output", "-E", "--engine", "-F", "--render-format",
		"-x", "--use-extension", "-t", "--threads", "-P", "--python", "--python-text", "--python-expr",
		"--python-exit-code", "--addons", "--log", "--log-level", "--log-file", "--verbose",
		"--debug-value", "--app-template", "--gpu-backend", "--env-system-datafiles",
		"--env-system-scripts", "--env-system-python", "--env-system-extensions":
		return 1
	case "-p", "--window-geometry":
		return 4
	}
	return 0
}

// frameNumber reads an absolute frame. +N and -N are relative to the file's own
// range, which is not known here.
func frameNumber(s string) *int {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || s[0] == '+' || s[0] == '-' {
		return nil
	}
	frame := int(n)
	return &frame
}

// frameList reads "12", "1..10" or "1,3,5..9"; nil where one of them is wrong or
// relative.
func frameList(s string) []span {
	var spans []span
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(part, "..")
		first := frameNumber(from)
		last := first
		if isRange {
			last = frameNumber(to)
		}
		if first == nil || last == nil || *last < *first {
			return nil
		}
		spans = append(spans, span{*first, *last, 1})
	}
	return spans
}
