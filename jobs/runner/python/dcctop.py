"""Let a Python script hear its dispatcher's cancel, and say how far it is.

One file, for Python 3.7 and later, in plain Python, in Blender and in any
program that embeds Python; nothing but the standard library.

    import dcctop
    dcctop.attach()
    for frame in range(1, 25):
        dcctop.check_dcc_cancelled()      # raises once the job is cancelled
        render(frame)
        dcctop.progress(frame, 24, unit="frame")

As a program it runs an unmodified script so that a cancel reaches it:

    python dcctop.py run SCRIPT
    blender -b FILE --python-exit-code 1 -P dcctop.py -- run SCRIPT

The cancellation names are those of dcc_mcp_core, with the same behaviour. Where
that package can be imported they *are* its own, and attach() installs the job
in it. Where it cannot, importing this file makes ``import dcc_mcp_core`` work
for those names and for skill_entry, skill_success, skill_error and run_main.

Outside a job nothing happens. Inside one there is one thread; it prints nothing,
raises nothing, does not keep the process alive and ends with the job.

DCCTOP_TOKEN stays in the environment: a Python that the script starts may call
attach() too, and is then told of the same cancel and counts as the same job. The
token opens nothing but this one job. A process made by fork or multiprocessing's
fork needs no call: it gets a connection of its own at its first check.
"""

from __future__ import annotations

import _thread
import atexit
import collections.abc
import contextvars
import functools
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import selectors
import socket
import sys
import threading
import time
import traceback
import warnings
from urllib.parse import urlsplit

_PACKAGE = "dcc_mcp_core"
_CANCELLATION = (
    "CancelToken", "CancellationProbe", "CancelledError", "DccMcpCancelledError",
    "JobHandle", "check_cancelled", "check_dcc_cancelled", "current_cancel_token",
    "current_job", "current_job_id", "reset_cancel_token", "reset_current_job",
    "set_cancel_token", "set_current_job",
)
_SKILL = ("run_main", "skill_entry", "skill_error", "skill_exception", "skill_success", "skill_warning")

__all__ = ["attach", "progress"] + list(_CANCELLATION)

# Seconds.
ASK = 1.0        # between two looks at whether the script checks
PACE = 0.1       # between two reports of progress
ANSWER = 5.0     # for the dispatcher to take a connection and to answer a report
SILENCE = 15.0   # without a byte on the stream: it is dead
HEALTHY = 5.0    # a stream that lasted this long was a good one
BACKOFF = (0.2, 10.0)  # longest wait before the first, and before any, new try
RETRY = 1.0      # before a report is tried again
LEAVE = 0.5      # what the end of the process may cost
TRIES = 100      # in a row, about eight minutes: the dispatcher does not come back


# -- the job ------------------------------------------------------------------

_link = None  # this process's _Link, once attached
_attaching = _thread.allocate_lock()


def attach() -> bool:
    """Join the job of this process; False, and nothing else, outside of one.

    May be called again, from any thread: it only makes sure that checks in the
    current context reach the job. A thread has a context of its own, without
    the job, unless it copies one (contextvars.copy_context) or calls this. A
    token that somebody else has installed in the context stays.
    """
    global _link
    with _attaching:
        if _link is None:
            url, token = os.environ.get("DCCTOP_URL"), os.environ.get("DCCTOP_TOKEN")
            if not url or not token:
                return False
            try:
                link = _Link(url, token, os.environ.get("DCCTOP_JOB_ID") or None)
                link.start()
            except (OSError, ValueError, RuntimeError):  # no address, or no thread to be had
                return False
            _link = link
            atexit.register(link.leave)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(before=link.rest, after_in_parent=link.start, after_in_child=link.forked)
            if _adopted is None:
                sys.meta_path.insert(0, _Late())
    _install()
    return True


def progress(current, total=None, message=None, unit=None) -> None:
    """Say how far the script is; each call replaces the one before.

    Never waits: a thread sends the newest, ten times a second at most. Does
    nothing outside a job. A number that is none is a TypeError or ValueError.
    """
    news = {"current": _number("current", current)}
    if total is not None:
        news["total"] = _number("total", total)
    if unit is not None:
        news["unit"] = _text(unit, 32)
    if message is not None:
        news["message"] = _text(message, 1000)
    if _link is not None:
        _link.say(news)


