package transport

import (
	"fmt"
	"net/http"
	"strings"

	"dcctop/core"

	"github.com/gorilla/websocket"
)

// ServeHTTP answers one request: the feed at [Path], the
// channels of jobs below [ChannelPath], "ok" at /healthz.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if no := s.checkHost(r); no != nil {
		s.refuse(w, r, no)
		return
	}
	if strings.HasPrefix(r.URL.Path, ChannelPath+"/") {
		s.serveChannel(w, r)
		return
	}
	switch r.URL.Path {
	case Path:
		s.serveFeed(w, r)
	case "/healthz":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = fmt.Fprintln(w, "ok")
	default:
		s.refuse(w, r, &refusal{http.StatusNotFound, "nothing here; the feed is at " + Path})
	}
}

// serveFeed turns a request into a connection and is its reader until it ends.
func (s *Server) serveFeed(w http.ResponseWriter, r *http.Request) {
	no := s.checkOrigin(r)
	var actor core.Actor
	if no == nil {
		actor, no = s.identify(r)
	}
	if no == nil && !websocket.IsWebSocketUpgrade(r) {
		w.Header().Set("Upgrade", "websocket")
		no = &refusal{http.StatusUpgradeRequired, "this is a WebSocket; connect to it with subprotocol " + Protocol}
	}
	if no == nil {
		no = checkProtocol(r)
	}
	if no != nil {
		s.refuse(w, r, no)
		return
	}
	c := newConn(s, actor, r.RemoteAddr)
	if no := s.admit(c); no != nil {
		s.refuse(w, r, no)
		return
	}
	defer s.wg.Done()
	defer s.leave(c)
	ws, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.o.Logger.Debug("upgrade failed", "peer", r.RemoteAddr, "err", err)
		return
	}
	c.run(ws)
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, no *refusal) {
	s.o.Logger.Info("refused", "peer", r.RemoteAddr, "status", no.status, "why", no.text)
	no.write(w)
}
