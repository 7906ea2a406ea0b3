package tui

import (
	"testing"

	"dcctop/core"
)

func TestAFilterThatCannotBeMeantSaysSo(t *testing.T) {
	for text, want := range map[string]string{
		"state:foo": "no state is called foo", "state:running,foo": "no state is called foo", "bla:x": "bla: is no field, taken as text",
		"is:nonsense": "is: takes deaf, unseen, late, not nonsense",
		"":            "", "state:": "", "state:can": "", "is:de": "", "is:deaf": "", "shot=010": "", "label:shot": "", "c:/x": "", "10:30": "", "http://x": "", "user:ann": "",
	} {
		if got := parseFilter(text).trouble(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	inRig(t, running("J1", "J2"), func(r *rig) {
		r.press("/")
		r.typeText("state:foo")
		if l := r.line("filter: state:foo"); l == "" || r.line("no state is called foo") == "" {
			t.Errorf("it is not said\n%s", r.screen())
		}
		r.wants("filter: state:foo  no state is called foo")
		r.press("enter") // the line is gone, the list is empty: it still says so
		r.wants("none of 2 jobs is shown", "no state is called foo")
	})
}

func TestLabelsCanBeFiltered(t *testing.T) {
	j := with(job("J1", core.Running), func(j *core.Job) { j.Labels = map[string]string{"Shot": "010_Beauty", "show": "dragon"} })
	for text, want := range map[string]bool{
		"label:shot=010": true, "shot=010": true, "SHOT=010_beauty": true, "shot=020": false, "label:show": true, "label:dept": false,
		"show=010": false, "label:shot=020,show=dragon": true, "shot=": true, "dept=": false,
	} {
		if got := parseFilter(text).match(j); got != want {
			t.Errorf("%q matches: %v, want %v", text, got, want)
		}
	}
	if !parseFilter("a=b").match(with(j, func(j *core.Job) { j.Name = "a=b" })) {
		t.Error("a name with an = in it is not found")
	}
}

func TestTheHelpListsEveryFieldOfTheFilter(t *testing.T) {
	inRig(t, running("J1"), func(r *rig) {
		r.press("?")
		for _, f := range filterFields() {
			r.wants(f + ":")
		}
		r.wants("Esc closes ─") // all of it is on 24 lines
	})
}