def _number(name, value):
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__") and not hasattr(value, "__index__"):
        raise TypeError("progress: %s must be a number, not %r" % (name, value))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("progress: %s must be a finite number, not %r" % (name, value))
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _text(value, limit):
    return str(value)[:limit].encode("utf-8", "replace").decode("utf-8")  # no half surrogates


def _install():
    """Make the job what checks in the current context ask, unless they ask another."""
    if current_cancel_token() is None:
        set_cancel_token(_link.probe)
    if current_job.get() is None:
        set_current_job(_link.probe)


class _Probe(object):
    """What a check asks: the script's side of the job.

    As long as there is nothing to do, to check is to read a plain attribute.
    When there is, the thread turns the probe into an _Asked one, where the same
    name is a property. (A property for both costs three times as much.)

    There is no lock. The thread sets a flag first and the class last; the check
    sets the class first and reads the flags afterwards. So whatever order the
    two run in, a flag that the check did not read leaves the probe _Asked.
    """

    __slots__ = ("_asked", "_told", "_wake", "job_id", "last", "seen")

    cancelled = False

    def __init__(self, job_id, wake):
        self.job_id = job_id
        self._wake = wake
        self._told = False  # the dispatcher has cancelled the job
        self.forked()

    def forked(self):
        """Forget what another process did."""
        self.last = self.seen = None  # time.monotonic() of the last check, and of the first that saw the cancel
        self.ask()

    def ask(self):
        """Have the next check stamp its time."""
        self._asked = True
        self.__class__ = _Asked

    def cancel(self):
        """Have every check from now on say cancelled."""
        self._told = True
        self.__class__ = _Asked

    def check(self):
        """Raise DccMcpCancelledError once the job is cancelled."""
        if self.cancelled:
            raise DccMcpCancelledError("Request cancelled by client")


class _Asked(_Probe):
    """A probe whose next check has something to do."""

    __slots__ = ()

    @property
    def cancelled(self):
        """Whether the dispatcher has cancelled the job. To read it is a check."""
        self.__class__ = _Probe
        told = self._told
        if told:
            self.__class__ = _Asked
        news = told and self.seen is None
        if self._asked or news:
            self._asked = False
            self.last = time.monotonic()
            if news:
                self.seen = self.last
            self._wake()
        return told


