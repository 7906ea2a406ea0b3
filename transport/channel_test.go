package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"
)

func TestAProcessHearsTheCancelOfItsJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w, _, _ := serveBooth(t)
		l := openStream(t, w)
		if got := l.next(); got != ": hello" || b.streams() != 1 {
			t.Errorf("first %q, with %d streams attached", got, b.streams())
		}
		if got := l.header.Get("Content-Type"); got != "text/event-stream" {
			t.Errorf("content type %q", got)
		}
		begin := time.Now()
		for range 3 {
			if got := l.next(); got != ": ping" {
				t.Errorf("then %q", got)
			}
		}
		if d := time.Since(begin); d != 3*ChannelPing {
			t.Errorf("three pings in %s", d)
		}
		at := core.At(time.Now())
		b.cancel <- core.Cancellation{By: "ana", From: "ws12", Reason: "wrong\ncamera 渲染", RequestedAt: at, GraceMS: 30_000}
		name, data, _ := strings.Cut(l.next(), "\n")
		if name != "event: cancel" {
			t.Errorf("event %q", name)
		}
		want := fmt.Sprintf(`{"job_id":"J1","by":"ana","from":"ws12","reason":"wrong\ncamera 渲染","requested_at":"%s","grace_ms":30000}`, at)
		if got := strings.TrimPrefix(data, "data: "); got != want {
			t.Errorf("data %s\nwant %s", got, want)
		}
		close(b.over)
		if got := l.next(); got != "event: bye\ndata: {\"reason\":\"job J1: job has ended\"}" {
			t.Errorf("in the end %q", got)
		}
		if got := l.next(); got != "" {
			t.Errorf("after the end %q", got)
		}
		synctest.Wait()
		if n := b.streams(); n != 0 {
			t.Errorf("%d streams are attached", n)
		}
	})
}

func TestAProcessThatLeavesIsNoLongerAttached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w, _, _ := serveBooth(t)
		l := openStream(t, w)
		l.next()
		l.close()
		synctest.Wait()
		if n := b.streams(); n != 0 {
			t.Errorf("%d streams are attached", n)
		}
	})
}

func TestAProcessThatDoesNotReadIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w, _, _ := serveBooth(t)
		c, err := w.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if _, err := fmt.Fprintf(c, "GET %s/cancel HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", ChannelPath, jobToken); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := b.streams(); n != 1 {
			t.Fatalf("%d streams are attached", n)
		}
		pass(ChannelPing + 2*WriteWait)
		synctest.Wait()
		if n := b.streams(); n != 0 {
			t.Errorf("%d streams are attached", n)
		}
	})
}

func TestTheEndOfTheServerIsSaidToEveryProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w, s, _ := serveBooth(t)
		first, second := openStream(t, w), openStream(t, w)
		first.next()
		second.next()
		ended := make(chan error, 1)
		begin := time.Now()
		go func() { ended <- s.Shutdown(context.Background()) }()
		for _, l := range []*listener{first, second} {
			if got := l.next(); !strings.HasPrefix(got, "event: bye\n") {
				t.Errorf("told %q", got)
			}
			if got := l.next(); got != "" {
				t.Errorf("after the end %q", got)
			}
		}
		if err := <-ended; err != nil || b.streams() != 0 || time.Since(begin) > time.Second {
			t.Errorf("shutdown: %v after %s, %d streams are attached", err, time.Since(begin), b.streams())
		}
	})
}

func TestWhatAProcessSaysArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w, _, _ := serveBooth(t)
		for _, c := range []struct{ verb, body, want string }{
			{"checkpoint", `{"age_ms":120}`, "checked 120ms ago"},
			{"checkpoint", `{"age_ms":0,"seen_age_ms":80}`, "checked 0s ago, seen 80ms ago"},
			{"progress", `{"current":3}`, "{Current:3 Total:0 Unit: Message: At:}"},
			{"progress", ` {"current":3.5,"total":24,"unit":"frame","message":"hair"} `, "{Current:3.5 Total:24 Unit:frame Message:hair At:}"},
			{"result", `{"success":true,"n":{"deep":[1,null]}}`, `result {"success":true,"n":{"deep":[1,null]}}`},
		} {
			status, _, body := say(t, w, http.MethodPost, c.verb, c.body)
			if status != http.StatusNoContent || body != "" || b.last() != c.want {
				t.Errorf("%s %s: %d %q, got %q", c.verb, c.body, status, body, b.last())
			}
		}
		status, header, body := say(t, w, http.MethodPost, "children", `{"name":"sub","command":["true"]}`)
		var j core.Job
		if err := json.Unmarshal([]byte(body), &j); err != nil || status != http.StatusCreated || header.Get("Content-Type") != "application/json" ||
			j.ID != "J2" || j.Parent != "J1" || j.Name != "sub" {
			t.Errorf("child: %d %v %s", status, err, body)
		}
	})
}

func TestWhatAProcessSaysWronglyIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w, _, _ := serveBooth(t)
		for _, c := range []struct{ verb, body, want string }{
			{"checkpoint", ``, "body: not one JSON object"},
			{"checkpoint", `[]`, "body: not a JSON object"},
			{"checkpoint", `{"age_ms":1}{}`, "body: not one JSON object"},
			{"checkpoint", `{}`, "age_ms: missing"},
			{"checkpoint", `{"age_ms":-1}`, "age_ms: -1 is out of range"},
			{"checkpoint", `{"age_ms":1.5}`, "age_ms: want a whole number, got 1.5"},
			{"checkpoint", `{"age_ms":"1"}`, "age_ms: want a whole number, got a string"},
			{"checkpoint", `{"age_ms":1,"seen_age_ms":null}`, "seen_age_ms: null; leave the field out"},
			{"checkpoint", `{"age_ms":1,"seen_age_ms":99999999999999}`, "seen_age_ms: 99999999999999 is out of range"},
			{"checkpoint", `{"age_ms":1,"age_ms":2}`, "age_ms: given twice"},
			{"checkpoint", `{"Age_ms":1}`, `Age_ms: unknown field; write it "age_ms"`},
			{"progress", `{"total":3}`, "current: missing"},
			{"progress", `{"current":1e999}`, "current: want a number, got 1e999"},
			{"progress", `{"current":NaN}`, "body: not one JSON object"},
			{"progress", `{"current":1,"at":"now"}`, "at: unknown field; known here are current, message, total, unit"},
			{"progress", "{\"current\":1,\"message\":\"\xff\"}", "message: text is not valid UTF-8"},
			{"progress", `{"current":1,"message":"\ud800"}`, "message: half a surrogate pair"},
			{"result", `3`, "body: not a JSON object"},
			{"result", `{"a":1,"a":2}`, "a: given twice"},
			{"children", `{"command":["true"],"parent":"J9"}`, "parent: it is the job whose token this is"},
			{"children", `{"command":["true"],"id":"J9"}`, "id: the dispatcher makes the id"},
			{"children", `{"command":"true"}`, "command: want an array"},
			{"children", `{"command":["true"],"by":"eve"}`, "by: unknown field"},
		} {
			status, header, body := say(t, w, http.MethodPost, c.verb, c.body)
			var answer struct{ Error string }
			if err := json.Unmarshal([]byte(body), &answer); err != nil || header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %s: %v in %q", c.verb, c.body, err, body)
			}
			if status != http.StatusBadRequest || !strings.HasPrefix(answer.Error, c.want) {
				t.Errorf("%s %s: %d %q, want %q", c.verb, c.body, status, answer.Error, c.want)
			}
		}
		if got := b.last(); got != "" {
			t.Errorf("it arrived: %s", got)
		}
	})
}

func TestABodyIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w, _, _ := serveBooth(t)
		fits := `{"x":"` + strings.Repeat("y", MaxChannelBody-8) + `"}`
		if status, _, body := say(t, w, http.MethodPost, "result", fits); status != http.StatusNoContent {
			t.Errorf("%d bytes: %d %s", len(fits), status, body)
		}
		if status, _, body := say(t, w, http.MethodPost, "result", fits+" "); status != http.StatusRequestEntityTooLarge || !strings.Contains(body, "65536") {
			t.Errorf("%d bytes: %d %s", len(fits)+1, status, body)
		}
		if n := len(b.got); n != 1 {
			t.Errorf("%d results arrived", n)
		}
	})
}

func TestTheTokenOfAJobOpensNothingElseAndNothingElseOpensAJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, w, _, _ := serveBooth(t)
		none := func(r *http.Request) { r.Header.Del("Authorization") }
		inURL := func(r *http.Request) {
			none(r)
			r.URL.RawQuery = "token=" + jobToken
		}
		page := func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }
		rebound := func(r *http.Request) { r.Host = "evil.example" }
		feed := func(r *http.Request) { r.URL.Path = Path }
		for _, c := range []struct {
			name         string
			method, verb string
			with         func(*http.Request)
			status       int
		}{
			{"a job's token at the feed", http.MethodGet, "cancel", feed, http.StatusUnauthorized},
			{"the feed's token at a job", http.MethodGet, "cancel", withToken(testToken), http.StatusUnauthorized},
			{"the feed's token, to say something", http.MethodPost, "result", withToken(testToken), http.StatusUnauthorized},
			{"a wrong token", http.MethodPost, "progress", withToken("guess"), http.StatusUnauthorized},
			{"no token", http.MethodPost, "progress", none, http.StatusUnauthorized},
			{"a token in the URL", http.MethodPost, "progress", inURL, http.StatusUnauthorized},
			{"a web page", http.MethodPost, "progress", page, http.StatusForbidden},
			{"a web page's own name for this machine", http.MethodGet, "cancel", rebound, http.StatusMisdirectedRequest},
			{"an unknown verb", http.MethodPost, "cancle", func(*http.Request) {}, http.StatusNotFound},
			{"a stream that is posted", http.MethodPost, "cancel", func(*http.Request) {}, http.StatusMethodNotAllowed},
			{"a result that is asked for", http.MethodGet, "result", func(*http.Request) {}, http.StatusMethodNotAllowed},
		} {
			if status, _, body := say(t, w, c.method, c.verb, `{"current":1}`, c.with); status != c.status {
				t.Errorf("%s: %d %s, want %d", c.name, status, body, c.status)
			}
		}
	})
}

func TestARefusalSaysWhetherToTryAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w, _, _ := serveBooth(t)
		for _, c := range []struct {
			err    error
			status int
			retry  string
		}{
			{core.ErrForbidden, http.StatusUnauthorized, ""},
			{core.ErrEnded, http.StatusGone, ""},
			{core.ErrTooMany, http.StatusTooManyRequests, "1"},
			{core.ErrRepeated, http.StatusConflict, ""},
			{core.ErrClosed, http.StatusServiceUnavailable, "5"},
			{core.ErrInvalid, http.StatusBadRequest, ""},
			{fmt.Errorf("something else"), http.StatusInternalServerError, ""},
		} {
			b.mu.Lock()
			b.fail = fmt.Errorf("job J1: %w", c.err)
			b.mu.Unlock()
			for _, r := range []struct{ method, verb, body string }{
				{http.MethodGet, "cancel", ""}, {http.MethodPost, "result", "{}"}, {http.MethodPost, "children", `{"command":["true"]}`},
			} {
				status, header, body := say(t, w, r.method, r.verb, r.body)
				if status != c.status || header.Get("Retry-After") != c.retry || !strings.Contains(body, `{"error":"job J1: `) {
					t.Errorf("%s, %v: %d %q %s", r.verb, c.err, status, header.Get("Retry-After"), body)
				}
			}
		}
	})
}

func TestAServerWithoutChannelsSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		start(t, newMemory("e1"), w.listen())
		if status, _, body := say(t, w, http.MethodPost, "progress", "{}"); status != http.StatusNotFound || !strings.Contains(body, "no control channels") {
			t.Errorf("%d %s", status, body)
		}
	})
}
