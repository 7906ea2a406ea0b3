package transport

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"dcctop/core"
)

func TestAWrongRequestIsToldWhichFieldAndWhatToDo(t *testing.T) {
	const head = `{"jsonrpc":"2.0","id":9,"method":`
	for _, c := range []struct {
		name, frame, id string
		code            int
		field, text     string
	}{
		{"not JSON", `{"jsonrpc":`, "", codeParse, "", "one object per frame"},
		{"two objects", `{} {}`, "", codeParse, "", "one object per frame"},
		{"a batch", ` [` + head + `"jobs.get"}]`, "", codeRequest, "", "one object per frame"},
		{"a number", `7`, "", codeRequest, "", "want an object, got a number"},
		{"no version", `{"id":9,"method":"jobs.get"}`, "9", codeRequest, "jsonrpc", `want "2.0"`},
		{"no id", `{"jsonrpc":"2.0","method":"jobs.get"}`, "", codeRequest, "id", "give it one"},
		{"a null id", `{"jsonrpc":"2.0","id":null,"method":"jobs.get"}`, "", codeRequest, "id", "a string or a number"},
		{"an object as id", `{"jsonrpc":"2.0","id":{},"method":"jobs.get"}`, "", codeRequest, "id", "a string or a number"},
		{"a long id", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 200) + `","method":"jobs.get"}`, "", codeRequest, "id", "at most 128"},
		{"a field too many", `{"jsonrpc":"2.0","id":"a","method":"jobs.get","auth":"x"}`, `"a"`, codeRequest, "auth", "known here are id, jsonrpc, method, params"},
		{"the id twice", `{"jsonrpc":"2.0","id":9,"method":"jobs.get","id":9}`, "9", codeRequest, "id", "given twice"},
		{"the id in another case", `{"jsonrpc":"2.0","ID":9,"method":"jobs.get"}`, "", codeRequest, "ID", `write it "id"`},
		{"no such method", head + `"jobs.kill"}`, "9", codeMethod, "method", "jobs.cancel"},
		{"a method in another case", head + `"Jobs.Cancel"}`, "9", codeMethod, "method", `write it "jobs.cancel"`},
		{"params by position", head + `"jobs.get","params":["A"]}`, "9", codeParams, "params", "want an object, got an array"},
		{"no ids", head + `"jobs.cancel"}`, "9", codeParams, "params.ids", "name at least one"},
		{"empty ids", head + `"jobs.cancel","params":{"ids":[]}}`, "9", codeParams, "params.ids", "name at least one"},
		{"one id for a list", head + `"jobs.cancel","params":{"ids":"A"}}`, "9", codeParams, "params.ids", "want an array, got a string"},
		{"a number among ids", head + `"jobs.cancel","params":{"ids":["A",4]}}`, "9", codeParams, "params.ids[1]", "want a string"},
		{"an empty id", head + `"jobs.cancel","params":{"ids":["A",""]}}`, "9", codeParams, "params.ids[1]", "missing"},
		{"a key twice", head + `"jobs.cancel","params":{"ids":["A"],"ids":["B"]}}`, "9", codeParams, "params.ids", "given twice"},
		{"a key twice, once escaped", head + `"jobs.cancel","params":{"ids":["A"],"\u0069ds":["B"]}}`, "9", codeParams, "params.ids", "given twice"},
		{"wrong case", head + `"jobs.cancel","params":{"Ids":["A"]}}`, "9", codeParams, "params.Ids", `write it "ids"`},
		{"another actor", head + `"jobs.cancel","params":{"ids":["A"],"by":"root"}}`, "9", codeParams, "params.by", "known from the connection"},
		{"the actor's Go name", head + `"jobs.cancel","params":{"ids":["A"],"By":{"User":"root"}}}`, "9", codeParams, "params.By", "unknown field"},
		{"null", head + `"jobs.cancel","params":{"ids":["A"],"reason":null}}`, "9", codeParams, "params.reason", "leave the field out"},
		{"half a millisecond", head + `"jobs.cancel","params":{"ids":["A"],"grace_ms":1.5}}`, "9", codeParams, "params.grace_ms", "whole number"},
		{"a huge number", head + `"jobs.cancel","params":{"ids":["A"],"grace_ms":99999999999999999999}}`, "9", codeParams, "params.grace_ms", "whole number"},
		{"a negative grace", head + `"jobs.cancel","params":{"ids":["A"],"grace_ms":-1}}`, "9", codeParams, "params.grace_ms", "0 or more"},
		{"a word for yes", head + `"jobs.cancel","params":{"ids":["A"],"force":"yes"}}`, "9", codeParams, "params.force", "want true or false"},
		{"bytes that are not UTF-8", head + `"jobs.cancel","params":{"ids":["A"],"reason":"a` + "\xff" + `"}}`, "9", codeParams, "params.reason", "UTF-8"},
		{"half a surrogate pair", head + `"jobs.cancel","params":{"ids":["A"],"reason":"\ud83c!"}}`, "9", codeParams, "params.reason", "surrogate"},
		{"the other half", head + `"jobs.cancel","params":{"ids":["A"],"reason":"\udfa5"}}`, "9", codeParams, "params.reason", "surrogate"},
		{"a long reason", head + `"jobs.cancel","params":{"ids":["A"],"reason":"` + strings.Repeat("x", MaxReason+1) + `"}}`, "9", codeParams, "params.reason", "at most"},
		{"an id of one's own", head + `"jobs.submit","params":{"id":"MINE","command":["true"]}}`, "9", codeParams, "params.id", "the dispatcher makes the id"},
		{"no command", head + `"jobs.submit","params":{"name":"x"}}`, "9", codeParams, "params.command", "array of strings"},
		{"a label that is no string", head + `"jobs.submit","params":{"command":["x"],"labels":{"shot":3}}}`, "9", codeParams, "params.labels.shot", "want a string"},
		{"a label twice", head + `"jobs.submit","params":{"command":["x"],"labels":{"a":"1","a":"2"}}}`, "9", codeParams, "params.labels.a", "given twice"},
		{"a rerun of nothing", head + `"jobs.rerun"}`, "9", codeParams, "params.id", "give the id of a job"},
		{"a rerun of a list", head + `"jobs.rerun","params":{"id":["A"]}}`, "9", codeParams, "params.id", "want a string, got an array"},
		{"a rerun of some", head + `"jobs.rerun","params":{"id":"A","only_unfinished":"yes"}}`, "9", codeParams, "params.only_unfinished", "want true or false"},
		{"a rerun as another", head + `"jobs.rerun","params":{"id":"A","by":"root"}}`, "9", codeParams, "params.by", "known from the connection"},
		{"a rerun twice over", head + `"jobs.rerun","params":{"id":"A","id":"B"}}`, "9", codeParams, "params.id", "given twice"},
		{"frames as text", head + `"jobs.submit","params":{"command":["x"],"frames":"1-4"}}`, "9", codeParams, "params.frames", "want an object"},
		{"a chunk that is no number", head + `"jobs.submit","params":{"command":["x"],"frames":{"range":"1-4","chunk":"4"}}}`, "9", codeParams, "params.frames.chunk", "whole number"},
		{"a position half given", head + `"feed.subscribe","params":{"resume":[{"source":"s","epoch":"e","seq":-4}]}}`, "9", codeParams, "params.resume[0].seq", "from 0 up"},
		{"a filter for nothing", head + `"feed.subscribe","params":{"filter":{"ids":[]}}}`, "9", codeParams, "params.filter.ids", "at least one"},
		{"an offset before the start", head + `"jobs.log","params":{"id":"A","from":-1}}`, "9", codeParams, "params.from", "0 up"},
		{"a deep nest", head + `"jobs.get","params":` + strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40) + "}", "9", codeParams, "", "deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := decodeRequest([]byte(c.frame))
			if err == nil {
				t.Fatalf("taken: %+v", got.Params)
			}
			if err.Code != c.code || string(got.ID) != c.id || !strings.Contains(err.Message, c.text) {
				t.Errorf("id %s, %d %s; want id %s, %d and %q", got.ID, err.Code, err.Message, c.id, c.code, c.text)
			}
			if c.field != "" && (err.Data == nil || err.Data.Field != c.field || !strings.HasPrefix(err.Message, c.field+": ")) {
				t.Errorf("field is not %s: %s", c.field, err.Message)
			}
		})
	}
}

