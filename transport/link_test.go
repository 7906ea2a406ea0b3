package transport

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dcctop/core"

	"github.com/gorilla/websocket"
)

func TestAfterACutTheMonitorResumesAndMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"), running("B"))
		start(t, d, w.listen())
		m := watchAll(t, dial(t, w))
		m.until(t, "both jobs", sameAs(d))
		_ = w.last().Close()
		m.until(t, "stale", linked(core.LinkStale))
		d.put(core.Job{ID: "A", State: core.Failed}, running("C"))
		d.purge("B")
		m.until(t, "live again", linked(core.LinkLive))
		m.until(t, "the same", sameAs(d))
		m.look(func(m *monitor) {
			if m.snaps != 1 || d.snapshots() != 1 {
				t.Errorf("%d snapshots, want the first only: the rest is resumed; came %v", m.snaps, m.kinds)
			}
		})
	})
}

func TestARestartWithAnotherEpochGivesASnapshotAndNoGhosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"), running("B"))
		_, stop := start(t, d, w.listen())
		m := watchAll(t, dial(t, w))
		m.until(t, "both jobs", sameAs(d))
		stop()
		m.until(t, "stale", linked(core.LinkStale))
		m.look(func(m *monitor) {
			l := m.links[len(m.links)-1]
			if !strings.Contains(l.Why, "shutting down") || l.Retry.Sub(l.Since) < 500*time.Millisecond {
				t.Errorf("link is %+v; want why, and when it is tried again", l)
			}
		})
		again := newMemory("e2")
		again.put(running("B"), running("D")) // the same seq as before
		start(t, again, w.listen())
		m.until(t, "the new dispatcher's jobs", func(m *monitor) bool { return m.view.At.Epoch == "e2" && sameAs(again)(m) })
	})
}

func TestAPositionTheRingHasLostGivesASnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"), running("B"))
		start(t, d, w.listen())
		m := watchAll(t, dial(t, w))
		m.until(t, "both jobs", sameAs(d))
		_ = w.last().Close()
		m.until(t, "stale", linked(core.LinkStale))
		d.purge("A")
		d.forget()
		m.until(t, "a second snapshot", func(m *monitor) bool { return m.snaps == 2 && sameAs(d)(m) })
	})
}

func TestAHalfOpenLinkIsStaleWithin35sAndRefusesToCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"), running("B"))
		start(t, d, w.listen())
		c := dial(t, w)
		m := watchAll(t, c)
		m.until(t, "both jobs", sameAs(d))
		ln := w.accept
		w.mu.Lock()
		w.accept = nil // and nobody answers a new attempt
		w.mu.Unlock()
		w.last().silent.Store(true)
		quiet := time.Now()
		m.until(t, "stale", linked(core.LinkStale))
		if took := time.Since(quiet); took > ReadWait {
			t.Errorf("noticed after %s", took)
		}
		pass(25 * time.Second)
		_, err := c.Cancel(t.Context(), core.CancelRequest{IDs: []core.JobID{"A"}})
		if !errors.Is(err, core.ErrUnreachable) || !strings.Contains(err.Error(), "25s") {
			t.Errorf("cancel: %v; want not reachable, for how long", err)
		}
		d.put(core.Job{ID: "A", State: core.Completed}, running("C"))
		d.purge("B")
		w.mu.Lock()
		w.accept = ln
		w.mu.Unlock()
		m.until(t, "the table right", func(m *monitor) bool { return linked(core.LinkLive)(m) && sameAs(d)(m) })
		if len(d.asked()) != 0 {
			t.Error("the refused cancel was sent after all")
		}
	})
}

func TestALinkThatIsIdleForAnHourStaysAndTellsTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"))
		start(t, d, w.listen())
		m := watchAll(t, dial(t, w))
		m.until(t, "the job", sameAs(d))
		pass(time.Hour)
		synctest.Wait()
		m.look(func(m *monitor) {
			if len(w.dialled()) != 1 {
				t.Errorf("%d connections, want 1; came %v", len(w.dialled()), m.kinds)
			}
			if n := len(m.syncs); n < 239 || n > 242 {
				t.Errorf("%d clock readings in an hour, want one at once and then every 15 s", n)
			}
			last := m.syncs[len(m.syncs)-1]
			if off := time.Since(last.Now.Std()); off < 0 || off > PingEvery || last.Seq != d.at.Seq {
				t.Errorf("last sync %+v is %s old", last, off)
			}
		})
	})
}

