package jobs

import (
	"slices"
	"testing"

	"dcctop/core"
)

func TestTheFramesOfAChunkArePutWhereTheyBelong(t *testing.T) {
	c := chunk{1, 15, 2}
	command := []string{"blender", "-s", "{start}", "-e{end}", "-j", "{step}", "{start}{start}", "{frame}", "{{start}}"}
	params := `{"first":"{start}","text":"{start} to {end}","{start}":[{"by":"{step}"}],"big":12345678901234567890,"html":"<&>"}`
	s := core.Submission{Command: command, Script: &core.Script{Path: "x.py", Params: []byte(params), Args: []string{"-s", "{start}"}}}
	asked := s
	if err := c.fillInto(&s); err != nil {
		t.Fatal(err)
	}
	if want := []string{"blender", "-s", "1", "-e15", "-j", "2", "11", "{frame}", "{1}"}; !slices.Equal(s.Command, want) {
		t.Errorf("command %q, want %q", s.Command, want)
	}
	want := `{"big":12345678901234567890,"first":1,"html":"<&>","text":"1 to 15","{start}":[{"by":2}]}`
	if string(s.Script.Params) != want {
		t.Errorf("params\n%s, want\n%s", s.Script.Params, want)
	}
	if s.Script.Args[1] != "1" {
		t.Errorf("arguments of the script %q", s.Script.Args)
	}
	if command[2] != "{start}" || asked.Script.Args[1] != "{start}" || string(asked.Script.Params) != params {
		t.Error("what was submitted was changed")
	}
}

func TestParametersWithoutFramesStayAsTheyWereWritten(t *testing.T) {
	params := `{ "b": 1.0, "a": "{x}" }`
	s := core.Submission{Script: &core.Script{Params: []byte(params)}}
	if err := (chunk{1, 2, 1}).fillInto(&s); err != nil || string(s.Script.Params) != params {
		t.Errorf("%s, %v", s.Script.Params, err)
	}
}