func TestARightRequestIsTakenAsItWasMeant(t *testing.T) {
	grace := int64(1500)
	for frame, want := range map[string]any{
		`{"jsonrpc":"2.0","id":1,"method":"feed.subscribe"}`:             &subscribeParams{},
		`{"jsonrpc":"2.0","id":1,"method":"feed.subscribe","params":{}}`: &subscribeParams{},
		`{"jsonrpc":"2.0","id":"x","method":"feed.subscribe","params":{"resume":[{"source":"s","epoch":"e","seq":18446744073709551615}],"filter":{"ids":["A"]}}}`: &subscribeParams{
			Resume: []core.Position{{Source: "s", Epoch: "e", Seq: 1<<64 - 1}}, Filter: &filter{IDs: []core.JobID{"A"}}},
		` {"method":"jobs.cancel" , "params":{"ids":["A","B"],"reason":"\ud83c\udfa5 \ufffd \\ud800 é","grace_ms":1500,"force":true,"command_id":"c"},"id":-1.5e3,"jsonrpc":"2.0"} `: &core.CancelRequest{
			IDs: []core.JobID{"A", "B"}, Reason: "🎥 \ufffd \\ud800 é", GraceMS: &grace, Force: true, CommandID: "c"},
		`{"jsonrpc":"2.0","id":1,"method":"jobs.submit","params":{"command":["blender","-b"],"labels":{"shot":"010"},"priority":-2}}`: &core.Submission{
			Command: []string{"blender", "-b"}, Labels: map[string]string{"shot": "010"}, Priority: -2},
		`{"jsonrpc":"2.0","id":1,"method":"jobs.submit","params":{"command":["x","{start}"],"frames":{"range":"1-240x2","chunk":8},"retries":2}}`: &core.Submission{
			Command: []string{"x", "{start}"}, Frames: &core.Frames{Range: "1-240x2", Chunk: 8}, Retries: 2},
		`{"jsonrpc":"2.0","id":1,"method":"jobs.rerun","params":{"id":"A","only_unfinished":true}}`: &core.RerunRequest{ID: "A", OnlyUnfinished: true},
		`{"jsonrpc":"2.0","id":1,"method":"jobs.log","params":{"id":"A","from":7}}`:                 &logParams{ID: "A", From: 7},
	} {
		got, err := decodeRequest([]byte(frame))
		if err != nil || !reflect.DeepEqual(got.Params, want) {
			t.Errorf("%s: %+v, %v", frame, got.Params, err)
		}
	}
}

