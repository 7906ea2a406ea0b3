//go:build linux || darwin

package runner

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dcctop/core"
)

func TestAResultIsToldFromALog(t *testing.T) {
	long := strings.Repeat("x", MaxResult)
	for _, c := range []struct {
		name   string
		prints string
		found  []string
		broken string // a part of it
		log    string
	}{
		{"nothing", "", nil, "", ""},
		{"a log only", "one\ntwo\n", nil, "", "one\ntwo\n"},
		{"a result", "{\"success\": true}\n", []string{`{"success": true}`}, "", ""},
		{"a result without an end of line", `{"success":false,"message":"no"}`, []string{`{"success":false,"message":"no"}`}, "", ""},
		{"among a log, with blanks", "a\r\n  {\"success\":true}\r\nb", []string{`{"success":true}`}, "", "a\r\nb"},
		{"two", "{\"success\":true}\n{\"success\":true}\n", []string{`{"success":true}`, `{"success":true}`}, "", ""},
		{"an object of the log's own", "{\"level\":\"info\"}\n{\"success\":\"yes\"}\n{\"in\":{\"success\":true}}\n", nil, "",
			"{\"level\":\"info\"}\n{\"success\":\"yes\"}\n{\"in\":{\"success\":true}}\n"},
		{"an array", "[{\"success\":true}]\n", nil, "", "[{\"success\":true}]\n"},
		{"not an object after all", "{broken\n", nil, "", "{broken\n"},
		{"cut off", "{\"success\": tru\nmore\n", nil, "not JSON", "{\"success\": tru\nmore\n"},
		{"as Python prints a dict", "{'success': True}\n", nil, "not JSON", "{'success': True}\n"},
		{"with a number that is none", "{\"success\":true,\"x\":NaN}\n", nil, "not JSON", "{\"success\":true,\"x\":NaN}\n"},
		{"not UTF-8", "{\"success\":true,\"x\":\"\xff\"}\n", nil, "not UTF-8", "{\"success\":true,\"x\":\"\xff\"}\n"},
		{"too long", "{\"success\":true,\"x\":\"" + long + "\"}\n", nil, "over 65536 bytes", "{\"success\":true,\"x\":\"" + long + "\"}\n"},
		{"too long, and no result", "{\"x\":\"" + long + long + "\"}\nend", nil, "", "{\"x\":\"" + long + long + "\"}\nend"},
		{"as long as may be", "{\"success\":true,\"x\":\"" + long[:MaxResult-23] + "\"}\n", []string{"{\"success\":true,\"x\":\"" + long[:MaxResult-23] + "\"}"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, at := range []int{1, 7, 1 << 20} { // however it is cut into pieces
				sink := newHeard()
				r := &results{log: &output{sink: sink, decoder: firstOf{}}}
				r.copyFrom(&pieces{c.prints, at})
				if len(r.found) != len(c.found) {
					t.Fatalf("in pieces of %d: found %d, want %d", at, len(r.found), len(c.found))
				}
				for i, f := range r.found {
					if string(f) != c.found[i] {
						t.Errorf("found %.80s, want %.80s", f, c.found[i])
					}
				}
				if (r.broken == "") != (c.broken == "") || !strings.Contains(r.broken, c.broken) {
					t.Errorf("broken %q, want %q", r.broken, c.broken)
				}
				if sink.String() != c.log {
					t.Errorf("log %.80q, want %.80q", sink.String(), c.log)
				}
			}
		})
	}
}

