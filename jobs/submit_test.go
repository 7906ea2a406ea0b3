package jobs

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"dcctop/core"
	"dcctop/jobs/runner"
)

func TestSubmissionsThatAreRefused(t *testing.T) {
	d := start(t, Options{Slots: 4})
	many := map[string]string{}
	for i := range maxLabels + 1 {
		many[strings.Repeat("x", i+1)] = ""
	}
	long := strings.Repeat("x", maxArgv+1)
	for _, c := range []struct {
		s    core.Submission
		want []string // in the error: the field, and a word of the fix
	}{
		{core.Submission{Slots: ptr(-1)}, []string{"slots", "0"}},
		{core.Submission{Slots: ptr(5)}, []string{"slots", "at most 4"}},
		{core.Submission{GraceMS: ptr(int64(-1))}, []string{"grace_ms", "milliseconds"}},
		{core.Submission{TimeoutMS: math.MaxInt64}, []string{"timeout_ms", "milliseconds"}},
		{core.Submission{Kind: strings.Repeat("x", maxWord+1)}, []string{"kind", "at most 64"}},
		{core.Submission{DCC: strings.Repeat("x", maxWord+1)}, []string{"dcc", "at most 64"}},
		{core.Submission{Labels: many}, []string{"labels", "at most 32"}},
		{core.Submission{Labels: map[string]string{"": "x"}}, []string{"labels", "name"}},
		{core.Submission{Labels: map[string]string{"k": strings.Repeat("x", maxLabel+1)}}, []string{"labels", "at most 256"}},
		{core.Submission{Labels: map[string]string{"k": "\xff"}}, []string{"labels", "UTF-8"}},
		{core.Submission{Parent: "01JNOTTHERE"}, []string{"parent", "01JNOTTHERE", "leave it out"}},
		{core.Submission{Env: []string{"A=\x00"}}, []string{"env", "NUL"}},
		{core.Submission{Env: []string{"A=" + long}}, []string{"env", "at most"}},
		{core.Submission{Dir: long}, []string{"dir", "at most"}},
	} {
		c.s.Name = "x"
		_, err := d.SubmitFunc(c.s, nothing)
		if !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%+v: %v, want invalid", c.s, err)
			continue
		}
		for _, word := range c.want {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q does not say %q", err, word)
			}
		}
		if len(err.Error()) > 400 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	}
	for field, submit := range map[string]func() (*core.Job, error){
		"name":     func() (*core.Job, error) { return d.SubmitFunc(core.Submission{}, nothing) },
		"function": func() (*core.Job, error) { return d.SubmitFunc(core.Submission{Name: "x"}, nil) },
		"command": func() (*core.Job, error) {
			return d.SubmitFunc(core.Submission{Name: "x", Command: []string{"true"}}, nothing)
		},
		"command: empty": func() (*core.Job, error) { return d.Submit(t.Context(), core.Submission{}) },
		"command: \"a":   func() (*core.Job, error) { return d.Submit(t.Context(), core.Submission{Command: []string{"a\x00b"}}) },
		"no-such-program": func() (*core.Job, error) {
			return d.Submit(t.Context(), core.Submission{Command: []string{"no-such-program-anywhere"}})
		},
	} {
		if _, err := submit(); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if n := len(d.List()); n != 0 {
		t.Errorf("%d jobs were made of what was refused", n)
	}
}

func TestRecordOfASubmission(t *testing.T) {
	d := start(t, Options{Host: "farm7", Source: "farm", Slots: 4})
	labels := map[string]string{"shot": "010"}
	s := core.Submission{
		Name: strings.Repeat("é", maxName), Kind: "render", DCC: "blender", Priority: 3,
		Labels: labels, Slots: ptr(2), By: ana,
	}
	f := make(deaf)
	id := submitFunc(t, d, s, f.run)
	labels["shot"] = "changed by the caller"
	j := get(t, d, id)
	if j.User != "ana" || j.Host != "farm7" || j.Kind != "render" || j.DCC != "blender" || j.Priority != 3 || j.Slots != 2 ||
		j.Labels["shot"] != "010" || j.CreatedAt == 0 || j.StopsBy != core.StopsByToken {
		t.Errorf("%+v", j)
	}
	if len(j.Name) != maxName || !utf8.ValidString(j.Name) {
		t.Errorf("a long name is kept as %d bytes", len(j.Name))
	}
	f <- nil
}

