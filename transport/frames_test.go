package transport

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"dcctop/core"
)

func collect(t testing.TB, frames iter.Seq[frame], err error) []frame {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var all []frame
	for f := range frames {
		all = append(all, f)
	}
	return all
}

func newCache() *jobCache {
	c := &jobCache{}
	c.acquire()
	return c
}

func jobsOf(n, nameBytes int) []*core.Job {
	jobs := make([]*core.Job, n)
	for i := range jobs {
		jobs[i] = &core.Job{ID: core.JobID(fmt.Sprintf("J%d", i)), Name: strings.Repeat("n", nameBytes), State: core.Running, Rev: uint64(i + 1)}
	}
	return jobs
}

func TestNoFrameIsLargerThanItsBoundAndNoJobIsLost(t *testing.T) {
	for _, c := range []struct{ jobs, name, parts int }{{0, 0, 1}, {1, 10, 1}, {512, 10, 1}, {513, 10, 2}, {100, 5000, 2}, {3, MaxJobBytes * 2, 1}} {
		s := &core.Snapshot{Source: "s", Epoch: "e", At: 9999, Jobs: jobsOf(c.jobs, c.name)}
		frames, err := newCache().snapshotFrames(s)
		all := collect(t, frames, err)
		var f follower
		for i, fr := range all {
			if len(fr.data) > MaxPartBytes+4096 {
				t.Errorf("%d jobs of %d bytes: a frame of %d bytes", c.jobs, c.name, len(fr.data))
			}
			in, err := decodeFrame(fr.data)
			if err != nil {
				t.Fatal(err)
			}
			u, err := f.frame(in.Method, &in.Params)
			if err != nil || (u.Snapshot != nil) != (i == len(all)-1) {
				t.Fatalf("part %d of %d: %+v, %v", i+1, len(all), u, err)
			}
			if u.Snapshot != nil && len(u.Snapshot.Jobs) != c.jobs {
				t.Errorf("%d of %d jobs came", len(u.Snapshot.Jobs), c.jobs)
			}
		}
		if len(all) != c.parts {
			t.Errorf("%d jobs of %d bytes: %d parts, want %d", c.jobs, c.name, len(all), c.parts)
		}
	}
}