class _Link(object):
    """The thread's side of the job, and the thread's life.

    The thread waits for the stream, an answer and the script at once, so that a
    slow answer never holds up a cancel. It runs while _turn is its own; _ended is
    held from before it starts until it has ended. It is a bare thread: a script
    that joins all of threading.enumerate() must end as it would without us.
    """

    def __init__(self, url, token, job_id):
        self._server = _Server(url, token)
        self._over = False  # not to come back
        self._turn = 0
        self._leaving = None  # time.monotonic() at which the process waits no longer
        self._ear = self._bell = None
        self.probe = _Probe(job_id, self.wake)
        self._begin()

    def _begin(self):
        self._ended = _thread.allocate_lock()
        self._stream = _Stream(self._server, self.probe)
        self._reports = _Reports(self._server, self.probe)
        self._ask_at = 0.0
        self._parted = False  # a fork's child, while it has no thread

    # Called by the script.

    def say(self, news):
        quiet = not self._reports.box  # else the thread knows already
        self._reports.box.append(news)
        if quiet:
            self.wake()

    def wake(self):
        """Have the thread look. Neither waits nor locks: a signal handler may check, too."""
        if self._parted:
            self._parted = False
            self.start()
        try:
            self._bell.send(b"!")
        except (OSError, AttributeError):
            pass  # it was woken often enough, or there is none

    def start(self):
        if self._over:
            return
        before, self._ended = self._ended, _thread.allocate_lock()
        self._ended.acquire()
        try:
            if self._ear is None:
                self._ear, self._bell = socket.socketpair()
                self._ear.setblocking(False)
                self._bell.setblocking(False)
            self._turn += 1
            _thread.start_new_thread(self._run, (self._turn, before, self._ended))
        except (OSError, RuntimeError):
            self._ended = before
            if _link is None:  # attach() answers False
                self._hang_up()
                raise

    def rest(self):
        """Before a fork: no thread, so none that holds a lock in the child."""
        self._turn += 1
        self._stop(1.0)
        if threading.active_count() == 1:  # Python 3.12 and later warn of a fork beside threads, and count ours
            warnings.filterwarnings("ignore", ".*multi-threaded, use of fork", DeprecationWarning)

    def forked(self):
        """In a fork's child: the thread and the connections are the parent's."""
        self._hang_up()
        self._begin()
        self._parted = True
        self.probe.forked()

    def leave(self):
        """At the end of the process: deliver what is pending, but do not wait long."""
        self._leaving = time.monotonic() + LEAVE
        self._stop(LEAVE + 0.2)

    def _stop(self, timeout):
        if self._parted:
            return
        self.wake()
        if self._ended.acquire(True, timeout):
            self._ended.release()

    # The thread's own.

    def _run(self, turn, before, ended):
        with before:  # one at a time
            try:
                while turn == self._turn:
                    self._step()
            except BaseException:  # _Over; and of any other there is nobody to be told
                self._over = True
                self._hang_up()
        ended.release()

    def _step(self):
        now = time.monotonic()
        if now >= self._ask_at:
            self._ask_at = now + ASK
            self.probe.ask()
        leaving = self._leaving is not None
        if not leaving:
            self._stream.keep(now)
        self._reports.send(now, leaving)
        if leaving and (now >= self._leaving or not self._reports.sent):
            raise _Over
        for source in self._wait(now):
            source.hear(time.monotonic())

    def _wait(self, now):
        """Wait until something is due or can be read; what can be read."""
        due = [self._ask_at, self._stream.due, self._reports.due, self._leaving or 0.0]
        if self._reports.box:
            due.append(self._reports.pace)
        with selectors.DefaultSelector() as sources:
            sources.register(self._ear, selectors.EVENT_READ)
            for source in (self._stream, self._reports):
                if source.call is not None:
                    sources.register(source.call.sock, selectors.EVENT_READ, source)
            ready = sources.select(min(at for at in due if at > now) - now)
        try:
            self._ear.recv(4096)
        except OSError:
            pass
        return [key.data for key, _ in ready if key.data is not None]

    def _hang_up(self):
        for end in (self._stream.call, self._reports.call, self._ear, self._bell):
            try:
                if end is not None:
                    end.close()
            except OSError:  # the script has closed what it did not open
                pass
        self._stream.call = self._reports.call = self._ear = self._bell = None


class _Over(Exception):
    """The job is over, or its dispatcher is gone."""


class _Server(object):
    """Where the dispatcher is, the job's key to it, and how to speak with it."""

    def __init__(self, url, token):
        from http.client import HTTPConnection, HTTPException  # 30 ms, for jobs only

        self.connection, self.error = HTTPConnection, HTTPException  # whatever a script does to http.client
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError("DCCTOP_URL must be http://host:port/path")
        self.host, self.port = parts.hostname, parts.port or 80
        self.path = parts.path.rstrip("/")
        self.headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}