func TestSubmitterThatGoesAwayLeavesItsJob(t *testing.T) {
	d := start(t, Options{})
	ctx, leave := context.WithCancel(t.Context())
	j, err := d.Submit(ctx, core.Submission{Command: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	leave()
	if j := waitOver(t, d, j.ID); j.State != core.Completed {
		t.Errorf("%s %s", j.State, j.Error)
	}
	if _, err := d.Submit(ctx, core.Submission{Command: []string{"true"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("submit by one who has left: %v", err)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"aé", 2, "a"}, {"鏡頭", 5, "鏡"}, {"\U0001F3ACx", 3, ""},
		{"a\xffb", 10, "a\uFFFDb"}, {"\xff\xff", 3, "\uFFFD"}, {"", 0, ""},
	} {
		if got := cut(c.in, c.limit); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}

func TestPanicFailsTheJobAlone(t *testing.T) {
	d := start(t, Options{})
	for _, f := range []runner.Func{
		func(context.Context) error { panic("the scene is on fire") },
		func(context.Context) error { panic(errors.New("the scene is on fire")) },
	} {
		id := submitFunc(t, d, core.Submission{}, f)
		if j := waitOver(t, d, id); j.State != core.Failed || j.Error != "panic: the scene is on fire" {
			t.Errorf("%s %q", j.State, j.Error)
		}
	}
	if j := waitOver(t, d, submitRunner(t, d, core.Submission{}, broken{})); j.State != core.Failed || j.Error != "panic: runner" {
		t.Errorf("a runner that panics: %s %q", j.State, j.Error)
	}
	id := submitFunc(t, d, core.Submission{}, func(context.Context) error { runtime.Goexit(); return nil })
	if j := waitOver(t, d, id); j.State != core.Failed || j.Error == "" {
		t.Errorf("a function that leaves its goroutine: %s %q", j.State, j.Error)
	}
	waitOver(t, d, submitFunc(t, d, core.Submission{Slots: ptr(d.opts.Slots)}, nothing)) // all slots came back
}

type broken struct{}

func (broken) Run(context.Context, runner.Sink) runner.Result { panic("runner") }
func (broken) Stop(core.Step) bool                            { return false }
func (broken) StopsBy() core.StopsBy                          { return core.StopsByToken }

func TestProgressThatIsNoNumberIsDropped(t *testing.T) {
	d := start(t, Options{})
	id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
		sink := runner.Report(ctx)
		sink.Progress(core.Progress{Current: 1, Total: 4, Message: strings.Repeat("x", 2*maxMessage)})
		sink.Progress(core.Progress{Current: math.NaN()})
		sink.Progress(core.Progress{Current: 1, Total: math.Inf(1)})
		return nil
	})
	p := waitOver(t, d, id).Progress
	if p == nil || p.Current != 1 || p.Total != 4 || p.At == 0 || len(p.Message) != maxMessage {
		t.Errorf("progress %+v", p)
	}
}

func TestResultThatIsNoJSONIsLeftOut(t *testing.T) {
	d := start(t, Options{})
	for value, want := range map[string]string{`{"frames":3}`: `{"frames":3}`, `{"frames":`: "", "": ""} {
		p := newProcess()
		p.exit <- runner.Result{Value: []byte(value)}
		if j := waitOver(t, d, submitRunner(t, d, core.Submission{}, p)); string(j.Result) != want {
			t.Errorf("result %q is kept as %q", value, j.Result)
		}
	}
}

func TestLogInPieces(t *testing.T) {
	d := start(t, Options{LogBytes: 128 << 10, Slots: 1})
	hold := make(deaf)
	line := strings.Repeat("x", 1023) + "\n"
	id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
		for range 200 { // more than is kept
			if _, err := runner.Report(ctx).Write([]byte(line)); err != nil {
				return err
			}
		}
		return hold.run(ctx)
	})
	pending := submitFunc(t, d, core.Submission{}, nothing)
	if c, err := d.Log(t.Context(), pending, 0); err != nil || c.End || c.Next != 0 || len(c.Data) != 0 {
		t.Errorf("log of a pending job: %+v, %v", c, err)
	}
	hold <- nil
	waitOver(t, d, id)
	var got strings.Builder
	from, pieces := int64(0), 0
	for {
		c, err := d.Log(t.Context(), id, from)
		if err != nil {
			t.Fatal(err)
		}
		if pieces++; pieces > 1 && c.From != from || len(c.Data) > logPiece || c.Next != c.From+int64(len(c.Data)) {
			t.Fatalf("piece from %d: %d to %d, %d bytes", from, c.From, c.Next, len(c.Data))
		}
		got.Write(c.Data)
		if from = c.Next; c.End {
			break
		}
	}
	if from != 200*1024 || got.Len() != 128<<10 || pieces != 2 {
		t.Errorf("%d bytes in %d pieces, up to %d", got.Len(), pieces, from)
	}
	if _, err := d.Log(t.Context(), id, -1); !errors.Is(err, core.ErrInvalid) {
		t.Errorf("log from -1: %v", err)
	}
	if _, err := d.Log(t.Context(), "01JUNKNOWN", 0); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("log of an unknown job: %v", err)
	}
}