func TestAnOldTokenIsNotHammeredAndANewOneIsFoundByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		d.put(running("A"))
		start(t, d, w.listen())
		var token = make(chan string, 1)
		token <- "yesterday's"
		c := dialWith(t, w, ClientOptions{Endpoint: func() (string, string, error) {
			now := <-token
			token <- now
			return "127.0.0.1:7720", now, nil
		}})
		m := watchAll(t, c)
		pass(time.Minute)
		if n := len(w.dialled()); n > 5 {
			t.Errorf("%d attempts in a minute with a token that was refused", n)
		}
		m.look(func(m *monitor) {
			if l := m.links[len(m.links)-1]; l.State != core.LinkConnecting || !strings.Contains(l.Why, "401") || !strings.Contains(l.Why, "token file") {
				t.Errorf("link is %+v; want the refusal, and what to do", l)
			}
		})
		if _, err := c.Get(t.Context(), "A"); !errors.Is(err, core.ErrForbidden) || !errors.Is(err, core.ErrUnreachable) {
			t.Errorf("get: %v; want forbidden, at once", err)
		}
		<-token
		token <- testToken
		changed := time.Now()
		m.until(t, "the job", has("A", core.Running))
		if took := time.Since(changed); took > 3*time.Second {
			t.Errorf("the new token was found after %s", took)
		}
	})
}

func TestFiftyMonitorsComeBackSpreadOverMoreThanASecond(t *testing.T) {
	for _, kind := range []string{"told", "killed"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, w := newMemory("e1"), &wire{}
				d.put(running("A"))
				s, stop := start(t, d, w.listen())
				monitors := make([]*monitor, 50)
				for i := range monitors {
					monitors[i] = watchAll(t, dial(t, w))
					monitors[i].until(t, "the job", has("A", core.Running))
				}
				if kind == "killed" {
					_ = s.Close()
				}
				stop()
				pass(2 * time.Second)
				d2 := newMemory("e2")
				d2.put(running("B"))
				up := time.Now()
				start(t, d2, w.listen())
				for _, m := range monitors {
					m.until(t, "the new dispatcher", has("B", core.Running))
				}
				dials := w.dialled()[50:]
				if most := 50 * 8; len(dials) > most {
					t.Errorf("%d attempts for 50 monitors", len(dials))
				}
				first, last := time.Time{}, time.Time{}
				for _, at := range dials {
					if at.Before(up) {
						continue
					}
					if first.IsZero() {
						first = at
					}
					last = at
				}
				if last.Sub(first) < time.Second {
					t.Errorf("all came back within %s", last.Sub(first))
				}
			})
		})
	}
}

func TestClosingAClientEndsItsWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		start(t, d, w.listen())
		c := dial(t, w)
		m := watchAll(t, c)
		m.until(t, "data", func(m *monitor) bool { return m.snaps == 1 })
		_ = c.Close()
		_ = c.Close()
		m.until(t, "the end", func(m *monitor) bool { return errors.Is(m.err, core.ErrClosed) })
	})
}

func TestALinkThatDiesRightAfterTheHandshakeIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newMemory("e1"), &wire{}
		start(t, d, w.listen())
		c := dial(t, w)
		synctest.Wait()
		w.last().silent.Store(true)
		if l := c.Link(); l.State != core.LinkLive {
			t.Fatalf("link is %+v", l)
		}
		pass(ReadWait + time.Second)
		if l := c.Link(); len(w.dialled()) == 1 && l.State != core.LinkStale {
			t.Errorf("link is %+v after %s of silence", l, ReadWait)
		}
	})
}

func TestAnotherProgramsWebSocketIsNotHammered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		other := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			up := websocket.Upgrader{}
			if ws, err := up.Upgrade(rw, r, nil); err == nil {
				_, _, _ = ws.ReadMessage()
				_ = ws.Close()
			}
		})}
		ln, ended := w.listen(), make(chan struct{})
		go func() { _ = other.Serve(ln); close(ended) }()
		c := dial(t, w)
		pass(time.Minute)
		if l := c.Link(); l.State != core.LinkConnecting || !strings.Contains(l.Why, Protocol) || len(w.dialled()) > 5 {
			t.Errorf("after %d attempts in a minute: %+v", len(w.dialled()), l)
		}
		_ = c.Close()
		_ = other.Close()
		<-ended
	})
}
