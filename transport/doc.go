// Package transport carries a dispatcher's feed and commands over WebSocket.
// Both ends are here: a [Server] in front of anything that is a [Dispatcher],
// and a [Client] that is a Dispatcher itself. So what works with a dispatcher in
// this process works with one far away, and nothing else in the program knows
// WebSocket or JSON-RPC. The messages and limits are on one page, protocol.go.
//
// # Usage
//
// A dispatcher makes a token file, and serves until ctx ends:
//
//	token, err := transport.MakeToken(path)
//	s, err := transport.NewServer(d, transport.ServerOptions{Token: token, Actor: me})
//	ln, err := net.Listen("tcp", transport.DefaultAddress)
//	err = s.Serve(ctx, ln)
//
// A monitor dials, watches and asks. [Dial] never waits:
//
//	c, err := transport.Dial(transport.ClientOptions{Endpoint: find})
//	defer c.Close()
//	for u, err := range c.Watch(ctx) { … }
//	answers, err := c.Cancel(ctx, core.CancelRequest{IDs: ids, Reason: why})
//
// Any other JSON-RPC 2.0 client can do the same: connect to /v1/feed with the
// subprotocol dcctop.feed.v1 and the header "Authorization: Bearer TOKEN", and
// send feed.subscribe or jobs.cancel, one object per text frame.
//
// # Control channels
//
// With ServerOptions.Channel the processes of jobs are served as well, in plain
// HTTP/1.1 below /v1/job, each with the token of its own job: that opens nothing
// else, and the token of the feed does not open it. Bodies are one JSON object of
// at most 64 KiB, decoded as strictly as frames; a refusal is {"error": "…"}.
//
//	GET  cancel      text/event-stream: ": hello" when the job is attached, ": ping"
//	                 every 5 s, "event: cancel" once it is cancelled, "event: bye"
//	                 when there is nothing to come back for
//	POST checkpoint  {"age_ms", "seen_age_ms"?}            204
//	POST progress    {"current", "total"?, "unit"?, "message"?}  204
//	POST result      any object, once                      204
//	POST children    a submission without parent           201, the record
//
// 400 names the field and the fix; 401: no job's token; 409: a second result; 410:
// the job has ended; 413: too large; 429 and 503 come with Retry-After.
//
// # Positions and gaps
//
// A watch stands at a position: source, epoch, seq. A change is applied only if
// it starts exactly there; so says every feed.sync too. Otherwise the client asks
// to resume from where it stands, on the same connection, and the dispatcher
// answers with the changes since or, where it cannot tell them whole, with a new
// snapshot. A snapshot comes in parts and is shown whole or not at all; it
// replaces what was known. A large change comes as several that follow on from
// each other, each of which is a place to resume from.
//
// # Links
//
// A client keeps its link: after a loss it waits (full jitter, 0.5 s doubling to
// 30 s, anew after 60 s of health, and no less than a server's feed.bye asked
// for) and connects again, asking its Endpoint first. A refusal of the token or
// of the protocol is tried again slowly, but at once when Endpoint names another
// address or token. A link on which nothing is heard for 35 s is lost, whatever
// the socket says. The watch tells all this as [core.Link]; meanwhile commands
// fail with [core.ErrUnreachable], having sent nothing. A command whose answer
// was lost fails with [core.ErrOutcomeUnknown] and is not sent again; the next
// snapshot tells what became of it.
//
// # Concurrency
//
// Servers and clients are safe for concurrent use. Each connection has, at
// either end, one goroutine that reads and one that writes, and the server's has
// one more for its feed. The requests of one connection run one after the other.
// Shutdown and Close may be called more than once; they wait for every goroutine,
// and are bounded: by ctx, and by a few seconds.
//
// # Slow subscribers
//
// A server queues nothing for a client: the feed hands the writer one frame, and
// until that is taken the dispatcher's own watcher merges what changes. So a slow
// client delays nobody and costs at most one entry per job. One that takes more
// than 5 s for a frame is closed with code 4001 and resumes; if it takes two more
// it is cut. At the other end, what a reader of [Client.Watch] has not taken is
// merged in the same way, so a busy screen holds up neither pings nor answers.
//
// The JSON of a job is made once for all its watchers, and kept while anybody
// watches.
//
// # Trust
//
// The feed is not encrypted, so [Server.Serve] listens on loopback only. Every
// connection shows the token of a file that only its owner can read (0600), in a
// header, never in the URL; it is compared in constant time. A request with an
// Origin, which is to say from a web page, is refused unless its origin is on
// the list, and so is one whose Host is not this machine, which is how a web page
// would reach a loopback port under its own name. Who gives a command is what the
// connection is known as, never a field of a message. Frames of clients are
// bounded and decoded strictly: what encoding/json would bend to fit is refused,
// with the field and the fix.
//
// What a job is called and prints is passed on as it is. Whoever shows it on a
// terminal cleans it first.
//
// # Testing
//
// Tests use two real ends, over pipes inside a testing/synctest bubble, where an
// hour of pings takes no time; a link of the test's own network can be cut or go
// silent. ClientOptions.DialContext and any net.Listener are all that takes.
package transport