func TestUnknownJob(t *testing.T) {
	d := start(t, Options{})
	if _, err := d.Get(t.Context(), "01JUNKNOWN"); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
	if _, err := d.Wait(t.Context(), "01JUNKNOWN"); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("Wait: %v", err)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	d := start(t, Options{})
	f := make(deaf)
	id := submitFunc(t, d, core.Submission{}, f.run)
	ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := d.Wait(ctx, id); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait: %v", err)
	}
	f <- nil
}

func TestOptionsOutOfRange(t *testing.T) {
	for field, o := range map[string]Options{
		"slots": {Slots: -1}, "ring": {Ring: -1}, "retain": {Retain: -1}, "grace": {Grace: -1}, "flush": {Flush: -1},
	} {
		if _, err := New(o); !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestShortDuration(t *testing.T) {
	for in, want := range map[time.Duration]string{
		30 * time.Minute: "30m", 2 * time.Hour: "2h", 90 * time.Second: "1m30s", 20 * time.Second: "20s",
		150 * time.Millisecond: "150ms", time.Hour + 10*time.Second: "1h0m10s", 10 * time.Minute: "10m",
	} {
		if got := short(in); got != want {
			t.Errorf("short(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestJobThatReportsInATightLoopDoesNotFloodTheFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, Options{})
		before := position(d).Seq
		const reports = 10_000 // in 1 s
		id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
			for i := range reports {
				runner.Report(ctx).Progress(core.Progress{Current: float64(i + 1), Total: reports})
				<-time.After(100 * time.Microsecond)
			}
			return obedient(ctx)
		})
		<-time.After(time.Second + sayEvery)
		synctest.Wait()
		if p := get(t, d, id).Progress; p == nil || p.Current != reports {
			t.Errorf("a moment after the last report: %+v", p)
		}
		if changes := position(d).Seq - before; changes < 40 || changes > 60 {
			t.Errorf("%d changes of %d reports, want about 50", changes, reports)
		}
	})
}

func TestLastProgressBeforeTheEndIsOnTheRecord(t *testing.T) {
	d := start(t, Options{})
	id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error {
		for i := range 100 {
			runner.Report(ctx).Progress(core.Progress{Current: float64(i + 1), Total: 100})
		}
		return nil
	})
	if p := waitOver(t, d, id).Progress; p == nil || p.Current != 100 {
		t.Errorf("progress %+v, want 100", p)
	}
}

func TestFirstCheckIsTheFirstCheckpoint(t *testing.T) {
	d := start(t, Options{})
	id := submitFunc(t, d, core.Submission{}, func(ctx context.Context) error { return core.CheckCancelled(ctx) })
	if j := waitOver(t, d, id); j.LastCheckpointAt == 0 {
		t.Error("a job that checked has no last checkpoint")
	}
}