class _Stream(object):
    """The stream of cancels, opened again whenever it is cut."""

    def __init__(self, server, probe):
        self._server = server
        self._probe = probe
        self._fails = 0  # in a row
        self._begun = self._heard = 0.0  # the call, and the last byte of it
        self._events = None  # once the answer has begun
        self.call = None
        self.due = 0.0  # not to be opened before

    def keep(self, now):
        """Open it if it is not, and if it is time; cut it if it is dead."""
        if self.call is not None and now - self._heard > SILENCE:
            self._cut(now)
        if self.call is None and now >= self.due:
            self._begun = self._heard = now
            self.call, self._events = _Call(self._server), None
            try:
                self.call.send("GET", "/cancel")
            except OSError:
                self._cut(now)

    def hear(self, now):
        """Read what has come."""
        pause = 0
        try:
            if self._events is None:
                status, pause = self.call.head()
                if status in (401, 410):
                    raise _Over
                if status != 200:
                    raise OSError("no stream: %d" % status)
                self._events = _Events(self.call.chunked())
                data = self.call.read() or b""  # perhaps nothing came after the head
            else:
                data = self.call.read()
                if not data:
                    raise OSError("cut")
            self._heard = now
            for event in self._events.feed(data):
                if event == b"cancel":
                    self._probe.cancel()
                elif event == b"bye":
                    raise _Over
        except (OSError, ValueError):
            self._cut(now, pause)

    def _cut(self, now, pause=0):
        self.call.close()
        self.call = None
        if self._events is not None and now - self._begun > HEALTHY:
            self._fails = 0
        if self._fails == TRIES:
            raise _Over
        first, longest = BACKOFF
        self.due = now + pause + random.uniform(0, min(longest, first * 2 ** min(self._fails, 20)))
        self._fails += 1


class _Reports(object):
    """What the script says and when it checked, one report at a time."""

    def __init__(self, server, probe):
        self._server = server
        self._probe = probe
        self._news = None  # progress that has to be sent again
        self._told = (None, None)  # last check and first that saw the cancel, as the dispatcher has them
        self.box = collections.deque(maxlen=1)  # the newest progress; the script puts, the thread takes
        self.call = None
        self.sent = None  # under way: path, body, checks
        self.due = self.pace = 0.0  # no report, no progress before

    def send(self, now, leaving):
        """Send what is most urgent, if it is time and nothing is under way."""
        seen, last = self._probe.seen, self._probe.last
        urgent = seen is not None and self._told[1] is None
        if self.sent is not None:
            if urgent and self.sent[2][1] is None:
                self._drop()  # it has left; only its answer is not waited for
            elif now >= self._answer_by:
                self._failed(now)
            else:
                return
        if now < self.due and not leaving:
            return
        if urgent or last != self._told[0]:
            body = {"age_ms": _ms(now - last)}
            if seen is not None:
                body["seen_age_ms"] = _ms(now - seen)
            self.sent = ("/checkpoint", body, (last, seen))
        elif now >= self.pace or leaving:
            if self.box:
                self._news = self.box.popleft()
            if self._news is None:
                return
            self.sent, self._news = ("/progress", self._news, self._told), None
            self.pace = now + PACE
        else:
            return
        self._answer_by = now + ANSWER
        try:
            if self.call is None:
                self.call = _Call(self._server)
            self.call.send("POST", self.sent[0], json.dumps(self.sent[1]).encode())
        except OSError:
            self._failed(now)

    def hear(self, now):
        """Read the answer."""
        if self.sent is None:  # the dispatcher has closed an idle connection
            self._drop()
            return
        try:
            status, pause = self.call.head(whole=True)
        except OSError:
            self._failed(now)
            return
        if status in (401, 410):
            raise _Over
        if status == 429 or status >= 500:
            self._failed(now, pause)
            return
        self._told = self.sent[2]  # also when it was refused: the same again would be, too
        self.sent = None
        if self.call.closed():
            self._drop()

    def _failed(self, now, pause=0):
        if self.sent[0] == "/progress":
            self._news = self.sent[1]
        self.due = now + max(pause, RETRY) * random.uniform(1.0, 1.5)
        self._drop()

    def _drop(self):
        self.sent = None
        if self.call is not None:
            self.call.close()
            self.call = None


def _ms(seconds):
    return max(0, int(seconds * 1000))


