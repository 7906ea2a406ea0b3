package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"

	"github.com/gorilla/websocket"
)

// ask sends one frame of text and returns the next answer, passing over
// notifications.
func ask(t testing.TB, ws *websocket.Conn, text string) map[string]any {
	t.Helper()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		t.Fatalf("send %.80s: %v", text, err)
	}
	for {
		f := next(t, ws)
		if f["method"] == nil {
			return f
		}
	}
}

func next(t testing.TB, ws *websocket.Conn) map[string]any {
	t.Helper()
	_, data, err := ws.ReadMessage()
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	var f map[string]any
	if err := json.Unmarshal(data, &f); err != nil || f["jsonrpc"] != "2.0" {
		t.Fatalf("frame %.200s: %v", data, err)
	}
	return f
}

// closed reads until the connection ends, and returns the close code and
// feed.bye if it came.
func closed(t testing.TB, ws *websocket.Conn) (int, map[string]any) {
	t.Helper()
	var bye map[string]any
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			return closeOfError(err).Code, bye
		}
		var f map[string]any
		if json.Unmarshal(data, &f) == nil && f["method"] == methodBye {
			bye = f["params"].(map[string]any)
		}
	}
}

func TestAStockClientWatchesAndCancelsWithNoPriorHello(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"))
		start(t, d, w.listen())
		ws := stock(t, w)
		begun := time.Now()
		if got := ask(t, ws, `{"jsonrpc":"2.0","id":"c-1","method":"jobs.cancel","params":{"ids":["A"],"reason":"wrong camera"}}`); got["id"] != "c-1" ||
			fmt.Sprint(got["result"]) != "map[outcomes:[map[answer:accepted id:A state:cancelling]]]" {
			t.Errorf("cancel: %v", got)
		}
		if got := ask(t, ws, `{"jsonrpc":"2.0","id":7,"method":"feed.subscribe"}`); got["id"] != 7.0 || got["result"].(map[string]any)["user"] != "ann" {
			t.Errorf("subscribe: %v", got)
		}
		snap := next(t, ws)
		p := snap["params"].(map[string]any)
		if snap["method"] != "feed.snapshot" || p["source"] != "farm" || p["epoch"] != "e1" || p["at"] != 2.0 || p["part"] != 1.0 || p["last"] != true || len(p["jobs"].([]any)) != 1 {
			t.Errorf("snapshot: %v", snap)
		}
		sync := next(t, ws)
		p = sync["params"].(map[string]any)
		if sync["method"] != "feed.sync" || p["seq"] != 2.0 || p["now"] != core.At(begun).String() {
			t.Errorf("sync: %v", sync)
		}
		d.put(core.Job{ID: "A", State: core.Cancelled})
		delta := next(t, ws)
		p = delta["params"].(map[string]any)
		if delta["method"] != "feed.delta" || p["from"] != 2.0 || p["to"] != 3.0 || p["jobs"].([]any)[0].(map[string]any)["state"] != "cancelled" {
			t.Errorf("delta: %v", delta)
		}
		d.purge("A")
		if p = next(t, ws)["params"].(map[string]any); fmt.Sprint(p["gone"]) != "[A]" {
			t.Errorf("delta: %v", p)
		}
	})
}

func TestAHostileFrameIsAnsweredAndTheConnectionLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		start(t, d, w.listen())
		ws := stock(t, w)
		for _, c := range []struct {
			frame, id string
			code      float64
		}{
			{`{`, "<nil>", codeParse},
			{``, "<nil>", codeParse},
			{`[{"jsonrpc":"2.0","id":1,"method":"jobs.get","params":{"id":"A"}}]`, "<nil>", codeRequest},
			{`{"jsonrpc":"2.0","method":"jobs.cancel","params":{"ids":["A"]}}`, "<nil>", codeRequest},
			{`{"jsonrpc":"2.0","id":3,"method":"jobs.destroy"}`, "3", codeMethod},
			{`{"jsonrpc":"2.0","id":"x","method":"jobs.cancel","params":{"ids":[]}}`, "x", codeParams},
			{`{"jsonrpc":"2.0","id":5,"method":"jobs.get","params":{"id":"A"}}`, "5", codeNotFound},
		} {
			got := ask(t, ws, c.frame)
			e := got["error"].(map[string]any)
			if fmt.Sprint(got["id"]) != c.id || e["code"] != c.code || e["message"] == "" {
				t.Errorf("%s: got %v", c.frame, got)
			}
		}
		if n := len(d.asked()); n != 0 {
			t.Errorf("%d cancels were done", n)
		}
	})
}

