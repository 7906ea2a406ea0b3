package runner

import (
	"strconv"
	"strings"

	"dcctop/core"
)

// ffmpeg reads what ffmpeg prints while it works: the blocks of -progress, or
// the line of statistics that it redraws. The progress is in seconds of the
// output; how many there will be comes from the "Duration:" of the inputs and
// from -t, -to and -ss.
type ffmpeg struct {
	asked             ffmpegArgs
	inputs            int     // whose banner was seen
	longest, shortest float64 // seconds that the inputs give; 0: not known

	blocks bool // -progress is on: the statistics only repeat it
	time   float64
	timed  bool
	frame  string
	speed  string
}

func newFFmpeg(args []string) *ffmpeg { return &ffmpeg{asked: parseFFmpeg(args)} }

func (f *ffmpeg) decode(line string) (core.Progress, bool) {
	if rest, ok := strings.CutPrefix(line, "  Duration: "); ok {
		f.banner(rest)
		return core.Progress{}, false
	}
	if strings.Contains(line, " time=") && strings.Contains(line, " bitrate=") {
		return f.statistics(line)
	}
	key, value, ok := strings.Cut(line, "=")
	if !ok {
		return core.Progress{}, false
	}
	value = strings.TrimSpace(value)
	switch key {
	case "frame":
		f.frame = value
	case "out_time_us", "out_time_ms": // both are microseconds
		if us, ok := number(value); ok {
			f.time, f.timed = us/1e6, true
		}
	case "out_time":
		if s, ok := duration(value); ok && !f.timed {
			f.time, f.timed = s, true
		}
	case "speed":
		f.speed = value
	case "progress": // ends a block
		if value == "continue" || value == "end" {
			p, ok := f.progress()
			f.time, f.timed, f.frame, f.speed, f.blocks = 0, false, "", "", true
			return p, ok
		}
	}
	return core.Progress{}, false
}

// banner takes the duration of the next input.
func (f *ffmpeg) banner(rest string) {
	text, _, _ := strings.Cut(rest, ",")
	d, _ := duration(text)
	if f.inputs < len(f.asked.inputs) {
		d = f.asked.inputs[f.inputs].apply(d)
	}
	f.inputs++
	if d <= 0 {
		return
	}
	f.longest = max(f.longest, d)
	if f.shortest == 0 || d < f.shortest {
		f.shortest = d
	}
}

// statistics reads "frame=  82 fps= 54 … time=00:00:01.28 bitrate=… speed=0.8x".
func (f *ffmpeg) statistics(line string) (core.Progress, bool) {
	if f.blocks {
		return core.Progress{}, false
	}
	f.time, f.timed = duration(field(line, "time="))
	f.frame, f.speed = field(line, "frame="), field(line, "speed=")
	return f.progress()
}

func (f *ffmpeg) progress() (core.Progress, bool) {
	p := core.Progress{Unit: "s", Current: f.time, Total: f.total()}
	if frame, ok := number(f.frame); ok {
		p.Message = "frame " + f.frame
		if p.Total == 0 && f.asked.frames > 0 {
			return core.Progress{Unit: "frame", Current: frame, Total: f.asked.frames, Message: p.Message}, true
		}
	}
	if _, ok := number(strings.TrimSuffix(f.speed, "x")); ok {
		p.Message = strings.TrimSpace(p.Message + " at " + f.speed)
	}
	return p, f.timed
}

// total returns how many seconds of output there will be, 0 where that is not
// known.
func (f *ffmpeg) total() float64 {
	d := f.longest
	if f.asked.shortest {
		d = f.shortest
	}
	return f.asked.output.apply(d)
}

// field returns the value behind a key of a line of statistics, which may be
// padded.
func field(line, key string) string {
	_, after, ok := strings.Cut(" "+line, " "+key)
	if !ok {
		return ""
	}
	value, _, _ := strings.Cut(strings.TrimLeft(after, " "), " ")
	return value
}

// cut is the part of a stream that -ss, -t and -to leave of it, in seconds.
type cut struct {
	from        float64
	length, end float64 // 0: not given
	loop        bool    // played again and again
}

// apply returns how long the part is of a stream of d seconds; 0 is not known,
// on both sides.
func (c cut) apply(d float64) float64 {
	if c.loop {
		d = 0
	}
	if d > 0 {
		d = max(d-c.from, 0)
	}
	limit := c.length
	if limit == 0 && c.end > c.from {
		limit = c.end - c.from
	}
	if limit > 0 && (d == 0 || limit < d) {
		return limit
	}
	return d
}

// ffmpegArgs is what the arguments say about the length of the output.
type ffmpegArgs struct {
	inputs   []cut
	output   cut
	frames   float64 // of video; 0: not given
	shortest bool    // the output ends with the shortest input
}

// parseFFmpeg reads the arguments. An option is about the next file that is
// named, so what stands before an -i is that input's.
func parseFFmpeg(args []string) ffmpegArgs {
	var (
		a ffmpegArgs
		c cut
	)
	for i, option := range args {
		value := ""
		if i+1 < len(args) {
			value = args[i+1]
		}
		seconds, _ := duration(value)
		switch option {
		case "-ss":
			c.from = seconds
		case "-t":
			c.length = seconds
		case "-to":
			c.end = seconds
		case "-loop", "-stream_loop":
			c.loop = value != "0"
		case "-shortest":
			a.shortest = true
		case "-frames:v", "-vframes", "-frames":
			a.frames, _ = number(value)
		case "-i":
			a.inputs = append(a.inputs, c)
			c = cut{}
		}
	}
	a.output = c
	return a
}

// duration reads "[[HH:]MM:]SS[.m]", or seconds with a unit as in "200ms". A
// negative one is no time that a progress could have.
func duration(s string) (seconds float64, ok bool) {
	for _, u := range []struct {
		unit string
		of   float64
	}{{"us", 1e6}, {"ms", 1e3}, {"s", 1}} {
		if text, found := strings.CutSuffix(s, u.unit); found {
			seconds, ok = number(text)
			return seconds / u.of, ok
		}
	}
	parts := strings.Split(s, ":")
	if len(parts) > 3 {
		return 0, false
	}
	for i, part := range parts {
		v, ok := number(part)
		if _, err := strconv.Atoi(part); !ok || i < len(parts)-1 && err != nil {
			return 0, false
		}
		seconds = seconds*60 + v
	}
	return seconds, true
}
