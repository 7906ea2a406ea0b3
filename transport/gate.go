package transport

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"dcctop/core"
)

// refusal is why a request does not become a connection: a status and a text
// for a person.
type refusal struct {
	status int
	text   string
}

// write answers with the refusal.
func (r *refusal) write(w http.ResponseWriter) {
	h := w.Header()
	switch r.status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="dcctop"`)
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "5")
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(r.status)
	_, _ = fmt.Fprintln(w, "dcctop: "+r.text)
}

// checkHost refuses a request whose Host header names neither this machine's
// loopback nor what the server was told to answer to. It is what stops a web
// page that has had its own name pointed at 127.0.0.1 (DNS rebinding).
func (s *Server) checkHost(r *http.Request) *refusal {
	host := hostOnly(r.Host)
	if isLoopback(host) || slices.ContainsFunc(s.o.Hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return nil
	}
	return &refusal{http.StatusMisdirectedRequest, fmt.Sprintf("not served under the name %q; use the address that serve printed", clip(host, 80))}
}

// checkOrigin refuses a request from a web page unless its origin is on the
// list. Programs send no Origin.
func (s *Server) checkOrigin(r *http.Request) *refusal {
	for _, origin := range r.Header.Values("Origin") {
		if !slices.Contains(s.o.AllowedOrigins, origin) {
			return &refusal{http.StatusForbidden, fmt.Sprintf("origin %q is not on the list; a web page may not read this feed", clip(origin, 80))}
		}
	}
	return nil
}

// identify returns who is asking.
func (s *Server) identify(r *http.Request) (core.Actor, *refusal) {
	if s.o.Identify != nil {
		actor, err := s.o.Identify(r)
		switch {
		case err == nil:
			return actor, nil
		case errors.Is(err, core.ErrForbidden):
			return core.Actor{}, &refusal{http.StatusForbidden, err.Error()}
		default:
			return core.Actor{}, &refusal{http.StatusUnauthorized, err.Error()}
		}
	}
	switch token := bearer(r); {
	case token == "":
		return core.Actor{}, &refusal{http.StatusUnauthorized,
			"a token is needed: send the header Authorization: Bearer TOKEN with the one in the token file that serve named (it is never read from the URL)"}
	case !sameToken(token, s.o.Token):
		return core.Actor{}, &refusal{http.StatusUnauthorized,
			"the token is not the one of this dispatcher; read its token file again, it changes when the dispatcher restarts"}
	}
	return s.o.Actor, nil
}

// checkProtocol refuses a client that asks for other protocols only. One that
// asks for none gets this one.
func checkProtocol(r *http.Request) *refusal {
	asked := r.Header.Values("Sec-WebSocket-Protocol")
	if len(asked) == 0 {
		return nil
	}
	for part := range strings.SplitSeq(strings.Join(asked, ","), ",") {
		if strings.TrimSpace(part) == Protocol {
			return nil
		}
	}
	return &refusal{http.StatusBadRequest, fmt.Sprintf("subprotocol %q is not spoken here; ask for %s", clip(strings.Join(asked, ","), 80), Protocol)}
}

// hostOnly returns a Host header without its port and brackets.
func hostOnly(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// isLoopback reports whether a host name or address means this machine only.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// FeedURL returns the URL of the feed that s means: a whole URL (ws, wss, http
// or https), or HOST:PORT. A user, a password or a query in it is refused, since
// what is in a URL ends in logs; so is an unencrypted one to another machine.
func FeedURL(s string) (string, error) {
	if !strings.Contains(s, "://") {
		s = "ws://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return "", fmt.Errorf("%w server: not a URL; write HOST:PORT or wss://HOST:PORT", core.ErrInvalid)
	}
	switch u.Scheme {
	case "http":
		u.Scheme = "ws"
	case "https":
		u.Scheme = "wss"
	}
	switch {
	case u.Scheme != "ws" && u.Scheme != "wss":
		return "", fmt.Errorf("%w server: scheme %q; use ws, wss, http or https", core.ErrInvalid, clip(u.Scheme, 20))
	case u.Hostname() == "":
		return "", fmt.Errorf("%w server %q: no host; write HOST:PORT or a URL", core.ErrInvalid, clip(s, 80))
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%w server: a user, password, query or fragment in the URL; the token comes from a file", core.ErrInvalid)
	case u.Scheme == "ws" && !isLoopback(u.Hostname()):
		return "", fmt.Errorf("%w server %s: another machine without encryption would read the token; use wss:// or a tunnel to 127.0.0.1", core.ErrInvalid, clip(u.Host, 80))
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = Path
	}
	return u.String(), nil
}