func TestCommandsAreLimitedAndTheAnswerSaysWhenToTryAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		start(t, d, w.listen())
		ws := stock(t, w)
		const cancel = `{"jsonrpc":"2.0","id":1,"method":"jobs.cancel","params":{"ids":["A"]}}`
		for i := range CommandBurst {
			if got := ask(t, ws, cancel); got["error"] != nil {
				t.Fatalf("command %d: %v", i, got)
			}
		}
		got := ask(t, ws, cancel)
		e := got["error"].(map[string]any)
		wait := e["data"].(map[string]any)["retry_ms"].(float64)
		if e["code"] != float64(codeLimited) || wait < 1 || wait > 201 || !strings.Contains(e["message"].(string), "try again in") {
			t.Fatalf("got %v", got)
		}
		if got := ask(t, ws, `{"jsonrpc":"2.0","id":1,"method":"jobs.get","params":{"id":"A"}}`); got["error"].(map[string]any)["code"] != float64(codeNotFound) {
			t.Errorf("reading counts as a command: %v", got)
		}
		pass(time.Duration(wait) * time.Millisecond)
		if got := ask(t, ws, cancel); got["error"] != nil {
			t.Errorf("after %v ms: %v", wait, got)
		}
	})
}

func TestAClientThatSaysNothingIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		start(t, d, w.listen())
		begun := time.Now()
		code, bye := closed(t, stock(t, w))
		if took := time.Since(begun); code != codeNoFirstFrame || took != FirstFrameWait || bye["code"] != float64(code) {
			t.Errorf("code %d after %s, %v", code, took, bye)
		}
	})
}

func TestAClientThatFallsSilentIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		start(t, d, w.listen())
		ws := stock(t, w)
		ws.SetPingHandler(func(string) error { return nil }) // and answers no ping
		ask(t, ws, `{"jsonrpc":"2.0","id":1,"method":"feed.subscribe"}`)
		begun := time.Now()
		code, bye := closed(t, ws)
		if took := time.Since(begun); code != codeSilent || took != ReadWait || bye["code"] != float64(code) {
			t.Errorf("code %d after %s, %v", code, took, bye)
		}
	})
}

func TestAFrameThatIsTooLargeOrNotTextEndsTheConnection(t *testing.T) {
	for code, send := range map[int]func(*websocket.Conn) error{
		codeTooBig: func(ws *websocket.Conn) error {
			return ws.WriteMessage(websocket.TextMessage, make([]byte, MaxClientFrame+1))
		},
		codeBinary: func(ws *websocket.Conn) error { return ws.WriteMessage(websocket.BinaryMessage, []byte("{}")) },
	} {
		t.Run(closeOf(code).Text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, w := newMemory("e1"), &wire{}
				start(t, d, w.listen())
				ws := stock(t, w)
				sent := make(chan error, 1)
				go func() { sent <- send(ws) }()
				if got, _ := closed(t, ws); got != code {
					t.Errorf("code %d, want %d", got, code)
				}
				_ = ws.Close()
				<-sent
			})
		})
	}
}

func TestAClientThatCannotTakeAFrameIn5sIsClosedWithItsOwnCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"))
		start(t, d, w.listen())
		ws := stock(t, w)
		ask(t, ws, `{"jsonrpc":"2.0","id":1,"method":"feed.subscribe"}`) // the snapshot now waits to be taken
		pass(WriteWait + slowLinger/2)
		code, bye := closed(t, ws)
		if code != codeSlow || bye["code"] != float64(codeSlow) || closeOf(code).Back != comeBackSoon {
			t.Errorf("code %d, %v", code, bye)
		}
	})
}

func TestAStoppedClientIsDroppedAndCostsNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"))
		s, _ := start(t, d, w.listen())
		ws := stock(t, w)
		ask(t, ws, `{"jsonrpc":"2.0","id":1,"method":"feed.subscribe"}`)
		pass(WriteWait + slowLinger + time.Second)
		synctest.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.conns) != 0 || len(d.watchers) != 0 || s.cache.jobs != nil {
			t.Errorf("%d connections, %d watchers are left", len(s.conns), len(d.watchers))
		}
	})
}

func TestShutdownTellsEveryClientWhenToComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		s, _ := start(t, d, w.listen())
		ws := stock(t, w)
		ask(t, ws, `{"jsonrpc":"2.0","id":1,"method":"feed.subscribe"}`)
		ended := make(chan error, 1)
		go func() { ended <- errors.Join(s.Shutdown(context.Background()), s.Shutdown(context.Background())) }()
		code, bye := closed(t, ws)
		if code != codeShutdown || bye["reason"] == "" || bye["retry_ms"].(float64) < 500 {
			t.Errorf("code %d, %v", code, bye)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if no := s.admit(newConn(s, core.Actor{}, "")); no == nil || no.status != http.StatusServiceUnavailable {
			t.Errorf("after it a connection gets %+v", no)
		}
	})
}

func TestShutdownIsBoundedWhenAClientDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.hold = make(chan struct{})
		s, _ := start(t, d, w.listen())
		stuck, busy := stock(t, w), stock(t, w)
		ask(t, stuck, `{"jsonrpc":"2.0","id":1,"method":"feed.subscribe"}`)
		if err := busy.WriteMessage(websocket.TextMessage, []byte(`{"jsonrpc":"2.0","id":1,"method":"jobs.cancel","params":{"ids":["A"]}}`)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Second {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
	})
}

func TestTheDispatchersEndIsAShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		start(t, d, w.listen())
		ws := stock(t, w)
		ask(t, ws, `{"jsonrpc":"2.0","id":1,"method":"feed.subscribe"}`)
		close(d.closed)
		if code, bye := closed(t, ws); code != codeShutdown || bye == nil {
			t.Errorf("code %d, %v", code, bye)
		}
	})
}

func TestThousandConnectionsAreEnough(t *testing.T) {
	s, err := NewServer(newMemory("e1"), ServerOptions{Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	for range MaxConnections {
		if no := s.admit(newConn(s, core.Actor{}, "")); no != nil {
			t.Fatal(no.text)
		}
	}
	if no := s.admit(newConn(s, core.Actor{}, "")); no == nil || no.status != http.StatusServiceUnavailable {
		t.Errorf("one more: %+v", no)
	}
}

func TestWhoIsLetIn(t *testing.T) {
	s, err := NewServer(newMemory("e1"), ServerOptions{Token: testToken, AllowedOrigins: []string{"https://farm.example"}, Hosts: []string{"farm.example"}})
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]string{
		"Authorization": "Bearer " + testToken, "Connection": "Upgrade", "Upgrade": "websocket",
		"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": Protocol,
	}
	for _, c := range []struct {
		name, host, path, header, value string
		status                          int
		text                            string
	}{
		// 500 is as far as a good request gets: the recorder cannot be upgraded.
		{"the right token", "127.0.0.1:7720", Path, "", "", 500, ""},
		{"localhost", "LocalHost:7720", Path, "", "", 500, ""},
		{"IPv6 loopback", "[::1]:7720", Path, "", "", 500, ""},
		{"a host on the list", "farm.example", Path, "", "", 500, ""},
		{"no subprotocol asked for", "127.0.0.1:7720", Path, "Sec-WebSocket-Protocol", "", 500, ""},
		{"no token", "127.0.0.1:7720", Path, "Authorization", "", 401, "Authorization: Bearer TOKEN"},
		{"a wrong token", "127.0.0.1:7720", Path, "Authorization", "Bearer open", 401, "read its token file again"},
		{"another scheme", "127.0.0.1:7720", Path, "Authorization", "Basic " + testToken, 401, "a token is needed"},
		{"the token in the query", "127.0.0.1:7720", Path + "?token=" + testToken, "Authorization", "", 401, "never read from the URL"},
		{"a name that was pointed at us", "evil.example:7720", Path, "", "", 421, "not served under the name"},
		{"a name that looks like loopback", "127.0.0.1.evil.example", Path, "", "", 421, "not served under the name"},
		{"a web page", "127.0.0.1:7720", Path, "Origin", "https://evil.example", 403, "not on the list"},
		{"a sandboxed web page", "127.0.0.1:7720", Path, "Origin", "null", 403, "not on the list"},
		{"our own origin, not on the list", "127.0.0.1:7720", Path, "Origin", "http://127.0.0.1:7720", 403, "not on the list"},
		{"a web page on the list", "127.0.0.1:7720", Path, "Origin", "https://farm.example", 500, ""},
		{"another subprotocol", "127.0.0.1:7720", Path, "Sec-WebSocket-Protocol", "chat", 400, "ask for " + Protocol},
		{"not a WebSocket", "127.0.0.1:7720", Path, "Upgrade", "", 426, "this is a WebSocket"},
		{"another page", "127.0.0.1:7720", "/", "", "", 404, "the feed is at " + Path},
		{"health", "127.0.0.1:7720", "/healthz", "", "", 200, "ok"},
		{"health under another name", "evil.example", "/healthz", "", "", 421, "not served"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "http://"+c.host+c.path, nil)
			for k, v := range good {
				r.Header.Set(k, v)
			}
			if c.header != "" {
				r.Header.Set(c.header, c.value)
			}
			if c.value == "" {
				r.Header.Del(c.header)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.text) {
				t.Errorf("%d %s; want %d and %q", w.Code, w.Body, c.status, c.text)
			}
		})
	}
}

func TestIdentitySaysWhoAndWhyNot(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{{nil, 500}, {fmt.Errorf("%w: viewers only", core.ErrForbidden), 403}, {errors.New("who are you?"), 401}} {
		s, err := NewServer(newMemory("e1"), ServerOptions{Identify: func(*http.Request) (core.Actor, error) { return core.Actor{User: "bob"}, c.err }})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, "http://localhost"+Path, nil)
		for k, v := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="} {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.status || (c.err != nil && !strings.Contains(w.Body.String(), c.err.Error())) {
			t.Errorf("%v: %d %s", c.err, w.Code, w.Body)
		}
	}
}

func TestAServerWithoutATokenIsRefused(t *testing.T) {
	if _, err := NewServer(newMemory("e1"), ServerOptions{}); !errors.Is(err, core.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}