class _Call(object):
    """A connection, and the request under way on it. What goes wrong is an OSError."""

    def __init__(self, server):
        self._server = server
        self._conn = server.connection(server.host, server.port, timeout=ANSWER)
        self._conn.set_debuglevel(0)  # a script may have set another, for its own
        self._response = None
        self.sock = None

    def send(self, method, path, body=None):
        try:
            self._conn.request(method, self._server.path + path, body, self._server.headers)
        except self._server.error as error:
            raise OSError(str(error))
        self.sock = self._conn.sock

    def head(self, whole=False):
        """The answer's status, and the pause in seconds that it asks for; whole: read it to the end."""
        try:
            self._response = self._conn.getresponse()
            if whole:
                self._response.read()
        except self._server.error as error:
            raise OSError(str(error))
        pause = self._response.getheader("Retry-After", "")
        return self._response.status, min(60, int(pause)) if pause.isdecimal() else 0

    def chunked(self):
        return self._response.chunked

    def read(self):
        """What has come of the answer, as it is on the wire; nothing also at its end."""
        self.sock.setblocking(False)
        return self._response.fp.read1(65536)

    def closed(self):
        """Whether the dispatcher wants a new connection for the next request."""
        return self._conn.sock is None

    def close(self):
        if self._response is not None:
            self._response.close()
        self._conn.close()


class _Events(object):
    """Takes an SSE answer in pieces; gives the names of its events.

    http.client takes chunks apart, too, but waits for their ends.
    """

    def __init__(self, chunked):
        self._chunked = chunked
        self._raw = self._line = self._event = b""
        self._left = 0  # of the current chunk, and of the end of line after it

    def feed(self, data):
        lines = (self._line + (self._unchunk(data) if self._chunked else data)).split(b"\n")
        self._line = lines.pop()
        if len(self._line) + len(self._raw) > 65536:
            raise ValueError("a line without an end")
        for line in lines:
            line = line.rstrip(b"\r")
            if line.startswith(b"event:"):
                self._event = line[6:].strip()
            elif not line:
                if self._event:
                    yield self._event
                self._event = b""

    def _unchunk(self, data):
        self._raw += data
        body = b""
        while self._raw:
            if not self._left:
                size, end, rest = self._raw.partition(b"\r\n")
                if not end:
                    break
                self._left, self._raw = int(size.split(b";")[0], 16) + 2, rest
                if self._left <= 2:
                    raise ValueError("the stream has ended")
            piece = self._raw[:self._left]
            self._raw = self._raw[len(piece):]
            self._left -= len(piece)
            body += piece[:len(piece) - max(0, 2 - self._left)]
        return body


# -- dcc_mcp_core where it is not installed: cancellation ------------------------

try:
    from typing import Protocol, runtime_checkable
except ImportError:  # Python 3.7

    class _Shape(type):
        def __instancecheck__(cls, instance):
            if cls.__dict__.get("_members") is None:
                return type.__instancecheck__(cls, instance)
            return all(hasattr(instance, name) for name in cls._members)

        def __call__(cls, *args, **kwargs):
            if cls.__dict__.get("_members") is not None:
                raise TypeError("Protocols cannot be instantiated")
            return type.__call__(cls, *args, **kwargs)

    Protocol = _Shape("Protocol", (), {})

    def runtime_checkable(cls):
        cls._members = [name for name in vars(cls) if not name.startswith("_")]
        return cls


class DccMcpError(Exception):
    """Base of the errors of dcc_mcp_core."""

    __module__ = "dcc_mcp_core.errors"  # what a traceback shows and a pickle looks for


class DccMcpCancelledError(DccMcpError):
    """The job is cancelled. Raised by the checks; a plain Exception, so skill_entry turns it into a result."""

    __module__ = "dcc_mcp_core.cancellation"


CancelledError = DccMcpCancelledError  # the deprecated name


@runtime_checkable
class CancellationProbe(Protocol):
    """What running code may ask of its request."""

    @property
    def cancelled(self) -> bool:
        """Whether the owner has cancelled it."""

    @property
    def job_id(self) -> str | None:
        """The server's id of the job, where it has one."""

    def check(self) -> None:
        """Raise DccMcpCancelledError once it is cancelled."""


@runtime_checkable
class JobHandle(Protocol):
    """What a host's dispatcher publishes of a job; only this attribute is promised."""

    @property
    def cancelled(self) -> bool:
        """Whether the dispatcher has cancelled the job."""


