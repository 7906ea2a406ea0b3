"""A dispatcher's control channel as far as one job sees it, for the tests of dcctop.py.

It speaks the wire of the real one: HTTP/1.1, a chunked SSE stream, strict JSON.
What a job did wrong is in ``wrong``; a test that finds something there has failed.
"""

import json
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "one-job's-token"
WAIT = 60.0  # seconds a test waits for what must come, on a busy machine
NUMBER = (int, float)
FIELDS = {
    "/v1/job/checkpoint": ({"age_ms": NUMBER}, {"seen_age_ms": NUMBER}),
    "/v1/job/progress": ({"current": NUMBER}, {"total": NUMBER, "unit": str, "message": str}),
}


class FakeDispatcher(object):
    """Use as a context manager. Everything it saw is read under ``changed``."""

    def __init__(self, ping=0.2):
        self.changed = threading.Condition()
        self.posts = []  # (name, body, time.monotonic()), in order of arrival
        self.streams = 0  # how many were opened
        self.open = []  # their connections
        self.requests = 0  # of any kind
        self.connections = 0
        self.peers = {}  # their ends, each with its number
        self.pings = 0
        self.wrong = []
        self.ping = ping  # seconds; None for a stream that goes silent
        self.dribble = False  # send the stream byte by byte, a chunk each
        self.hold = False  # answer no report
        self.stream_status = 200
        self.answers = {}  # for the next reports of a kind: [(status, headers)]
        self.post_status = 204
        self.close_after_post = False
        self._events = []  # what every stream sends, old and new
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.gone()

    @property
    def environment(self):
        url = "http://127.0.0.1:%d/v1/job" % self._server.server_address[1]
        return {"DCCTOP_URL": url, "DCCTOP_JOB_ID": "job-1", "DCCTOP_TOKEN": TOKEN}

    def set(self, **state):
        with self.changed:
            for name, value in state.items():
                setattr(self, name, value)
            self.changed.notify_all()

    def cancel(self):
        self._say(
            "cancel",
            {
                "job_id": "job-1",
                "by": "ann",
                "from": "ws12",
                "reason": "wrong camera",
                "requested_at": "2026-01-02T03:04:05.678Z",
                "grace_ms": 30000,
            },
        )

    def bye(self):
        self._say("bye", {"reason": "the job is over"})

    def _say(self, event, data):
        text = "event: %s\ndata: %s\n\n" % (event, json.dumps(data))
        with self.changed:
            self._events.append(text.encode())
            self.changed.notify_all()

    def arrived(self):
        """How many connections there were before this call."""
        with socket.create_connection(self._server.server_address) as mine:
            name = mine.getsockname()
            return self.wait("my own connection", lambda fake: fake.peers.get(name)) - 1

    def cut(self):
        """Close every stream in the middle."""
        with self.changed:
            for connection in self.open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def gone(self):
        """End as by kill -9: nobody listens any more."""
        if self._thread.is_alive():
            self.set(stopped=True, hold=False)
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self.cut()

    stopped = False

    def wait(self, what, condition):
        """Until condition(self) is true; its value."""
        end = time.monotonic() + WAIT
        with self.changed:
            while True:
                value = condition(self)
                if value:
                    return value
                left = end - time.monotonic()
                if left <= 0:
                    raise AssertionError("%s did not come; posts: %r" % (what, self.posts[-5:]))
                self.changed.wait(left)

    def said(self, name):
        """The bodies of the reports of one kind so far."""
        with self.changed:
            return [body for kind, body, _ in self.posts if kind == name]


class Server(ThreadingHTTPServer):
    def process_request(self, request, client_address):
        with self.fake.changed:
            self.fake.connections += 1
            self.fake.peers[client_address] = self.fake.connections
            self.fake.changed.notify_all()
        super().process_request(request, client_address)

    def handle_error(self, request, client_address):
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):  # a job may hang up when it likes
            with self.fake.changed:
                self.fake.wrong.append(repr(error))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def _complain(self, what):
        with self.server.fake.changed:
            self.server.fake.wrong.append("%s %s: %s" % (self.command, self.path, what))

    def _known(self):
        with self.server.fake.changed:
            self.server.fake.requests += 1
            self.server.fake.changed.notify_all()
        if self.headers["Authorization"] != "Bearer " + TOKEN:
            self._complain("token %r" % self.headers["Authorization"])

    def _answer(self, status, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", "2")
        self.end_headers()
        if status != 204:
            self.wfile.write(b"{}")

    def do_POST(self):
        fake = self.server.fake
        self._known()
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            self._check(json.loads(raw.decode("utf-8")))
        except (ValueError, AssertionError) as error:
            self._complain("%r: %s" % (raw, error))
        with fake.changed:
            kind = self.path.rsplit("/", 1)[1]
            fake.posts.append((kind, json.loads(raw.decode()), time.monotonic()))
            fake.changed.notify_all()
            while fake.hold:
                fake.changed.wait()
            status, headers = fake.answers[kind].pop(0) if fake.answers.get(kind) else (fake.post_status, ())
            if fake.close_after_post:
                headers = list(headers) + [("Connection", "close")]
                self.close_connection = True
        self._answer(status, headers)

    def _check(self, body):
        assert self.path in FIELDS, "unknown path"
        assert isinstance(body, dict), "no object"
        must, may = FIELDS[self.path]
        for name in must:
            assert name in body, "no " + name
        for name, value in body.items():
            kind = must.get(name, may.get(name))
            assert kind is not None, "unknown field " + name
            assert isinstance(value, kind) and not isinstance(value, bool), "type of " + name
            assert not name.endswith("_ms") or value >= 0, "negative " + name

    def do_GET(self):
        fake = self.server.fake
        self._known()
        if self.path != "/v1/job/cancel":
            self._complain("unknown path")
        with fake.changed:
            status = fake.stream_status
        if status != 200:
            self._answer(status)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            self._stream(fake)
        except OSError:
            pass
        finally:
            self.close_connection = True
            with fake.changed:
                fake.open.remove(self.connection)
                fake.changed.notify_all()

    def _stream(self, fake):
        with fake.changed:
            fake.open.append(self.connection)
        self._chunk(b": hello\n\n")
        with fake.changed:
            fake.streams += 1
            fake.changed.notify_all()
        sent = 0
        while True:
            with fake.changed:
                news = fake.changed.wait_for(lambda: len(fake._events) > sent or fake.stopped, fake.ping)
                if fake.stopped:
                    return
                text = fake._events[sent] if news else b": ping\n\n"
                sent += bool(news)
            self._chunk(text)
            with fake.changed:
                fake.pings += not news
                fake.changed.notify_all()

    def _chunk(self, text):
        for piece in [text[i : i + 1] for i in range(len(text))] if self.server.fake.dribble else [text]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
