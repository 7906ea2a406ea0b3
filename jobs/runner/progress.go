package runner

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"dcctop/core"
)

// decoder reads the progress from what a program prints, a line at a time. It
// has no clock and does no IO. It returns false for a line that says nothing
// about it.
type decoder interface {
	decode(line string) (core.Progress, bool)
}

// newDecoder returns the decoder for a command: the user's own expression where
// there is one, else that of the program, else all that are known. An unknown
// program may be a script that calls a known one.
func newDecoder(argv []string, pattern string) (decoder, error) {
	if pattern != "" {
		return newExpression(pattern)
	}
	at := programAt(argv)
	switch kindAt(argv, at) {
	case "blender":
		return newBlender(argv[at+1:]), nil
	case "ffmpeg":
		return newFFmpeg(argv[at+1:]), nil
	}
	return firstOf{percent{}, newBlender(nil), newFFmpeg(nil)}, nil
}

// firstOf asks each decoder until one knows the line.
type firstOf []decoder

func (f firstOf) decode(line string) (core.Progress, bool) {
	for _, d := range f {
		if p, ok := d.decode(line); ok {
			return p, true
		}
	}
	return core.Progress{}, false
}

// percent reads "ALF_PROGRESS 45%" of RenderMan, husk and mantra, and Arnold's
// "45% done".
type percent struct{}

func (percent) decode(line string) (core.Progress, bool) {
	var text string
	if _, after, ok := strings.Cut(line, "ALF_PROGRESS "); ok {
		text, _, ok = strings.Cut(strings.TrimLeft(after, " "), "%")
		if !ok {
			return core.Progress{}, false
		}
	} else if before, _, ok := strings.Cut(line, "% done"); ok {
		text = before[strings.LastIndexAny(before, " \t|(:=")+1:]
	} else {
		return core.Progress{}, false
	}
	v, ok := number(text)
	return core.Progress{Current: v, Total: 100, Unit: "%"}, ok
}

// expression reads what a regular expression of the user's own picks out.
type expression struct {
	re *regexp.Regexp
}

func newExpression(pattern string) (expression, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return expression{}, err
	}
	if n := re.NumSubexp(); n != 1 && n != 2 {
		return expression{}, fmt.Errorf("%q has %d groups; give one (percent or count) or two (current, total)", pattern, n)
	}
	return expression{re}, nil
}

func (e expression) decode(line string) (core.Progress, bool) {
	m := e.re.FindStringSubmatchIndex(line)
	if m == nil || m[2] < 0 {
		return core.Progress{}, false
	}
	text := line[m[2]:m[3]]
	current, ok := number(strings.TrimSuffix(text, "%"))
	if !ok {
		return core.Progress{}, false
	}
	if len(m) == 4 {
		if strings.HasSuffix(text, "%") || strings.HasPrefix(strings.TrimLeft(line[m[3]:], " "), "%") {
			return core.Progress{Current: current, Total: 100, Unit: "%"}, true
		}
		return core.Progress{Current: current}, true
	}
	if m[4] < 0 {
		return core.Progress{Current: current}, true
	}
	total, ok := number(line[m[4]:m[5]])
	return core.Progress{Current: current, Total: total}, ok
}

// number reads a plain decimal that is not negative: what ParseFloat takes
// besides, as "nan", "1e999" or "0x1p4", is no progress and not all of it is
// JSON.
func number(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0)
}