class CancelToken(object):
    """A flag that a dispatcher sets, from any thread and for good."""

    __slots__ = ("_cancelled", "_job_id")

    def __init__(self, job_id=None):
        self._cancelled = False
        self._job_id = job_id or None

    def cancel(self) -> None:
        """Set the flag; again is the same as once."""
        self._cancelled = True

    @property
    def cancelled(self) -> bool:
        """Whether cancel() was called."""
        return self._cancelled

    @property
    def job_id(self) -> str | None:
        """The id given to the constructor; None for none or an empty one."""
        return self._job_id

    def check(self) -> None:
        """Raise DccMcpCancelledError once the flag is set."""
        if self._cancelled:
            raise DccMcpCancelledError("Request cancelled by client")

    def __bool__(self) -> bool:
        return self._cancelled

    def __repr__(self) -> str:
        return "CancelToken(cancelled=%s)" % self._cancelled


_token = contextvars.ContextVar("dcc_mcp_core_cancel_token", default=None)
current_job = contextvars.ContextVar("dcc_mcp_core_current_job", default=None)


def set_cancel_token(token):
    """For dispatchers: the token of this context, None for none. Returns what reset_cancel_token takes."""
    return _token.set(token)


def reset_cancel_token(reset) -> None:
    """Bring back the token that was there before."""
    _token.reset(reset)


def current_cancel_token():
    """The token of this context, read-only to a script, or None."""
    return _token.get()


def set_current_job(job):
    """For dispatchers: the job handle of this context, None for none. Returns what reset_current_job takes."""
    return current_job.set(job)


def reset_current_job(reset) -> None:
    """Bring back the handle that was there before."""
    current_job.reset(reset)


def current_job_id() -> str | None:
    """The id that the dispatcher gave the job of this context, or None."""
    for owner in (current_cancel_token(), current_job.get()):
        job_id = getattr(owner, "job_id", None)
        if isinstance(job_id, str) and job_id:
            return job_id
    return None


def check_cancelled() -> None:
    """Raise DccMcpCancelledError if the token of this context is cancelled."""
    token = _token.get()
    if token is not None and token.cancelled:
        raise DccMcpCancelledError("Request cancelled by client")


def check_dcc_cancelled() -> None:
    """The same, and for the job handle of this context as well; the token is asked first."""
    check_cancelled()
    job = current_job.get()
    if job is not None and job.cancelled:
        raise DccMcpCancelledError("Job cancelled by dispatcher")


# -- dcc_mcp_core where it is not installed: skill scripts -----------------------

_FIELDS = (  # of a result, in the order in which they are judged
    ("success", bool, "a bool"),
    ("message", str, "a string"),
    ("error", (str, type(None)), "a string or None"),
    ("prompt", (str, type(None)), "a string or None"),
    ("context", (collections.abc.Mapping, type(None)), "a mapping or None"),
    ("_meta", (collections.abc.Mapping, type(None)), "a mapping or None"),
    ("postcondition", (collections.abc.Mapping, type(None)), "a mapping or None"),
)
_RETRY_HINT = "Check the error details and try again."


def _result(success, message="", error=None, prompt=None, context=None, _meta=None, postcondition=None):
    fields = locals()
    for name, kind, wanted in _FIELDS:
        if not isinstance(fields[name], kind):
            raise TypeError("'%s' field must be %s" % (name, wanted))
    if not isinstance((postcondition or {}).get("verified", True), bool):
        raise TypeError("'postcondition.verified' field must be a bool")
    result = {"success": success, "message": message, "error": error, "prompt": prompt, "context": dict(context or {})}
    if postcondition is not None:
        result["postcondition"] = dict(postcondition)
    if _meta:
        result["_meta"] = dict(_meta)
    return result


def skill_success(message, *, prompt=None, postcondition=None, verified=None, _meta=None, **context):
    """A result that says it worked; context is what the tool found or made."""
    if verified is not None:
        postcondition = dict(postcondition or {})
        known = postcondition.setdefault("verified", verified)
        if isinstance(known, bool):  # _result() refuses another
            if known != verified:
                raise ValueError("'verified' conflicts with postcondition verification evidence")
            postcondition["verified"] = verified
    return _result(True, message, None, prompt, context, dict(_meta or {}), postcondition)