func FuzzDecodeRequest(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"jobs.cancel","params":{"ids":["A"],"reason":"\ud83c\udfa5"}}`,
		`{"jsonrpc":"2.0","id":"a","method":"feed.subscribe","params":{"resume":[{"source":"s","epoch":"e","seq":1}]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"jobs.submit","params":{"command":["a"],"labels":{"k":"v"},"slots":0}}`,
		`[1]`, `{"id":1e9,"id":"\\"}`, `{"a":[{"b":null},tru`, "{\"jsonrpc\":\"2.0\",\"\xff\":1}", `{"id":"\ud800"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, bad := decodeRequest(data)
		if bad != nil {
			if bad.Message == "" || bad.Code == 0 || got.Params != nil {
				t.Fatalf("%+v with %+v", bad, got)
			}
			if got.ID != nil && !json.Valid(got.ID) {
				t.Fatalf("id %q would break the answer", got.ID)
			}
			return
		}
		// What was taken, a second strict reader takes too, and means the same.
		var r request
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&r); err != nil {
			t.Fatalf("taken, but %v", err)
		}
		again, err := json.Marshal(request{Version: r.Version, ID: got.ID, Method: got.Method, Params: quote(got.Params)})
		if err != nil {
			t.Fatal(err)
		}
		twice, bad := decodeRequest(again)
		if bad != nil {
			t.Fatalf("own form %s is refused: %v", again, bad)
		}
		if !bytes.Equal(quote(twice.Params), quote(got.Params)) {
			t.Fatalf("%s is read again as %s", quote(got.Params), quote(twice.Params))
		}
	})
}
