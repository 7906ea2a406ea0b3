package core_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"dcctop/core"
)

func viewOf(ids ...core.JobID) *core.View {
	s := &core.Snapshot{Source: "ws1", Epoch: "e1", At: 10}
	for _, id := range ids {
		s.Jobs = append(s.Jobs, &core.Job{ID: id})
	}
	v := new(core.View)
	if err := v.Apply(core.Update{Snapshot: s}); err != nil {
		panic(err) // a snapshot is always taken
	}
	return v
}

func names(v *core.View) string {
	ids := slices.Sorted(maps.Keys(v.Jobs))
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(string(id) + " ")
	}
	return strings.TrimSpace(b.String())
}

func TestASnapshotReplacesEverything(t *testing.T) {
	v := viewOf("a", "ghost")
	err := v.Apply(core.Update{Snapshot: &core.Snapshot{Source: "ws1", Epoch: "e2", At: 3, Jobs: []*core.Job{{ID: "a"}, {ID: "b"}}}})
	if err != nil || names(v) != "a b" || v.At != (core.Position{Source: "ws1", Epoch: "e2", Seq: 3}) {
		t.Fatalf("%q at %+v, %v", names(v), v.At, err)
	}
}

func TestAChangeAddsReplacesAndRemoves(t *testing.T) {
	v := viewOf("a", "b")
	err := v.Apply(core.Update{Change: &core.Change{Source: "ws1", Epoch: "e1", From: 10, To: 14,
		Jobs: []*core.Job{{ID: "a", State: core.Running}, {ID: "c"}}, Gone: []core.JobID{"b", "never seen"}}})
	if err != nil || names(v) != "a c" || v.Jobs["a"].State != core.Running || v.At.Seq != 14 {
		t.Fatalf("%q at %+v, %v", names(v), v.At, err)
	}
}

func TestAChangeThatDoesNotFollowIsRefusedWhole(t *testing.T) {
	for name, c := range map[string]core.Change{
		"another epoch":      {Source: "ws1", Epoch: "e2", From: 10, To: 11},
		"another dispatcher": {Source: "ws2", Epoch: "e1", From: 10, To: 11},
		"a gap":              {Source: "ws1", Epoch: "e1", From: 11, To: 12},
		"an old one":         {Source: "ws1", Epoch: "e1", From: 9, To: 11},
		"backwards":          {Source: "ws1", Epoch: "e1", From: 10, To: 9},
	} {
		v := viewOf("a")
		c.Jobs, c.Gone = []*core.Job{{ID: "b"}}, []core.JobID{"a"}
		if err := v.Apply(core.Update{Change: &c}); !errors.Is(err, core.ErrGap) || names(v) != "a" || v.At.Seq != 10 {
			t.Errorf("%s: %v, %q at %+v", name, err, names(v), v.At)
		}
	}
	if err := new(core.View).Apply(core.Update{Change: &core.Change{Source: "ws1", Epoch: "e1", From: 0, To: 1}}); !errors.Is(err, core.ErrGap) {
		t.Errorf("a change before any snapshot: %v", err)
	}
}

func TestClockAndLinkLeaveTheJobs(t *testing.T) {
	v := viewOf("a")
	for _, u := range []core.Update{{Sync: &core.Sync{Seq: 99}}, {Link: &core.Link{State: core.LinkStale}}, {}} {
		if err := v.Apply(u); err != nil || names(v) != "a" || v.At.Seq != 10 {
			t.Errorf("%+v: %v, %q at %+v", u, err, names(v), v.At)
		}
	}
}
