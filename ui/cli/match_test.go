package cli

import (
	"errors"
	"strings"
	"testing"

	"dcctop/core"
)

func TestWhatMeansAJob(t *testing.T) {
	jobs := []*core.Job{
		{ID: "01M8NPDSPAKCZWWB1879TRKGJF", Name: "one"},
		{ID: "01M8NPDSPAKCZWWB187CFD6M6Z", Name: "two"},
		{ID: "01M8NQ00000000000000000000", Name: "three"},
	}
	for _, c := range []struct {
		typed string
		to    purpose
		want  core.JobID
		say   string // in the error
	}{
		{"01M8NPDSPAKCZWWB1879TRKGJF", toAct, jobs[0].ID, ""},
		{"01m8npdspakczwwb1879trkgjf", toAct, jobs[0].ID, ""},
		{"trkgjf", toAct, jobs[0].ID, ""},
		{" 6M6Z ", toAct, jobs[1].ID, ""},
		{"01M8NPDSPAKCZWWB1879", toAct, jobs[0].ID, ""},
		{"01M8NQ0000", toAct, jobs[2].ID, ""},
		{"01M8NQ", toLook, jobs[2].ID, ""},
		{"01M8NQ", toAct, "", "another job once"},
		{"01M8NP", toAct, "", "means 2 jobs"},
		{"01M8NP", toLook, "", "means 2 jobs"},
		{"M6Z", toLook, "", "no such job"}, // too short for an end
		{"", toLook, "", "empty id"},
		{"zzzz", toAct, "", "no such job"},
	} {
		got, err := matchID(jobs, c.typed, c.to)
		if got != c.want || (err == nil) != (c.say == "") || err != nil && !strings.Contains(err.Error(), c.say) {
			t.Errorf("%q: %q, %v", c.typed, got, err)
		}
	}
}

// Case 24: a prefix from the shell's history never reaches the job of today.
func TestAShortPrefixIsNotEnoughToCancel(t *testing.T) {
	only := []*core.Job{{ID: "01M8NPDSPAKCZWWB1879TRKGJF"}}
	for _, typed := range []string{"0", "01", "01M8NS"[:5], "01M8NPDSP"} {
		_, err := matchID(only, typed, toAct)
		var bad *usageError
		if !errors.As(err, &bad) {
			t.Errorf("%q: %v", typed, err)
		}
	}
}