// Wherever a large change is cut, what the reader holds is right for the
// position it then stands at: a resume from there brings the rest.
func TestALargeChangeCutAnywhereLosesNothingOnResume(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const from, old, changed, purged = 100, 6000, 2500, 5000
	start, end := map[core.JobID]*core.Job{}, map[core.JobID]*core.Job{}
	ring := map[uint64]core.Update{}
	ch := &core.Change{Source: "s", Epoch: "e", From: from}
	seq := uint64(from)
	for i := range old {
		j := &core.Job{ID: core.JobID(fmt.Sprintf("J%d", i)), State: core.Running, Rev: uint64(i % from)}
		start[j.ID], end[j.ID] = j, j
	}
	for n, i := range rnd.Perm(old) {
		id := core.JobID(fmt.Sprintf("J%d", i))
		switch {
		case n < changed:
			seq += uint64(1 + rnd.IntN(3))
			j := &core.Job{ID: id, State: core.Completed, Rev: seq}
			ch.Jobs, end[id] = append(ch.Jobs, j), j
			ring[seq] = core.Update{Change: &core.Change{Jobs: []*core.Job{j}}}
		case n < changed+purged:
			seq++
			ch.Gone = append(ch.Gone, id)
			delete(end, id)
			ring[seq] = core.Update{Change: &core.Change{Gone: []core.JobID{id}}}
		}
	}
	ch.To = seq
	rnd.Shuffle(len(ch.Jobs), func(a, b int) { ch.Jobs[a], ch.Jobs[b] = ch.Jobs[b], ch.Jobs[a] })
	frames, err := newCache().deltaFrames(ch)
	all := collect(t, frames, err)
	if len(all) < 6 {
		t.Fatalf("only %d frames", len(all))
	}
	told := 0
	for _, fr := range all {
		in, err := decodeFrame(fr.data)
		if err != nil {
			t.Fatal(err)
		}
		told += len(in.Params.Gone)
	}
	if told != len(ch.Gone) {
		t.Errorf("%d tombstones for %d purged jobs", told, len(ch.Gone))
	}
	for cut := range len(all) + 1 {
		f := follower{at: core.Position{Source: "s", Epoch: "e", Seq: from}}
		v := core.View{At: f.at, Jobs: maps.Clone(start)}
		for _, fr := range all[:cut] {
			in, err := decodeFrame(fr.data)
			if err != nil {
				t.Fatal(err)
			}
			u, err := f.frame(in.Method, &in.Params)
			if err == nil {
				err = v.Apply(u)
			}
			if err != nil || f.at != *fr.at {
				t.Fatalf("stands at %v, the frame says %v: %v", f.at, *fr.at, err)
			}
		}
		// The resume: each change after the position.
		for at := f.at.Seq + 1; at <= seq; at++ {
			if u := ring[at]; u.Change != nil {
				u.Change.Source, u.Change.Epoch, u.Change.From, u.Change.To = "s", "e", at-1, at
				v.At.Seq = at - 1
				if err := v.Apply(u); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got, want := values(v.Jobs), values(end); !maps.EqualFunc(got, want, func(a, b core.Job) bool { return a.Rev == b.Rev && a.State == b.State }) {
			t.Fatalf("cut after %d of %d frames: %d jobs, want %d, or not the same", cut, len(all), len(got), len(want))
		}
	}
}

func TestAJobIsMarshalledOnceForAllMonitors(t *testing.T) {
	c := newCache()
	j := &core.Job{ID: "A", Rev: 1}
	one, err := c.encode(j)
	if err != nil {
		t.Fatal(err)
	}
	two, _ := c.encode(j)
	if &one[0] != &two[0] {
		t.Error("encoded twice")
	}
	next := &core.Job{ID: "A", Rev: 2, State: core.Failed}
	if text, _ := c.encode(next); !strings.Contains(string(text), "failed") {
		t.Errorf("an old text for a new version: %s", text)
	}
	if text, _ := c.encode(j); strings.Contains(string(text), "failed") {
		t.Errorf("a new text for an old version: %s", text)
	}
	if c.jobs["A"].job != next {
		t.Error("the older version took the place of the newer")
	}
	c.forget([]core.JobID{"A"})
	if len(c.jobs) != 0 {
		t.Error("a purged job stays in memory")
	}
	c.release()
	if c.jobs != nil {
		t.Error("the last feed left, the texts stay")
	}
}

func TestAJobTooLargeForAFrameKeepsItsState(t *testing.T) {
	j := &core.Job{ID: "A", State: core.Failed, Error: strings.Repeat("e", MaxJobBytes), Cancellation: &core.Cancellation{By: "ann"}, Progress: &core.Progress{Message: strings.Repeat("m", MaxJobBytes)}}
	text, err := encodeJob(j)
	if err != nil || len(text) > MaxJobBytes || !strings.Contains(string(text), `"state":"failed"`) || !strings.Contains(string(text), `"by":"ann"`) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if len(j.Error) != MaxJobBytes {
		t.Error("the shared record was changed")
	}
}

func TestTheFollowerNeverGuesses(t *testing.T) {
	jobs := []*core.Job{{ID: "A"}}
	snap := func(part int, last bool) feedParams {
		return feedParams{Source: "s", Epoch: "e", At: 5, Part: part, Last: last, Jobs: jobs}
	}
	delta := func(epoch string, from, to uint64) feedParams {
		return feedParams{Source: "s", Epoch: epoch, From: from, To: to, Jobs: jobs}
	}
	type step struct {
		method string
		p      feedParams
	}
	for name, c := range map[string]struct {
		steps []step
		want  error
	}{
		"a delta before any snapshot":     {[]step{{methodDelta, delta("e", 0, 1)}}, core.ErrGap},
		"another epoch":                   {[]step{{methodSnapshot, snap(1, true)}, {methodDelta, delta("f", 5, 6)}}, core.ErrGap},
		"a hole":                          {[]step{{methodSnapshot, snap(1, true)}, {methodDelta, delta("e", 6, 7)}}, core.ErrGap},
		"an overlap":                      {[]step{{methodSnapshot, snap(1, true)}, {methodDelta, delta("e", 4, 7)}}, core.ErrGap},
		"backwards":                       {[]step{{methodSnapshot, snap(1, true)}, {methodDelta, delta("e", 5, 4)}}, core.ErrGap},
		"a part is missing":               {[]step{{methodSnapshot, snap(1, false)}, {methodSnapshot, snap(3, true)}}, core.ErrGap},
		"the first part is missing":       {[]step{{methodSnapshot, snap(2, true)}}, core.ErrGap},
		"a clock that stands elsewhere":   {[]step{{methodSnapshot, snap(1, true)}, {methodSync, feedParams{Source: "s", Epoch: "e", Seq: 6}}}, core.ErrGap},
		"a null job":                      {[]step{{methodSnapshot, feedParams{Source: "s", Epoch: "e", Part: 1, Jobs: []*core.Job{nil}}}}, errBadFrame},
		"a job without an id":             {[]step{{methodSnapshot, feedParams{Source: "s", Epoch: "e", Part: 1, Jobs: []*core.Job{{}}}}}, errBadFrame},
		"a snapshot without an epoch":     {[]step{{methodSnapshot, feedParams{Part: 1, Last: true}}}, errBadFrame},
		"all as it should be":             {[]step{{methodSnapshot, snap(1, false)}, {methodSnapshot, snap(2, true)}, {methodDelta, delta("e", 5, 9)}, {methodSync, feedParams{Source: "s", Epoch: "e", Seq: 9}}}, nil},
		"a snapshot begun anew":           {[]step{{methodSnapshot, snap(1, false)}, {methodSnapshot, snap(1, false)}, {methodSnapshot, snap(2, true)}}, nil},
		"a notification of a later time":  {[]step{{"feed.weather", feedParams{}}}, nil},
		"nothing happened, told as delta": {[]step{{methodSnapshot, snap(1, true)}, {methodDelta, feedParams{Source: "s", Epoch: "e", From: 5, To: 5}}}, nil},
	} {
		var f follower
		var err error
		for _, s := range c.steps {
			at := f.at
			if _, err = f.frame(s.method, &s.p); err != nil && f.at != at {
				t.Errorf("%s: moved on in spite of %v", name, err)
			}
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	f := follower{at: core.Position{Source: "s", Epoch: "e", Seq: 3}}
	p := snap(1, false)
	if u, err := f.frame(methodSnapshot, &p); err != nil || u != (core.Update{}) || f.at.Seq != 3 {
		t.Errorf("half a snapshot shows: %+v, %v", u, err)
	}
	if got := f.resume(); len(got) != 1 || got[0].Seq != 3 || f.staged != nil {
		t.Errorf("resumes from %v with %d jobs staged", got, len(f.staged))
	}
}

func FuzzDecodeFrame(f *testing.F) {
	frames, err := newCache().snapshotFrames(&core.Snapshot{Source: "s", Epoch: "e", At: 3, Jobs: jobsOf(2, 3)})
	for _, fr := range collect(f, frames, err) {
		f.Add(fr.data)
	}
	f.Add(syncFrame(core.Position{Source: "s", Epoch: "e", Seq: 1}, 1).data)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"m","data":{"retry_ms":-9}},"new":1}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"feed.delta","params":{"jobs":[null,{"id":"A","created_at":5}],"gone":[""]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := decodeFrame(data)
		if err != nil {
			if !errors.Is(err, errBadFrame) {
				t.Fatal(err)
			}
			return
		}
		fo := follower{at: core.Position{Source: "s", Epoch: "e", Seq: 1}}
		v := core.View{At: fo.at, Jobs: map[core.JobID]*core.Job{}}
		u, err := fo.frame(in.Method, &in.Params)
		if err != nil {
			if fo.at != v.At {
				t.Fatal("moved on in spite of an error")
			}
			return
		}
		if err := v.Apply(u); err != nil {
			t.Fatalf("the follower took what the view refuses: %v", err)
		}
		if v.At != fo.at {
			t.Fatalf("view at %v, follower at %v", v.At, fo.at)
		}
	})
}