def skill_warning(message, *, warning="", prompt=None, _meta=None, **context):
    """A result that says it worked, but."""
    return _result(True, message, None, prompt, dict(context, warning=warning), dict(_meta or {}))


def skill_error(message, error, *, prompt=None, possible_solutions=None, _meta=None, **context):
    """A result that says it failed; error is a stable code for programs."""
    if possible_solutions:
        context.setdefault("possible_solutions", possible_solutions)
    return _result(False, message, error, prompt or _RETRY_HINT, context, dict(_meta or {}))


def skill_exception(
    exc, *, message=None, prompt=None, include_traceback=True, possible_solutions=None, _meta=None, **context
):
    """A result that says an exception ended it; its type's name is the code."""
    details = {"type": type(exc).__name__, "message": str(exc)}
    if include_traceback:
        details["traceback"] = "".join(traceback.format_exception(type(exc), exc, exc.__traceback__))
        context["traceback"] = details["traceback"]
    context["error_type"] = details["type"]
    _meta = dict(_meta or {}, **{"dcc.error": details})
    return skill_error(message or "Error: %s" % exc, details["type"], prompt=prompt,
                       possible_solutions=possible_solutions, _meta=_meta, **context)


def skill_entry(func):
    """Decorate the function of a skill: whatever it raises becomes a result."""

    @functools.wraps(func)
    def wrapper(**params):
        try:
            return func(**params)
        except ImportError as exc:
            dcc = _missing_dcc(exc)
            return skill_error("%s is not available in this environment" % dcc, "import_error", _meta=_details(exc),
                               prompt="Ensure %s is running and the plugin is loaded." % dcc)
        except Exception as exc:
            return skill_exception(exc)
        except BaseException as exc:
            return skill_error("Skill execution was interrupted", "interrupted", _meta=_details(exc),
                               prompt="The skill was forcibly stopped; retry if needed.")

    wrapper._is_skill_entry = True
    return wrapper


def _details(exc):
    return {"dcc.error": {"type": type(exc).__name__, "message": str(exc)}}


def _missing_dcc(exc):
    labels = {"maya": "Maya", "houdini": "Houdini", "nuke": "Nuke", "blender": "Blender", "cinema4d": "Cinema 4D",
              "c4d": "Cinema 4D", "3dsmax": "3ds Max", "unreal": "Unreal", "unity": "Unity",
              "photoshop": "Photoshop", "zbrush": "ZBrush", "figma": "Figma"}
    if exc.name:
        package = exc.name.split(".")[0].lower()
        return labels.get(package, package)
    text = str(exc).lower()
    return next((label for word, label in labels.items() if word in text), "DCC")


def run_main(main_fn, argv=None):
    """Call a skill's function with the JSON object on stdin, print its result as one line, exit 0 or 1."""
    try:
        params = {}
        if not sys.stdin.isatty():
            try:
                text = sys.stdin.read()
            except (OSError, ValueError):
                text = ""
            if text.strip():
                params = json.loads(text)
                if not isinstance(params, dict):
                    raise TypeError("Skill stdin payload must be a JSON object")
        result = main_fn(**params)
    except Exception as exc:
        result = skill_exception(exc)
    line, success = _line(result)
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
    sys.exit(0 if success else 1)


def _line(result):
    """A result as run_main prints it, and whether it is a success."""
    try:
        if not isinstance(result, collections.abc.Mapping):
            raise TypeError("tool result envelope must be a mapping")
        known = {name: result[name] for name, _, _ in _FIELDS if name in result}
        known.setdefault("success", None)
        full = _result(**known)
        full["context"].update((name, result[name]) for name in result if name not in known)
    except (TypeError, ValueError) as exc:
        full = _result(False, "Failed to normalize result", "invalid_result_envelope", _meta=_details(exc))
    printed = {name: value for name, value in full.items() if value is not None or name not in ("error", "prompt")}
    try:
        return _json(printed), full["success"]
    except (TypeError, ValueError) as exc:
        full = _result(False, "Failed to serialize result", "non_serializable_result", _meta=_details(exc))
        return _json(full), False