// pieces reads a text a few bytes at a time.
type pieces struct {
	rest string
	at   int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.rest == "" {
		return 0, errors.New("over")
	}
	n := copy(b[:min(len(b), p.at)], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func TestALineOfTenMegabytesIsNotHeld(t *testing.T) {
	r := &results{log: &output{sink: discard{}, decoder: firstOf{}}}
	r.copyFrom(&pieces{"{" + strings.Repeat("x", 10<<20), 32 << 10})
	if cap(r.held) > 4*MaxResult {
		t.Errorf("%d bytes are held", cap(r.held))
	}
}

func TestWhatAScriptSaysOfItsFailure(t *testing.T) {
	for _, c := range []struct {
		result    string
		message   string // "" for a success
		cancelled bool
	}{
		{`{"success":true,"message":"done"}`, "", false},
		{`{"success":false,"message":"no such scene","error":"not_found"}`, "no such scene", false},
		{`{"success":false,"error":"not_found"}`, "not_found", false},
		{`{"success":false}`, "the script says that it failed, and not why", false},
		{`{"success":false,"message":3,"error":null}`, "the script says that it failed, and not why", false},
		{`{"success":false,"message":"Error: Request cancelled by client","error":"DccMcpCancelledError"}`, "Error: Request cancelled by client", true},
		{`{"success":false,"error":"DccMcpCancelledError: Request cancelled"}`, "DccMcpCancelledError: Request cancelled", true},
		{`{"success":false,"error":"DccMcpCancelledErrorHandler"}`, "DccMcpCancelledErrorHandler", false},
	} {
		e := failure(json.RawMessage(c.result))
		if c.message == "" {
			if e != nil {
				t.Errorf("%s: %v", c.result, e)
			}
			continue
		}
		if e == nil || e.Error() != c.message || e.Cancelled != c.cancelled {
			t.Errorf("%s: %+v", c.result, e)
		}
	}
}

// standIn returns an interpreter that runs the script, which is then one of the
// shell, as its last argument.
func standIn(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nfor script; do :; done\nexec sh \"$script\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func scriptFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "skill.py")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheEndOfAScript(t *testing.T) {
	for _, c := range []struct {
		name   string
		script string
		value  string
		err    string // a part of it; "" for none
		log    string
	}{
		{"success", `echo working; echo '{"success":true,"n":3}'; echo bye >&2`, `{"success":true,"n":3}`, "", "working\n"},
		{"success, and a crash after it", `echo '{"success":true}'; exit 3`, `{"success":true}`, "exit status 3, after a result that says success", ""},
		{"a key that only looks like it", `echo '{"success":true,"Success":false}'`, `{"success":true,"Success":false}`, "", ""},
		{"a result behind something else", `printf 'working {"success":true}\n'`, "", "not alone on its line", ""},
		{"failure", `echo '{"success":false,"message":"no such scene"}'; exit 1`, `{"success":false,"message":"no such scene"}`, "no such scene", ""},
		{"two results", `echo '{"success":true}'; echo '{"success":true}'`, "", "printed 2 results", ""},
		{"no result", `echo done`, "", "printed no result", "done\n"},
		{"no result, and an error", `echo working; echo 'ZeroDivisionError: division by zero' >&2; exit 1`, "", "exit status 1: ZeroDivisionError: division by zero", ""},
		{"a broken result", `echo '{"success": tru'`, "", "printed a broken result: it is not JSON", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := NewScript(core.Script{Path: scriptFile(t, c.script), Python: standIn(t)}, CommandOptions{JobID: uniqueJob(t)})
			if err != nil {
				t.Fatal(err)
			}
			sink := newHeard()
			res := s.Run(context.Background(), sink)
			if string(res.Value) != c.value {
				t.Errorf("value %s, want %s", res.Value, c.value)
			}
			if (res.Err == nil) != (c.err == "") || res.Err != nil && !strings.Contains(res.Err.Error(), c.err) {
				t.Errorf("error %v, want %q", res.Err, c.err)
			}
			if res.Exit == nil || res.Signalled {
				t.Errorf("exit %+v, signalled %v", res.Exit, res.Signalled)
			}
			if !strings.Contains(sink.String(), c.log) || c.name == "success" && strings.Contains(sink.String(), "success") {
				t.Errorf("log %q", sink)
			}
		})
	}
}

func uniqueJob(t *testing.T) core.JobID { return core.JobID(t.Name()) }

func TestAScriptReadsItsParameters(t *testing.T) {
	large := `{"x":"` + strings.Repeat("y", MaxResult-8) + `"}`
	for _, c := range []struct{ params, want string }{
		{"", "{}"},
		{`{"frames": [1, 2]}`, `{"frames": [1, 2]}`},
		{large, large},
	} {
		s, err := NewScript(core.Script{Path: scriptFile(t, `cat; echo; echo '{"success":true}'`), Params: json.RawMessage(c.params), Python: standIn(t)}, CommandOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sink := newHeard()
		if res := s.Run(context.Background(), sink); res.Err != nil {
			t.Error(res.Err)
		}
		if got := sink.String(); got != c.want+"\n" {
			t.Errorf("read %.80q, want %.80q", got, c.want)
		}
	}
}

func TestAScriptThatReadsNothingIsNotWaitedFor(t *testing.T) {
	large := `{"x":"` + strings.Repeat("y", MaxResult-8) + `"}`
	s, err := NewScript(core.Script{Path: scriptFile(t, `exec <&-; echo '{"success":true}'`), Params: json.RawMessage(large), Python: standIn(t)}, CommandOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if res := s.Run(context.Background(), newHeard()); res.Err != nil {
		t.Error(res.Err)
	}
}

func TestAResultThatWasSentCountsWhereNoneIsPrinted(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`exit 0`, `{"success":true,"by":"channel"}`},
		{`echo '{"success":true,"by":"output"}'`, `{"success":true,"by":"output"}`},
	} {
		s, err := NewScript(core.Script{Path: scriptFile(t, c.script), Python: standIn(t)}, CommandOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s.Offer(json.RawMessage(`{"success":true,"by":"channel"}`))
		if res := s.Run(context.Background(), newHeard()); res.Err != nil || string(res.Value) != c.want {
			t.Errorf("%s: %s, %v", c.script, res.Value, res.Err)
		}
	}
}

func TestAScriptThatCannotRunIsRefusedWithTheField(t *testing.T) {
	good, python := scriptFile(t, "exit 0"), standIn(t)
	for _, c := range []struct {
		name, field string
		s           core.Script
	}{
		{"no path", "script.path: empty", core.Script{Python: python}},
		{"no file", "script.path: stat", core.Script{Path: good + "x", Python: python}},
		{"a folder", "script.path: ", core.Script{Path: filepath.Dir(good), Python: python}},
		{"parameters that are no JSON", "script.params: not JSON", core.Script{Path: good, Python: python, Params: json.RawMessage(`{"a":`)}},
		{"parameters that are an array", "script.params: [1] is not an object", core.Script{Path: good, Python: python, Params: json.RawMessage(`[1]`)}},
		{"parameters that are null", "script.params: null is not an object", core.Script{Path: good, Python: python, Params: json.RawMessage(`null`)}},
		{"too many parameters", "script.params: ", core.Script{Path: good, Python: python, Params: json.RawMessage(`{"x":"` + strings.Repeat("y", MaxResult) + `"}`)}},
		{"no interpreter", "script.python: ", core.Script{Path: good, Python: "no-such-python"}},
		{"no such interpreter", "script.python: ", core.Script{Path: good, Python: "/no/such/python"}},
		{"no scene", "script.blend: stat", core.Script{Path: good, Blend: good + ".blend"}},
		{"a Python for Blender", "script.python: ", core.Script{Path: good, Blend: good, Python: python}},
		{"Blender's arguments without Blender", "script.args: ", core.Script{Path: good, Python: python, Args: []string{"-a"}}},
	} {
		_, err := NewScript(c.s, CommandOptions{})
		if !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: %v, want %q", c.name, err, c.field)
		}
	}
}

func TestAPathOfAScriptIsSeenFromItsDirectory(t *testing.T) {
	path := scriptFile(t, `pwd; echo '{"success":true}'`)
	s, err := NewScript(core.Script{Path: filepath.Base(path), Python: standIn(t)}, CommandOptions{Dir: filepath.Dir(path)})
	if err != nil {
		t.Fatal(err)
	}
	if res := s.Run(context.Background(), newHeard()); res.Err != nil {
		t.Error(res.Err)
	}
}

func TestAScriptThatIsSignalledIsJudgedByThat(t *testing.T) {
	s, err := NewScript(core.Script{Path: scriptFile(t, `trap 'echo "{\"success\":true}"; exit 0' TERM; echo up; while :; do sleep 0.01; done`), Python: standIn(t)}, CommandOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sink := newHeard()
	done := make(chan Result, 1)
	go func() { done <- s.Run(context.Background(), sink) }()
	sink.until(t, "its start", func() bool { return sink.text.Len() > 0 })
	s.Stop(core.StepTerm)
	if res := <-done; !res.Signalled || string(res.Value) != `{"success":true}` {
		t.Errorf("%+v", res)
	}
}
