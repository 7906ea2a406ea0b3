package jobs

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"dcctop/core"
)

// The limits on what comes from outside, in bytes. The package comment states
// them.
const (
	maxName      = 256
	maxReason    = 1024
	maxMessage   = 256
	maxError     = 4096
	maxWord      = 64
	maxLabels    = 32
	maxLabel     = 256
	maxArgv      = 128 << 10
	maxDir       = 4096
	maxResult    = 64 << 10
	maxCommandID = 128
	maxIDs       = 100_000
)

// maxTime keeps durations that come in milliseconds far from overflow.
const maxTime = 365 * 24 * time.Hour

// checkSubmission returns an error that wraps [core.ErrInvalid] and names the
// field and the fix. Whether the parent exists, and whether the command can be
// found, is for others to say.
func checkSubmission(s *core.Submission, slots int) error {
	for _, f := range []struct{ name, value string }{{"kind", s.Kind}, {"dcc", s.DCC}} {
		if len(f.value) > maxWord {
			return invalid(f.name, "%d bytes long; give at most %d", len(f.value), maxWord)
		}
	}
	if len(s.Labels) > maxLabels {
		return invalid("labels", "%d of them; give at most %d", len(s.Labels), maxLabels)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
		switch value := s.Labels[name]; {
		case name == "":
			return invalid("labels", "one has an empty name; give it a name")
		case len(name) > maxWord:
			return invalid("labels", "the name %q is %d bytes long; give at most %d", cut(name, maxWord), len(name), maxWord)
		case len(value) > maxLabel:
			return invalid("labels", "the value of %q is %d bytes long; give at most %d", name, len(value), maxLabel)
		case !utf8.ValidString(name) || !utf8.ValidString(value):
			return invalid("labels", "%q is not UTF-8; give text in UTF-8", name)
		}
	}
	if s.Slots != nil {
		switch n := *s.Slots; {
		case n < 0:
			return invalid("slots", "%d is below 0; give 1 or more, or 0 for a job that only waits on others", n)
		case n > slots:
			return invalid("slots", "%d asked for, this dispatcher has %d; ask for at most %d or start it with more", n, slots, slots)
		}
	}
	if s.GraceMS != nil {
		if err := checkMS("grace_ms", *s.GraceMS); err != nil {
			return err
		}
	}
	if s.KillAfterMS != nil {
		if err := checkMS("kill_after_ms", *s.KillAfterMS); err != nil {
			return err
		}
	}
	if err := checkMS("timeout_ms", s.TimeoutMS); err != nil {
		return err
	}
	if len(s.Dir) > maxDir {
		return invalid("dir", "%d bytes long; give at most %d", len(s.Dir), maxDir)
	}
	var scriptArgs []string
	if s.Script != nil {
		scriptArgs = s.Script.Args
	}
	for _, list := range []struct {
		field string
		items []string
	}{{"command", s.Command}, {"script.args", scriptArgs}, {"env", s.Env}} {
		size := 0
		for _, item := range list.items {
			size += len(item)
			if strings.ContainsRune(item, 0) {
				return invalid(list.field, "%q has a NUL byte; leave it out", cut(item, maxWord))
			}
		}
		if size > maxArgv {
			return invalid(list.field, "%d bytes in all; give at most %d, or put them into a file", size, maxArgv)
		}
	}
	return nil
}

func checkMS(field string, ms int64) error {
	if ms < 0 || ms > maxTime.Milliseconds() {
		return invalid(field, "%d is out of range; give milliseconds from 0 to %d", ms, maxTime.Milliseconds())
	}
	return nil
}

// checkCancel does the same for a cancel.
func checkCancel(r *core.CancelRequest) error {
	switch {
	case len(r.IDs) == 0:
		return invalid("ids", "empty; name the jobs to cancel")
	case len(r.IDs) > maxIDs:
		return invalid("ids", "%d of them; give at most %d", len(r.IDs), maxIDs)
	case len(r.CommandID) > maxCommandID:
		return invalid("command_id", "%d bytes long; give at most %d", len(r.CommandID), maxCommandID)
	case r.GraceMS != nil:
		return checkMS("grace_ms", *r.GraceMS)
	}
	return nil
}

// cut returns valid UTF-8 of at most limit bytes that ends at the end of a
// rune.
func cut(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return strings.Clone(s[:limit]) // not to hold on to the rest
}

// cleanProgress returns p as it may go on a record, and false where its numbers
// are none.
func cleanProgress(p core.Progress) (core.Progress, bool) {
	for _, v := range []float64{p.Current, p.Total} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return p, false
		}
	}
	p.Unit = cut(p.Unit, maxWord)
	p.Message = cut(p.Message, maxMessage)
	return p, true
}
