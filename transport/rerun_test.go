package transport

import (
	"errors"
	"testing"
	"testing/synctest"

	"golang.org/x/time/rate"

	"dcctop/core"
)

func TestARerunIsANewJobOfWhoAskedForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(core.Job{ID: "A", Name: "shot", State: core.Failed, User: "bob"})
		start(t, d, w.listen())
		j, err := dial(t, w).Rerun(t.Context(), core.RerunRequest{ID: "A", By: core.Actor{User: "root"}})
		if err != nil || j.ID == "A" || j.Name != "shot" || j.Labels["rerun_of"] != "A" || j.User != "ann" {
			t.Errorf("%+v, %v", j, err)
		}
	})
}

func TestARerunThatIsRefusedSaysWhichWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(core.Job{ID: "A", State: core.Cancelling}, core.Job{ID: "B", State: core.Failed})
		start(t, d, w.listen())
		c := dial(t, w)
		for _, k := range []struct {
			r    core.RerunRequest
			want error
		}{
			{core.RerunRequest{ID: "A"}, core.ErrNotEnded},
			{core.RerunRequest{ID: "nobody"}, core.ErrNotFound},
			{core.RerunRequest{ID: "B", OnlyUnfinished: true}, core.ErrInvalid},
			{core.RerunRequest{}, core.ErrInvalid},
		} {
			j, err := c.Rerun(t.Context(), k.r)
			if !errors.Is(err, k.want) || j != nil {
				t.Errorf("%+v: %v, %v; want %v", k.r, j, err, k.want)
			}
		}
		if n := len(d.state()); n != 2 {
			t.Errorf("%d jobs, want the two that were there", n)
		}
	})
}

func TestRerunsAreLimitedAsAllCommandsAre(t *testing.T) {
	c := &conn{orders: rate.NewLimiter(CommandRate, CommandBurst)}
	for range CommandBurst {
		if _, limited := c.limit(methodRerun); limited {
			t.Fatal("limited within the burst")
		}
	}
	if _, limited := c.limit(methodRerun); !limited {
		t.Error("not limited above the burst")
	}
}