def _json(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


# -- which dcc_mcp_core ---------------------------------------------------------

_adopted = None  # the installed package's cancellation module, once there is one


def _adopt(module):
    """Use the installed package's names in place of ours, and bring the job into it."""
    global _adopted
    _adopted = module
    globals().update((name, getattr(module, name)) for name in _CANCELLATION if hasattr(module, name))
    if _link is not None:
        _install()


class _Late(object):
    """Stands first on sys.meta_path while no installed package is known.

    A script may come upon one later, on a path that it adds itself; its checks
    are then the ones that have to be told.
    """

    def find_spec(self, name, path=None, target=None):
        if name != _PACKAGE + ".cancellation" or _stands_in():
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find and find(name, path, target)
            if spec is not None:
                self._follow(spec.loader)
                return spec
        return None

    def _follow(self, loader):
        def exec_module(module):
            load(module)
            _adopt(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)

        try:
            load, loader.exec_module = loader.exec_module, exec_module
        except AttributeError:  # not a loader of the standard library's kind: it is left alone
            pass


def _stands_in():
    return isinstance(getattr(sys.modules.get(_PACKAGE), "__loader__", None), _StandIn)


class _StandIn(object):
    """Finds our names as dcc_mcp_core. Last on sys.meta_path: an installed package wins."""

    _names = {
        _PACKAGE: _CANCELLATION + _SKILL + ("DccMcpError",),
        _PACKAGE + ".cancellation": _CANCELLATION,
        _PACKAGE + ".errors": ("DccMcpError",),
        _PACKAGE + ".skill": _SKILL,
    }

    def find_spec(self, name, path=None, target=None):
        if name not in self._names or name != _PACKAGE and not _stands_in():
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=__file__, is_package=name == _PACKAGE)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        names = self._names[module.__name__]
        module.__all__ = list(names)
        module.__doc__ = "dcctop's stand-in for a package that is not installed here."
        module.__dict__.update((name, globals()[name]) for name in names)


def _look_for_package():
    """Adopt the package if it can be imported now, and stand in for it otherwise."""
    try:
        import dcc_mcp_core.cancellation as module
    except Exception:
        sys.meta_path.append(_StandIn())
    else:
        _adopt(module)


# -- the program ----------------------------------------------------------------


def _refuse(why):
    sys.stderr.write(why + "\n")
    sys.exit(2)


def _main(argv):
    """Run a script as Python would, with a cancel that reaches it."""
    if os.path.basename(argv[0]) == os.path.basename(__file__):
        args = argv[1:]
    else:  # another program's command line, Blender's: ours is what comes after --
        args = argv[argv.index("--") + 1:] if "--" in argv else []
    if len(args) < 2 or args[0] != "run":
        _refuse(
            "usage: python dcctop.py run SCRIPT\n"
            "       blender -b FILE --python-exit-code 1 -P dcctop.py -- run SCRIPT"
        )
    script = args[1]
    if not os.path.exists(script):
        _refuse("dcctop.py: there is no script %s" % os.path.abspath(script))
    folder = os.path.dirname(os.path.realpath(script))
    if sys.path and os.path.realpath(sys.path[0]) == os.path.dirname(os.path.realpath(__file__)):
        sys.path[0] = folder
    else:
        sys.path.insert(0, folder)
    sys.argv = args[1:]
    _module().attach()
    import runpy

    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit:
        raise
    except BaseException:
        shown, ours = sys.excepthook, (globals(), vars(runpy))

        def without_us(kind, error, trace):
            while trace is not None and any(trace.tb_frame.f_globals is own for own in ours):
                trace = trace.tb_next
            shown(kind, error.with_traceback(trace), trace)

        sys.excepthook = without_us
        raise


def _module():
    """This file once more, under its own name: the one that the script's "import dcctop" finds.

    Not this module itself, because Blender frees what it ran when the script is over.
    """
    spec = importlib.util.spec_from_file_location("dcctop", __file__)
    sys.modules["dcctop"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    _main(sys.argv)
else:
    _look_for_package()
