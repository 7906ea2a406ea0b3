package core_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"dcctop/core"
)

// everyField is the wire form of DESIGN section 3, every field of it.
const everyField = `{"id":"01K0","name":"shot_010","kind":"blender","state":"cancelling","rev":7,` +
	`"user":"ann","host":"ws1","dcc":"blender","parent":"01JZ","children":{"completed":2,"running":1},` +
	`"priority":5,"labels":{"shot":"010"},"slots":2,"command":["blender","-b"],"dir":"shots",` +
	`"created_at":"2026-11-30T07:00:00.000Z","started_at":"2026-11-30T07:00:01.250Z","finished_at":"2026-11-30T07:01:00.000Z",` +
	`"progress":{"current":3,"total":24,"unit":"frame","message":"Sample 3/16","at":"2026-11-30T07:00:30.000Z"},` +
	`"stops_by":"token","not_cancellable":"publishes","last_checkpoint_at":"2026-11-30T07:00:31.000Z","deaf_since":"2026-11-30T07:00:31.000Z",` +
	`"exit":{"code":-1,"signal":"SIGTERM"},"error":"why","result":{"n":1},` +
	`"cancellation":{"by":"bob","from":"ws2","reason":"wrong camera","requested_at":"2026-11-30T07:00:40.000Z",` +
	`"seen_at":"2026-11-30T07:00:41.000Z","stopped_at":"2026-11-30T07:00:42.000Z","grace_ms":30000,"step":"term",` +
	`"next_step_at":"2026-11-30T07:01:10.000Z","late":true},"left":[{"pid":4711,"name":"cycles"}]}`

func TestJobHasTheFieldsOfTheWireAndNoOthers(t *testing.T) {
	var job core.Job
	if err := json.Unmarshal([]byte(everyField), &job); err != nil {
		t.Fatal(err)
	}
	for _, record := range []any{job, *job.Progress, *job.Exit, *job.Cancellation} {
		v := reflect.ValueOf(record)
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s.%s is not in the wire form above", v.Type(), v.Type().Field(i).Name)
			}
		}
	}
	got, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != everyField {
		t.Errorf("written back:\n%s\nwant\n%s", got, everyField)
	}
}

func TestWhatAJobDoesNotSayIsAbsent(t *testing.T) {
	got, err := json.Marshal(core.Job{ID: "01K0", Name: "n", State: core.Pending, Rev: 1, CreatedAt: core.At(time.UnixMilli(1))})
	if want := `{"id":"01K0","name":"n","state":"pending","rev":1,"created_at":"1970-01-01T00:00:00.001Z"}`; err != nil || string(got) != want {
		t.Fatalf("%s, %v\nwant %s", got, err, want)
	}
}

func TestTimesAreUTCMilliseconds(t *testing.T) {
	for in, want := range map[string]string{
		`"2026-11-30T08:00:00.1239+01:00"`: `"2026-11-30T07:00:00.123Z"`,
		`"2026-11-30T07:00:00Z"`:           `"2026-11-30T07:00:00.000Z"`,
		`null`:                             `null`,
	} {
		var at core.Time
		if err := json.Unmarshal([]byte(in), &at); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if got, _ := json.Marshal(at); string(got) != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{`5`, `"yesterday"`, `"2026-11-30"`, `{}`, `"9999-12-31T23:59:59-01:00"`} {
		var at core.Time
		if err := json.Unmarshal([]byte(in), &at); err == nil {
			t.Errorf("%s was taken as %v", in, at)
		}
	}
}

func TestFraction(t *testing.T) {
	for _, c := range []struct {
		progress *core.Progress
		want     float64
		known    bool
	}{
		{nil, 0, false},
		{&core.Progress{Current: 5}, 0, false},
		{&core.Progress{Current: 6, Total: 24}, 0.25, true},
		{&core.Progress{Current: 30, Total: 24}, 1, true},
		{&core.Progress{Current: -1, Total: 24}, 0, true},
	} {
		if got, known := c.progress.Fraction(); got != c.want || known != c.known {
			t.Errorf("%+v: %v, %v", c.progress, got, known)
		}
	}
}

func FuzzJobRoundTrip(f *testing.F) {
	f.Add([]byte(everyField))
	f.Add([]byte(`{"created_at":"0001-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var first, second core.Job
		if json.Unmarshal(in, &first) != nil {
			return
		}
		wire, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("cannot write what was read: %v", err)
		}
		if err := json.Unmarshal(wire, &second); err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, wire)
		}
		again, err := json.Marshal(second)
		if err != nil || string(again) != string(wire) {
			t.Fatalf("%v\n%s\n%s", err, wire, again)
		}
	})
}
