package core_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"dcctop/core"
)

var update = flag.Bool("update", false, "rewrite the diagram in README.md")

// The table of DESIGN, written once more by hand: - cannot happen, . stays.
const table = `
event                               pending     running     cancelling  completed failed cancelled interrupted
start                               running     -           -           -         -      -         -
cancel                              cancelled   cancelling  .           .         .      .         .
returned_nil                        -           completed   completed   -         -      -         -
returned_an_error                   -           failed      cancelled   -         -      -         -
returned_ErrCancelled               -           cancelled   cancelled   -         -      -         -
failed_before_the_cancel_reached_it -           -           failed      -         -      -         -
stopped_by_its_timeout              -           -           failed      -         -      -         -
dispatcher_ends_or_restarts         interrupted interrupted interrupted -         -      -         -
host_lost                           interrupted interrupted interrupted -         -      -         -
`

func TestEveryPairOfStateAndEvent(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	from := strings.Fields(lines[0])[1:]
	if len(from) != len(core.States()) || len(lines)-1 != len(core.Events()) {
		t.Fatalf("%d states and %d events here, %d and %d in core", len(from), len(lines)-1, len(core.States()), len(core.Events()))
	}
	for i, line := range lines[1:] {
		cells, event := strings.Fields(line), core.Events()[i]
		if name := strings.ReplaceAll(string(event), " ", "_"); cells[0] != name {
			t.Fatalf("row %d is %s, want %s", i, cells[0], name)
		}
		for k, want := range cells[1:] {
			state := core.State(from[k])
			got, ok := state.Next(event)
			wantOK := want != "-"
			if want == "-" || want == "." {
				want = from[k]
			}
			if got != core.State(want) || ok != wantOK {
				t.Errorf("%s on %q: %s, %v; want %s, %v", state, event, got, ok, want, wantOK)
			}
		}
	}
}

func TestTerminalStatesAreSinks(t *testing.T) {
	for _, s := range core.States() {
		for _, e := range core.Events() {
			if next, _ := s.Next(e); s.Terminal() && next != s {
				t.Errorf("%s moved to %s on %q", s, next, e)
			}
		}
	}
	if next, ok := core.State("paused").Next(core.EventStart); ok || next != "paused" || core.State("paused").Known() {
		t.Error("an unknown state moved")
	}
}

func TestDiagramInReadmeIsCurrent(t *testing.T) {
	const readme, begin, end = "../README.md", "<!-- states: go generate ./core -->\n```mermaid\n", "```\n<!-- /states -->"
	page, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(page), begin)
	current, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no states section", readme)
	}
	if current == core.Diagram() {
		return
	}
	if !*update {
		t.Fatalf("the states diagram in %s is not that of the table: run go generate ./core", readme)
	}
	if err := os.WriteFile(readme, []byte(head+begin+core.Diagram()+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
