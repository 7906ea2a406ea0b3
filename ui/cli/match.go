package cli

import (
	"fmt"
	"slices"
	"strings"

	"dcctop/core"
	"dcctop/ui/tui"
)

// minTail is how much of an id's end is taken as one. The first ten characters
// of a ULID are the time, which jobs of one afternoon share; its end is what
// the screen shows.
const minTail = 4

// minPrefix is how much of a beginning of an id is enough to act on: all of the
// time in it. With less, a line from the shell's history that meant a job of
// yesterday could mean one of today.
const minPrefix = 10

// purpose is what a job is named for.
type purpose bool

const (
	toLook purpose = false
	toAct  purpose = true // it is stopped, or started again
)

// matchID finds the one job that s means: an id, a unique prefix of one or a
// unique end of at least four characters, in either case. What means two jobs
// is refused with the list of them, and so is a short prefix to act on.
func matchID(jobs []*core.Job, s string, to purpose) (core.JobID, error) {
	want := strings.ToUpper(strings.TrimSpace(s))
	if want == "" {
		return "", &usageError{fmt.Errorf("an empty id: give the id of a job, as dcctop ls shows it")}
	}
	var found []*core.Job
	for _, j := range jobs {
		id := strings.ToUpper(string(j.ID))
		if id == want {
			return j.ID, nil
		}
		if strings.HasPrefix(id, want) || len(want) >= minTail && strings.HasSuffix(id, want) {
			found = append(found, j)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%q: %w", s, core.ErrNotFound)
	case 1:
		id := found[0].ID
		if to == toAct && len(want) < minPrefix && !strings.HasSuffix(strings.ToUpper(string(id)), want) {
			return "", &usageError{fmt.Errorf("%q is only a part of the time in an id, and may have meant another job once; give its end (%s) or all of %s (%s)",
				s, strings.ToLower(string(id[max(0, len(id)-8):])), id, tui.Clean(found[0].Name))}
		}
		return id, nil
	}
	slices.SortFunc(found, func(a, b *core.Job) int { return strings.Compare(string(a.ID), string(b.ID)) })
	const most = 10
	var b strings.Builder
	fmt.Fprintf(&b, "%q means %d jobs; give more of the id:", s, len(found))
	for i, j := range found {
		if i == most {
			fmt.Fprintf(&b, "\n  and %d more", len(found)-most)
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s  %s", j.ID, j.State, tui.Clean(j.Name))
	}
	return "", &usageError{fmt.Errorf("%s", b.String())}
}

// matchIDs is matchID for each; one that is wrong stops all, before anything
// has been done to any.
func matchIDs(jobs []*core.Job, args []string, to purpose) ([]core.JobID, error) {
	var ids []core.JobID
	for _, s := range args {
		id, err := matchID(jobs, s, to)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
