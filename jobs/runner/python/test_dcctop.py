"""Tests of dcctop.py: python test_dcctop.py, with the interpreter to be tested.

They test one form at a time. Where dcc_mcp_core is installed, the names are its
own; with python -S, which hides what is installed, they are dcctop's. The
environment variable DCCTOP_TEST_FORM (real or embedded) says which one is
expected, so that a run which tests another than it was meant to fails.
"""

import asyncio
import contextvars
import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
MODULE = os.path.join(HERE, "dcctop.py")
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

REAL = importlib.util.find_spec("dcc_mcp_core") is not None

import dcctop  # noqa: E402
from fake_dispatcher import WAIT, FakeDispatcher  # noqa: E402

PYTHON = [sys.executable, "-B"] + (["-S"] if sys.flags.no_site else [])
FORKS = hasattr(os, "fork")
NAMES = dcctop._CANCELLATION


class Names(unittest.TestCase):
    """What dcc_mcp_core's cancellation module promises, and does."""

    def setUp(self):
        for reset, value in ((dcctop.reset_cancel_token, dcctop.set_cancel_token(None)),
                             (dcctop.reset_current_job, dcctop.set_current_job(None))):
            self.addCleanup(reset, value)

    def assert_cancelled(self, message, check):
        with self.assertRaises(dcctop.DccMcpCancelledError) as caught:
            check()
        self.assertEqual(str(caught.exception), message)

    def test_the_form_is_the_expected_one(self):
        form = "real" if REAL else "embedded"
        self.assertEqual(form, os.environ.get("DCCTOP_TEST_FORM", form))
        self.assertEqual(REAL, dcctop.check_cancelled.__module__ == "dcc_mcp_core.cancellation")

    def test_both_imports_give_the_same_objects(self):
        import dcc_mcp_core
        import dcc_mcp_core.cancellation
        self.assertEqual(len(NAMES), 14)
        for name in NAMES:
            self.assertIs(getattr(dcc_mcp_core, name), getattr(dcctop, name), name)
            self.assertIs(getattr(dcc_mcp_core.cancellation, name), getattr(dcctop, name), name)
        self.assertLessEqual({"skill_entry", "skill_success", "skill_error", "run_main"}, set(dir(dcc_mcp_core)))
        self.assertTrue(issubclass(dcctop.DccMcpCancelledError, dcc_mcp_core.DccMcpError))

    def test_outside_a_request_a_check_does_nothing(self):
        self.assertIsNone(dcctop.check_cancelled())
        self.assertIsNone(dcctop.check_dcc_cancelled())
        self.assertIsNone(dcctop.current_cancel_token())
        self.assertIsNone(dcctop.current_job_id())
        self.assertIsNone(dcctop.current_job.get())

    def test_a_live_token_lets_a_check_pass_and_a_cancelled_one_does_not(self):
        token = dcctop.CancelToken()
        dcctop.set_cancel_token(token)
        dcctop.check_cancelled()
        token.cancel()
        self.assert_cancelled("Request cancelled by client", dcctop.check_cancelled)
        self.assert_cancelled("Request cancelled by client", dcctop.check_cancelled)

    def test_nested_tokens_come_back_in_order(self):
        outer, inner = dcctop.CancelToken("outer"), dcctop.CancelToken("inner")
        first = dcctop.set_cancel_token(outer)
        second = dcctop.set_cancel_token(inner)
        outer.cancel()
        dcctop.check_cancelled()  # the outer one is not asked
        dcctop.reset_cancel_token(second)
        self.assertIs(dcctop.current_cancel_token(), outer)
        self.assert_cancelled("Request cancelled by client", dcctop.check_cancelled)
        dcctop.reset_cancel_token(first)
        self.assertIsNone(dcctop.current_cancel_token())

    def test_an_explicit_none_clears_an_inherited_token(self):
        token = dcctop.CancelToken("t")
        token.cancel()
        dcctop.set_cancel_token(token)
        reset = dcctop.set_cancel_token(None)
        dcctop.check_cancelled()
        self.assertIsNone(dcctop.current_cancel_token())
        self.assertIsNone(dcctop.current_job_id())
        dcctop.reset_cancel_token(reset)
        self.assertIs(dcctop.current_cancel_token(), token)

    def test_resets_out_of_order_restore_what_each_replaced(self):
        one, two = dcctop.CancelToken(), dcctop.CancelToken()
        first = dcctop.set_cancel_token(one)
        second = dcctop.set_cancel_token(two)
        dcctop.reset_cancel_token(first)
        self.assertIsNone(dcctop.current_cancel_token())
        dcctop.reset_cancel_token(second)
        self.assertIs(dcctop.current_cancel_token(), one)
        with self.assertRaises(RuntimeError):
            dcctop.reset_cancel_token(second)
        with self.assertRaises(ValueError):
            dcctop.reset_current_job(dcctop.set_cancel_token(one))

    def test_contexts_do_not_leak_into_each_other(self):
        def inside():
            token = dcctop.CancelToken()
            token.cancel()
            dcctop.set_cancel_token(token)
            dcctop.set_current_job(token)
            self.assert_cancelled("Request cancelled by client", dcctop.check_cancelled)

        contextvars.copy_context().run(inside)
        dcctop.check_dcc_cancelled()
        self.assertIsNone(dcctop.current_job.get())

    def test_tasks_do_not_leak_into_each_other(self):
        async def one(cancelled):
            token = dcctop.CancelToken()
            dcctop.set_cancel_token(token)
            if cancelled:
                token.cancel()
            await asyncio.sleep(0)
            try:
                dcctop.check_cancelled()
            except dcctop.DccMcpCancelledError:
                return True
            return False

        async def both():
            return await asyncio.gather(one(True), one(False))

        self.assertEqual(asyncio.run(both()), [True, False])

    def test_a_thread_has_no_token_unless_it_copies_the_context(self):
        token = dcctop.CancelToken("t")
        dcctop.set_cancel_token(token)
        dcctop.set_current_job(token)
        seen = []
        look = lambda: seen.append((dcctop.current_cancel_token(), dcctop.current_job.get()))  # noqa: E731
        context = contextvars.copy_context()
        for target in (look, lambda: context.run(look)):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
        self.assertEqual(seen, [(None, None), (token, token)])

    def test_the_token_is_asked_before_the_job(self):
        token, job = dcctop.CancelToken(), dcctop.CancelToken()
        dcctop.set_cancel_token(token)
        dcctop.set_current_job(job)
        dcctop.check_dcc_cancelled()
        job.cancel()
        dcctop.check_cancelled()  # asks the token only
        self.assert_cancelled("Job cancelled by dispatcher", dcctop.check_dcc_cancelled)
        token.cancel()
        self.assert_cancelled("Request cancelled by client", dcctop.check_dcc_cancelled)

    def test_a_job_needs_no_more_than_the_one_attribute(self):
        class Handle(object):
            cancelled = True

        dcctop.set_current_job(Handle())
        self.assert_cancelled("Job cancelled by dispatcher", dcctop.check_dcc_cancelled)
        self.assertIsNone(dcctop.current_job_id())

    def test_the_id_is_the_tokens_or_else_the_jobs(self):
        dcctop.set_current_job(dcctop.CancelToken("job"))
        self.assertEqual(dcctop.current_job_id(), "job")
        for token, want in (("token", "token"), ("", "job"), (None, "job"), (42, "job")):
            dcctop.set_cancel_token(dcctop.CancelToken(token))
            self.assertEqual(dcctop.current_job_id(), want, token)

    def test_the_alias_is_the_error_and_the_error_is_a_plain_one(self):
        self.assertIs(dcctop.CancelledError, dcctop.DccMcpCancelledError)
        self.assertTrue(issubclass(dcctop.DccMcpCancelledError, Exception))
        self.assertFalse(issubclass(dcctop.DccMcpCancelledError, asyncio.CancelledError))
        self.assertEqual(dcctop.DccMcpCancelledError.__module__, "dcc_mcp_core.cancellation")
        self.assertEqual(dcctop.DccMcpCancelledError.__bases__[0].__module__, "dcc_mcp_core.errors")

    def test_a_token_is_set_once_and_for_good(self):
        token = dcctop.CancelToken("job-42")
        self.assertEqual((token.cancelled, token.job_id, bool(token), repr(token)),
                         (False, "job-42", False, "CancelToken(cancelled=False)"))
        self.assertIsNone(token.check())
        token.cancel()
        token.cancel()
        self.assertEqual((token.cancelled, bool(token), repr(token)), (True, True, "CancelToken(cancelled=True)"))
        self.assert_cancelled("Request cancelled by client", token.check)
        self.assertIsNone(dcctop.CancelToken("").job_id)
        self.assertIsNone(dcctop.CancelToken().job_id)
        for name in ("cancelled", "job_id"):
            with self.assertRaises(AttributeError):
                setattr(token, name, None)

    def test_protocols_look_at_the_shape(self):
        class Handle(object):
            cancelled = False

        class Mine(dcctop.JobHandle):
            cancelled = False

        probe = dcctop._Probe("job-1", lambda: None)
        for thing, is_job, is_probe in ((object(), False, False), (Handle(), True, False), (Mine(), True, False),
                                        (dcctop.CancelToken(), True, True), (probe, True, True)):
            self.assertEqual(isinstance(thing, dcctop.JobHandle), is_job, thing)
            self.assertEqual(isinstance(thing, dcctop.CancellationProbe), is_probe, thing)
        self.assertNotIsInstance(Handle(), Mine)
        for protocol in (dcctop.JobHandle, dcctop.CancellationProbe):
            with self.assertRaises(TypeError):
                protocol()


class Probe(unittest.TestCase):
    """The flag that a check reads."""

    def setUp(self):
        self.woken = []
        self.probe = dcctop._Probe("job-1", lambda: self.woken.append(1))

    def test_only_the_first_check_after_an_ask_does_more_than_read_a_flag(self):
        for asks in (1, 2, 3):
            for _ in range(1000):
                self.assertIs(self.probe.cancelled, False)
            self.assertEqual(len(self.woken), asks)
            self.assertLessEqual(self.probe.last, time.monotonic())
            self.probe.ask()

    def test_every_check_after_the_cancel_says_so_and_the_first_is_noted_at_once(self):
        self.assertFalse(self.probe.cancelled)
        self.probe.cancel()
        self.assertIsNone(self.probe.seen)
        for _ in range(1000):
            self.assertIs(self.probe.cancelled, True)
        self.assertEqual(len(self.woken), 2)
        self.assertEqual(self.probe.seen, self.probe.last)
        first = self.probe.seen
        self.probe.ask()
        self.assertIs(self.probe.cancelled, True)
        self.assertEqual(self.probe.seen, first)
        self.assertGreaterEqual(self.probe.last, first)
        with self.assertRaises(dcctop.DccMcpCancelledError):
            self.probe.check()

    def test_no_cancel_is_lost_in_a_crossing_with_a_check(self):
        for turn in range(300):
            probe = dcctop._Probe("job-1", lambda: None)
            go, seen = threading.Barrier(2), threading.Event()

            def check():
                go.wait()
                end = time.monotonic() + WAIT
                while not probe.cancelled and time.monotonic() < end:
                    pass
                if probe.cancelled:
                    seen.set()

            checking = threading.Thread(target=check)
            checking.start()
            go.wait()
            for _ in range(turn % 7):
                probe.ask()
            probe.cancel()
            checking.join()
            self.assertTrue(seen.is_set(), turn)


class Wire(unittest.TestCase):
    """What comes on the stream."""

    TEXT = b": hello\n\nevent: cancel\ndata: {\"by\": \"ann\"}\n\n: ping\n\nevent: x\r\ndata: 1\r\n\r\ndata: 2\n\nevent: bye\n\n"

    def feed(self, chunked, pieces):
        events = dcctop._Events(chunked)
        return [name for piece in pieces for name in events.feed(piece)]

    def test_events_are_read_wherever_the_pieces_are_cut(self):
        whole = b"".join(b"%X;ext=1\r\n%s\r\n" % (len(part), part) for part in (self.TEXT[:20], self.TEXT[20:21], self.TEXT[21:]))
        for chunked, text in ((False, self.TEXT), (True, whole)):
            for cut in range(len(text) + 1):
                for again in range(cut, len(text) + 1, 7):
                    got = self.feed(chunked, [text[:cut], text[cut:again], text[again:]])
                    self.assertEqual(got, [b"cancel", b"x", b"bye"], (chunked, cut, again))
            self.assertEqual(self.feed(chunked, [text[i:i + 1] for i in range(len(text))]), [b"cancel", b"x", b"bye"])

    def test_an_event_that_was_cut_off_is_none(self):
        self.assertEqual(self.feed(False, [b"event: cancel\ndata: {}\n"]), [])

    def test_what_is_no_stream_is_an_error(self):
        for chunked, text in ((True, b"zz\r\n"), (True, b"0\r\n\r\n"), (True, b"-4\r\n"), (False, b"x" * 70000), (True, b"1" * 70000)):
            with self.assertRaises(ValueError, msg=text[:9]):
                self.feed(chunked, [text])


class Numbers(unittest.TestCase):
    """What progress takes."""

    def test_a_number_that_is_none_is_named(self):
        for value, error in (("3", TypeError), (None, TypeError), (b"3", TypeError), ([], TypeError),
                             (math.nan, ValueError), (math.inf, ValueError), (10 ** 400, ValueError)):
            with self.assertRaisesRegex(error, "current must be a"):
                dcctop.progress(value)
            if value is not None:
                with self.assertRaisesRegex(error, "total must be a"):
                    dcctop.progress(1, value)

    def test_outside_a_job_it_does_nothing(self):
        self.assertIsNone(dcctop.progress(1, 2, "x", "frame"))


class Case(unittest.TestCase):
    """Scripts in processes of their own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, True)

    def write(self, source, name="script.py"):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(source))
        return path

    def start(self, command, output=subprocess.PIPE, **environment):
        env = {name: value for name, value in os.environ.items() if not name.startswith("DCCTOP_")}
        env.update(environment, PYTHONIOENCODING="utf-8")
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.PIPE,
                                   env=env, cwd=self.folder, universal_newlines=True, encoding="utf-8")
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()

    @staticmethod
    def finish(process, stdin=None):
        out, err = process.communicate(stdin, timeout=WAIT)
        return process.returncode, out, err

    def run_plain(self, script, *flags, stdin=""):
        return self.finish(self.start(PYTHON + list(flags) + [script]), stdin)

    def run_script(self, script, *flags, stdin="", python=None, **environment):
        return self.finish(self.start((python or PYTHON) + list(flags) + [MODULE, "run", script], **environment), stdin)


class JobCase(Case):
    """Scripts that run as a job of a fake dispatcher."""

    def setUp(self):
        super().setUp()
        self.fake = FakeDispatcher()
        self.fake.__enter__()
        self.addCleanup(self.fake.gone)
        self.addCleanup(lambda: self.assertEqual(self.fake.wrong, []))

    def job(self, source, *flags, **environment):
        """Starts an unmodified script as a job."""
        script = self.write(source)
        return self.start(PYTHON + list(flags) + [MODULE, "run", script], **dict(self.fake.environment, **environment))

    def attached(self):
        self.fake.wait("the stream", lambda fake: fake.streams)

    def ends(self, process, code=0, out="", err="", stdin=None):
        got = self.finish(process, stdin)
        self.assertEqual(got, (code, out, err))

    def checked(self, more=1):
        """Waits for reports of checks that are yet to come."""
        have = len(self.fake.said("checkpoint"))
        self.fake.wait("a checkpoint", lambda fake: len(fake.said("checkpoint")) >= have + more)


class Job(JobCase):
    """A script that runs as a job."""

    LOOP = """
        import time
        from dcc_mcp_core import {check}
        print("begun", flush=True)
        while True:
            {check}()
            time.sleep(0.01)
        """

    def test_a_skill_that_knows_nothing_of_dcctop_is_stopped(self):
        process = self.job("""
            import time
            from dcc_mcp_core import check_dcc_cancelled, current_job_id
            from dcc_mcp_core.skill import run_main, skill_entry, skill_success

            @skill_entry
            def main(delay=1.0, **_):
                while current_job_id() == "job-1":
                    check_dcc_cancelled()
                    time.sleep(delay)
                return skill_success("counted")

            if __name__ == "__main__":
                run_main(main)
            """)
        process.stdin.write('{"delay": 0.01}')
        process.stdin.close()
        process.stdin = open(os.devnull)
        self.checked(2)
        self.fake.cancel()
        code, out, err = self.finish(process)
        result = json.loads(out)
        self.assertEqual((code, err, result["success"], result["error"], result["message"]),
                         (1, "", False, "DccMcpCancelledError", "Error: Request cancelled by client"))
        seen = [body for body in self.fake.said("checkpoint") if "seen_age_ms" in body]
        self.assertTrue(seen)

    def test_each_check_sees_the_cancel(self):
        for check in ("check_cancelled", "check_dcc_cancelled"):
            process = self.job(self.LOOP.format(check=check))
            self.checked()
            self.fake.cancel()
            code, out, err = self.finish(process)
            self.assertEqual((code, out), (1, "begun\n"))
            self.assertTrue(err.endswith("dcc_mcp_core.cancellation.DccMcpCancelledError: Request cancelled by client\n"), err)
            self.fake._events.clear()

    def test_seen_is_told_at_once_and_again_with_every_report_after(self):
        process = self.job("""
            import time, dcctop
            while True:
                try:
                    dcctop.check_cancelled()
                except dcctop.DccMcpCancelledError:
                    pass
                time.sleep(0.01)
            """)
        self.checked()
        self.assertFalse([body for body in self.fake.said("checkpoint") if "seen_age_ms" in body])
        self.fake.cancel()
        self.fake.wait("seen", lambda fake: [body for body in fake.said("checkpoint") if "seen_age_ms" in body])
        self.checked(2)
        process.kill()
        bodies = [body for body in self.fake.said("checkpoint") if "seen_age_ms" in body]
        ages = [body["seen_age_ms"] for body in bodies]
        self.assertEqual(ages, sorted(ages))
        self.assertGreater(ages[-1], ages[0])
        for body in bodies:
            self.assertGreaterEqual(body["seen_age_ms"], body["age_ms"])

    def test_a_job_that_was_cancelled_before_it_attached_is_stopped(self):
        self.fake.cancel()
        code, _, err = self.finish(self.job(self.LOOP.format(check="check_cancelled")))
        self.assertEqual((code, err.splitlines()[-1].split(":")[0]), (1, "dcc_mcp_core.cancellation.DccMcpCancelledError"))

    def test_a_worker_thread_that_copies_the_context_is_stopped(self):
        process = self.job("""
            import contextvars, threading, time
            from dcc_mcp_core import DccMcpCancelledError, check_dcc_cancelled

            def work():
                try:
                    while True:
                        check_dcc_cancelled()
                        time.sleep(0.01)
                except DccMcpCancelledError:
                    print("stopped", flush=True)

            thread = threading.Thread(target=contextvars.copy_context().run, args=(work,))
            thread.start()
            thread.join()
            """)
        self.checked()
        self.fake.cancel()
        self.ends(process, out="stopped\n")

    def test_a_worker_thread_that_attaches_is_stopped(self):
        process = self.job("""
            import threading, time, dcctop

            def work():
                print(dcctop.current_job_id(), dcctop.attach(), dcctop.current_job_id(), flush=True)
                while not dcctop.current_cancel_token().cancelled:
                    time.sleep(0.01)

            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            """)
        self.checked()
        self.fake.cancel()
        self.ends(process, out="None True job-1\n")
        self.assertEqual(self.fake.streams, 1)

    def test_a_check_is_reported_about_once_a_second(self):
        process = self.job(self.LOOP.format(check="check_cancelled"))
        self.checked(4)
        process.kill()
        with self.fake.changed:
            posts = [(body, at) for kind, body, at in self.fake.posts if kind == "checkpoint"]
        for body, _ in posts:
            self.assertEqual(list(body), ["age_ms"])
        whole = posts[-1][1] - posts[0][1]
        self.assertGreater(whole, 0.5 * (len(posts) - 1))

    def test_a_deaf_script_reports_no_check(self):
        process = self.job("""
            import sys
            sys.stdin.readline()
            """)
        self.attached()
        self.fake.wait("some pings", lambda fake: fake.pings > 12)
        self.ends(process, stdin="\n")
        self.assertEqual(self.fake.posts, [])

    def test_a_short_script_delivers_its_last_progress(self):
        self.ends(self.job("""
            import dcctop
            dcctop.LEAVE = 30  # the machine may be busy
            for i in range(1, 25):
                dcctop.progress(i, 24, "frame %d" % i, "frame")
            """))
        self.assertEqual(self.fake.said("progress")[-1], {"current": 24, "total": 24, "message": "frame 24", "unit": "frame"})

    def test_progress_in_a_tight_loop_is_merged(self):
        process = self.job("""
            import time, dcctop
            dcctop.LEAVE = 30
            begun, n = time.monotonic(), 0
            while time.monotonic() < begun + 2:
                n += 1
                dcctop.progress(n)
            print(n, time.monotonic() - begun)
            """)
        code, out, err = self.finish(process)
        self.assertEqual((code, err), (0, ""))
        said = [body["current"] for body in self.fake.said("progress")]
        self.assertEqual(said, sorted(said))
        calls, seconds = int(out.split()[0]), float(out.split()[1])
        self.assertEqual(said[-1], calls)
        self.assertGreater(calls, 10 * len(said))
        self.assertLessEqual(len(said), seconds * 10 + 3)
        self.assertGreater(len(said), 1)

    def test_odd_text_and_numbers_arrive(self):
        self.ends(self.job(r"""
            import dcctop, fractions
            dcctop.LEAVE = 30
            dcctop.progress(fractions.Fraction(1, 4), 1, message="é渲\ud800" + "x" * 5000, unit="u" * 100)
            """))
        body = self.fake.said("progress")[-1]
        self.assertEqual((body["current"], body["total"], body["message"][:4], len(body["message"]), len(body["unit"])),
                         (0.25, 1, "é渲?x", 1000, 32))

    def test_a_cut_stream_comes_back_and_nothing_is_lost(self):
        process = self.job(self.LOOP.format(check="check_cancelled"))
        self.attached()
        for turn in range(2, 5):
            self.fake.cut()
            self.fake.wait("stream %d" % turn, lambda fake: fake.streams == turn)
        self.fake.cut()
        self.fake.cancel()
        self.assertEqual(self.finish(process)[0], 1)

    def test_a_stream_in_single_bytes_is_read(self):
        self.fake.set(dribble=True)
        process = self.job(self.LOOP.format(check="check_cancelled"))
        self.checked()
        self.fake.cancel()
        self.assertEqual(self.finish(process)[0], 1)

    def test_a_silent_stream_is_given_up_for_a_new_one(self):
        self.fake.set(ping=None)
        process = self.job("""
            import sys, dcctop
            dcctop.SILENCE = 0.5
            sys.stdin.readline()
            """)
        self.fake.wait("a new stream", lambda fake: fake.streams >= 3)
        self.ends(process, stdin="\n")

    THREADS = """
        import _thread, sys, time
        import dcctop
        while not dcctop._link._over:
            dcctop.check_cancelled()
            dcctop.progress(1)
            time.sleep(0.01)
        while _thread._count():
            time.sleep(0.01)
        print(_thread._count(), flush=True)
        sys.stdin.readline()
        """

    def gives_up(self, process):
        """The thread has ended, and nothing comes afterwards."""
        self.assertEqual(process.stdout.readline(), "0\n")
        with self.fake.changed:
            requests = self.fake.requests
        self.ends(process, stdin="\n")
        self.assertEqual(self.fake.requests, requests)

    def test_after_bye_it_does_not_come_back(self):
        process = self.job(self.THREADS)
        self.checked()
        self.fake.bye()
        self.gives_up(process)

    def test_with_a_dead_token_it_gives_up(self):
        for status in (401, 410):
            self.fake.set(stream_status=status)
            self.gives_up(self.job(self.THREADS))

    def test_a_report_that_is_answered_with_the_end_ends_it(self):
        for status in (401, 410):
            self.fake.set(post_status=status)
            self.gives_up(self.job(self.THREADS))

    def test_other_answers_are_waited_out(self):
        self.fake.set(stream_status=503)
        process = self.job(self.LOOP.format(check="check_cancelled"))
        self.fake.wait("several tries", lambda fake: fake.requests > 4)
        self.fake.set(stream_status=200)
        self.attached()
        self.fake.cancel()
        self.assertEqual(self.finish(process)[0], 1)

    def test_when_the_dispatcher_is_gone_for_long_it_gives_up(self):
        process = self.job("import dcctop; dcctop.TRIES = 5\n" + textwrap.dedent(self.THREADS))
        self.checked()
        self.fake.gone()
        self.assertEqual(process.stdout.readline(), "0\n")
        self.ends(process, stdin="\n")

    def test_a_slow_answer_holds_up_neither_the_cancel_nor_its_sighting(self):
        self.fake.set(hold=True)
        process = self.job("import dcctop; dcctop.ANSWER = 1000\n" + textwrap.dedent(self.LOOP.format(check="check_cancelled")))
        self.fake.wait("a report", lambda fake: fake.posts)
        self.fake.cancel()
        self.fake.wait("seen", lambda fake: [body for body in fake.said("checkpoint") if "seen_age_ms" in body])
        self.assertEqual(self.finish(process)[0], 1)

    def test_a_refused_report_comes_again_when_it_may_and_only_the_newest(self):
        self.fake.set(answers=[(429, [("Retry-After", "2")])])
        process = self.job("""
            import sys, dcctop
            dcctop.progress(1)
            sys.stdin.readline()
            dcctop.progress(2)
            dcctop.progress(3)
            sys.stdin.readline()
            """)
        self.fake.wait("the first", lambda fake: fake.posts)
        process.stdin.write("\n")
        process.stdin.flush()
        self.fake.wait("the last", lambda fake: {"current": 3} in fake.said("progress"))
        self.ends(process, stdin="\n")
        self.assertEqual(self.fake.said("progress"), [{"current": 1}, {"current": 3}])
        self.assertGreaterEqual(self.fake.posts[1][2] - self.fake.posts[0][2], 1.9)

    def test_a_report_is_sent_again_after_a_failure(self):
        self.fake.set(answers=[(500, ()), (503, ())])
        process = self.job("import sys, dcctop; dcctop.progress(1); sys.stdin.readline()")
        self.fake.wait("three tries", lambda fake: len(fake.posts) == 3)
        self.ends(process, stdin="\n")
        self.assertEqual(self.fake.said("progress"), [{"current": 1}] * 3)

    def test_a_report_that_is_wrong_is_not_sent_again(self):
        self.fake.set(answers=[(400, ())])
        process = self.job("import sys, dcctop; dcctop.LEAVE = 30; dcctop.progress(1); sys.stdin.readline(); dcctop.progress(2)")
        self.fake.wait("the first", lambda fake: fake.posts)
        self.ends(process, stdin="\n")
        self.assertEqual(self.fake.said("progress"), [{"current": 1}, {"current": 2}])

    def test_a_dispatcher_that_closes_after_each_answer_is_well_served(self):
        self.fake.set(close_after_post=True)
        process = self.job(self.LOOP.format(check="check_cancelled"))
        self.checked(3)
        self.fake.cancel()
        self.assertEqual(self.finish(process)[0], 1)

    def test_the_end_of_the_script_does_not_wait_for_a_dispatcher_that_hangs(self):
        self.fake.set(hold=True)
        process = self.job("""
            import atexit, sys, time
            import dcctop
            dcctop.ANSWER = 1000
            atexit.unregister(dcctop._link.leave)
            begun = []
            atexit.register(lambda: print(time.monotonic() - begun[0], flush=True))
            atexit.register(dcctop._link.leave)
            dcctop.progress(1)
            sys.stdin.readline()
            dcctop.progress(2)
            begun.append(time.monotonic())
            """)
        self.fake.wait("a report", lambda fake: fake.posts)
        code, out, err = self.finish(process, "\n")
        self.assertEqual((code, err), (0, ""))
        self.assertGreater(float(out), 0.2)
        self.assertLess(float(out), 30)

    def test_the_thread_is_no_ones_business(self):
        process = self.job("""
            import threading, dcctop
            print([thread.name for thread in threading.enumerate()], dcctop.attach(), dcctop.attach())
            """, "-X", "dev", "-W", "error")
        self.ends(process, out="['MainThread'] True True\n")

    def test_a_script_that_does_nothing_prints_nothing_whatever_the_dispatcher_does(self):
        for state in ({}, {"stream_status": 401}, {"stream_status": 500}, {"dribble": True}):
            self.fake.set(**dict({"stream_status": 200, "dribble": False}, **state))
            self.ends(self.job("", "-X", "dev", "-W", "error"))
        self.fake.gone()
        self.ends(self.job("import time; time.sleep(0.5)", "-X", "dev", "-W", "error"))

    def test_an_address_that_is_none_is_outside_of_a_job(self):
        for url in ("", "nonsense", "http://", "http://127.0.0.1:99999/v1/job", "ftp://127.0.0.1/", "https://127.0.0.1:1/"):
            self.ends(self.job("import dcctop; print(dcctop.attach(), dcctop.current_job_id())", DCCTOP_URL=url), out="False None\n")
        self.ends(self.job("import dcctop; print(dcctop.attach())", DCCTOP_TOKEN=""), out="False\n")

    def test_a_token_that_cannot_be_sent_harms_nobody(self):
        self.ends(self.job("import dcctop, time; time.sleep(0.3); dcctop.check_cancelled(); print(dcctop.attach())",
                           "-X", "dev", "-W", "error", DCCTOP_TOKEN="a\nb"), out="True\n")
        self.assertEqual(self.fake.requests, 0)

    def test_a_token_of_somebody_else_stays(self):
        process = self.job("""
            import dcctop
            mine = dcctop.CancelToken("mine")
            with_mine = dcctop.set_cancel_token(mine)
            dcctop.attach()
            print(dcctop.current_job_id(), dcctop.current_cancel_token() is mine)
            dcctop.reset_cancel_token(with_mine)
            print(dcctop.current_job_id())
            """)
        self.ends(process, out="mine True\njob-1\n")

    def test_as_a_module_it_needs_no_program(self):
        script = self.write("""
            import sys
            sys.path.append(sys.argv[1])
            import dcctop
            print(dcctop.attach(), dcctop.current_job_id(), flush=True)
            import dcc_mcp_core
            try:
                while True:
                    dcc_mcp_core.check_cancelled()
            except dcctop.DccMcpCancelledError as error:
                print(error)
            """)
        process = self.start(PYTHON + [script, HERE], **self.fake.environment)
        self.checked()
        self.fake.cancel()
        self.ends(process, out="True job-1\nRequest cancelled by client\n")

    PACKAGE = {
        "dcc_mcp_core/__init__.py": "from dcc_mcp_core.cancellation import *\n",
        "dcc_mcp_core/cancellation.py": """
            import contextvars
            class DccMcpCancelledError(Exception): pass
            _token = contextvars.ContextVar("t", default=None)
            current_job = contextvars.ContextVar("j", default=None)
            set_cancel_token, current_cancel_token, set_current_job = _token.set, _token.get, current_job.set
            def check_cancelled():
                if _token.get() is not None and _token.get().cancelled:
                    raise DccMcpCancelledError("by the package")
            """,
    }

    def packaged(self, folder, source):
        """Runs a script while an installed package, an old one, lies in a folder."""
        for name, text in self.PACKAGE.items():
            self.write(text, os.path.join(folder, name))
        process = self.job(source)
        self.checked()
        self.fake.cancel()
        self.ends(process, out="by the package job-1\n")

    def test_a_package_beside_the_script_is_the_one(self):
        self.packaged("", """
            import dcctop, dcc_mcp_core
            try:
                while True:
                    dcc_mcp_core.check_cancelled()
            except dcctop.DccMcpCancelledError as error:
                print(error, dcctop.current_job_id())
            """)

    @unittest.skipIf(REAL, "where a package is installed, that one is found first")
    def test_a_package_that_the_script_finds_later_is_the_one(self):
        self.packaged("later", """
            import os, sys
            sys.path.append(os.path.join(os.path.dirname(__file__), "later"))
            import dcctop, dcc_mcp_core
            try:
                while True:
                    dcc_mcp_core.check_cancelled()
            except dcctop.DccMcpCancelledError as error:
                print(error, dcctop.current_job_id())
            """)

    @unittest.skipUnless(FORKS, "no fork here")
    def test_a_fork_has_a_connection_of_its_own_once_it_checks(self):
        process = self.job("""
            import os, sys, time
            import dcctop
            def until_cancelled():
                while not dcctop.current_cancel_token().cancelled:
                    time.sleep(0.01)
            child = os.fork()
            if not child:
                until_cancelled()
                os._exit(7)
            deaf = os.fork()
            if not deaf:
                sys.stdin.readline()
                os._exit(8)
            until_cancelled()
            print(os.waitpid(child, 0)[1] >> 8, os.waitpid(deaf, 0)[1] >> 8)
            """, "-X", "dev", "-W", "error")
        self.fake.wait("two streams", lambda fake: len(fake.open) == 2)
        self.checked(4)
        self.fake.cancel()
        self.ends(process, out="7 8\n", stdin="\n")
        self.assertEqual(self.fake.streams, 2)

    @unittest.skipUnless(FORKS, "no fork here")
    def test_many_forks_do_not_disturb_the_connection(self):
        process = self.job("""
            import os, sys
            import dcctop
            dcctop.LEAVE = 30
            for i in range(100):
                child = os.fork()
                if not child:
                    os._exit(0)
                os.waitpid(child, 0)
                dcctop.check_cancelled()
            sys.stdin.readline()
            dcctop.progress(1)
            """, "-X", "dev", "-W", "error")
        self.attached()
        self.ends(process, stdin="\n")
        self.assertEqual((self.fake.streams, self.fake.said("progress")), (1, [{"current": 1}]))

    @unittest.skipUnless(FORKS, "no fork here")
    def test_the_workers_of_a_pool_are_stopped(self):
        process = self.job("""
            import multiprocessing, time
            import dcctop
            from dcc_mcp_core import DccMcpCancelledError, check_dcc_cancelled
            def work(n):
                while True:
                    check_dcc_cancelled()
                    time.sleep(0.01)
            if __name__ == "__main__":
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    try:
                        pool.map(work, range(2))
                    except DccMcpCancelledError as error:
                        print(type(error) is DccMcpCancelledError, error)
            """)
        self.fake.wait("three streams", lambda fake: len(fake.open) == 3)
        self.fake.cancel()
        self.ends(process, out="True Request cancelled by client\n")


class Program(Case):
    """python dcctop.py run SCRIPT, beside python SCRIPT."""

    SCRIPTS = {
        "an error": "def f():\n    raise ValueError('no')\n\nf()\n",
        "an error in an error": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise RuntimeError('é') from e\n",
        "no program": "print('x')\nx = = 1\n",
        "exit 0": "import sys; sys.exit(0)",
        "exit 3": "import sys; print('out'); sys.exit(3)",
        "exit with a text": "raise SystemExit('no camera')",
        "exit with none": "raise SystemExit",
        "its own hook": "import sys\nsys.excepthook = lambda *a: print('mine', a[0].__name__, a[2].tb_lineno)\n1 / 0\n",
        "an error at the end": "import atexit\natexit.register(lambda: 1 / 0)\n",
        "an error in a thread": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='t')\nt.start(); t.join()\n",
        "what it is": """
            import sys
            print(__name__, __file__, sys.argv, sys.path[0], sys.stdin.read(), sys.modules["__main__"].f.__module__
                  if "f" in globals() else None, "dcctop" in globals())
            """,
        "its neighbours": "import neighbour\nprint(neighbour.x)\n",
        "recursion": "import sys\nsys.setrecursionlimit(60)\ndef f(): f()\ntry: f()\nexcept RecursionError: print('deep')\n",
        "an interrupt": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n",
    }

    def test_a_script_ends_as_it_would_without_us(self):
        self.write("x = 1\n", "neighbour.py")
        for name, source in sorted(self.SCRIPTS.items()):
            if name == "an interrupt" and os.name == "nt":
                continue
            with self.subTest(name):
                script = self.write(source)
                ours, plain = self.run_script(script, stdin="text"), self.run_plain(script, stdin="text")
                self.assertEqual(self.placeless(ours), self.placeless(plain))

    @staticmethod
    def placeless(result):
        return [re.sub("0x[0-9a-f]+", "0x", str(part)) for part in result]

    def test_arguments_go_to_the_script(self):
        script = self.write("import sys; print(sys.argv[1:])")
        self.assertEqual(self.finish(self.start(PYTHON + [MODULE, "run", script, "--", "-x"])), (0, "['--', '-x']\n", ""))

    def test_a_wrong_command_line_is_told(self):
        for args in ([], ["run"], ["walk", "x.py"]):
            code, out, err = self.finish(self.start(PYTHON + [MODULE] + args))
            self.assertEqual((code, out, err.split("\n")[0]), (2, "", "usage: python dcctop.py run SCRIPT"))

    def test_a_missing_script_is_told(self):
        code, out, err = self.run_script(os.path.join(self.folder, "none.py"))
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(err, "^dcctop.py: .*none.py.*\n$")

    def test_the_script_finds_this_module_and_not_a_second_one(self):
        script = self.write("import dcctop, sys; print(dcctop.__file__, dcctop.attach.__module__, dcctop.attach())")
        self.assertEqual(self.run_script(script), (0, "%s dcctop False\n" % MODULE, ""))

    def test_importing_it_costs_no_thread_and_no_connection(self):
        script = self.write("""
            import sys
            sys.path.append(sys.argv[1])
            import dcctop, _thread
            print(_thread._count(), "http.client" in sys.modules, dcctop.attach(), dcctop.progress(1), _thread._count())
            """)
        code, out, err = self.finish(self.start(PYTHON + ["-W", "error", script, HERE]))
        self.assertEqual((code, out, err), (0, "0 False False None 0\n", ""))


class Skills(Case):
    """The helpers of skill scripts; with the package installed, its own and ours beside each other."""

    HEAD = "from dcc_mcp_core.skill import run_main, skill_entry, skill_error, skill_exception, skill_success, skill_warning\n"
    #: name: (source of a function body, stdin, exit code, some of the fields)
    CASES = {
        "success": ("return skill_success('made', prompt='look', a=1, b=[2])", "{}", 0,
                    {"success": True, "message": "made", "prompt": "look", "context": {"a": 1, "b": [2]}}),
        "bare success": ("return skill_success('made')", "", 0, {"success": True, "message": "made", "context": {}}),
        "parameters": ("return skill_success('made', **params)", '{"x": 1, "y": {"z": "é渲\\u2028"}}', 0,
                       {"context": {"x": 1, "y": {"z": "é渲\u2028"}}}),
        "verified": ("return skill_success('m', verified=True, postcondition={'method': 'x'})", "", 0,
                     {"postcondition": {"method": "x", "verified": True}}),
        "verified alone": ("return skill_success('m', verified=False)", "", 0, {"postcondition": {"verified": False}}),
        "verified twice": ("return skill_success('m', verified=True, postcondition={'verified': True})", "", 0, {}),
        "verified and not": ("return skill_success('m', verified=True, postcondition={'verified': False})", "", 1,
                             {"error": "ValueError"}),
        "verified by a word": ("return skill_success('m', verified='yes')", "", 1, {"error": "TypeError"}),
        "verified by two words": ("return skill_success('m', verified=True, postcondition={'verified': 'yes'})", "", 1,
                                  {"error": "TypeError"}),
        "verified by 1": ("return skill_success('m', postcondition={'verified': 1})", "", 1, {"error": "TypeError"}),
        "meta": ("return skill_success('m', _meta={'a.b': 1})", "", 0, {"_meta": {"a.b": 1}}),
        "empty meta": ("return skill_success('m', _meta={})", "", 0, {}),
        "no message": ("return skill_success(5)", "", 1, {"error": "TypeError"}),
        "warning": ("return skill_warning('m', warning='w', prompt='p', x=1)", "", 0, {"context": {"x": 1, "warning": "w"}}),
        "error": ("return skill_error('m', 'bad_frame', frame=3)", "", 1,
                  {"success": False, "message": "m", "error": "bad_frame", "context": {"frame": 3},
                   "prompt": "Check the error details and try again."}),
        "error with all": ("return skill_error('m', 'e', prompt='p', possible_solutions=['s'], _meta={'k': 1}, x=1)", "", 1,
                           {"prompt": "p", "context": {"x": 1, "possible_solutions": ["s"]}}),
        "error with a number": ("return skill_error('m', 5)", "", 1, {"error": "TypeError"}),
        "solutions twice": ("return skill_error('m', 'e', possible_solutions=['s'], **{'x': 1})", "", 1, {}),
        "exception": ("raise KeyError('é')", "", 1, {"error": "KeyError", "message": "Error: 'é'"}),
        "exception told": ("return skill_exception(ValueError('v'), message='m', prompt='p', include_traceback=False, "
                           "possible_solutions=['s'], _meta={'k': 1}, x=1)", "", 1,
                           {"error": "ValueError", "message": "m", "prompt": "p",
                            "context": {"x": 1, "error_type": "ValueError", "possible_solutions": ["s"]}}),
        "cancelled": ("import dcc_mcp_core as d; t = d.CancelToken(); t.cancel(); d.set_cancel_token(t); d.check_cancelled()",
                      "", 1, {"error": "DccMcpCancelledError", "message": "Error: Request cancelled by client"}),
        "import": ("import maya.cmds", "", 1, {"error": "import_error", "message": "Maya is not available in this environment",
                                               "prompt": "Ensure Maya is running and the plugin is loaded."}),
        "unknown import": ("import nosuchthing.deep", "", 1, {"message": "nosuchthing is not available in this environment"}),
        "import without a name": ("raise ImportError('cannot reach Houdini here')", "", 1,
                                  {"message": "Houdini is not available in this environment"}),
        "import without a hint": ("raise ImportError('?')", "", 1, {"message": "DCC is not available in this environment"}),
        "exit": ("import sys; sys.exit(5)", "", 1, {"error": "interrupted", "_meta": {"dcc.error": {"type": "SystemExit", "message": "5"}}}),
        "interrupt": ("raise KeyboardInterrupt", "", 1, {"error": "interrupted"}),
        "no object": ("return skill_success('m')", "[1]", 1, {"error": "TypeError", "message": "Error: Skill stdin payload must be a JSON object"}),
        "no JSON": ("return skill_success('m')", "{x", 1, {"error": "JSONDecodeError"}),
        "blank": ("return skill_success('m', n=len(params))", " \n", 0, {"context": {"n": 0}}),
        "nothing": ("pass", "", 1, {"message": "Failed to normalize result", "error": "invalid_result_envelope"}),
        "a list": ("return [1]", "", 1, {"error": "invalid_result_envelope"}),
        "no success": ("return {'message': 'm'}", "", 1, {"error": "invalid_result_envelope"}),
        "success 1": ("return {'success': 1}", "", 1, {"error": "invalid_result_envelope"}),
        "bare dict": ("return {'success': True}", "", 0, {"success": True, "message": "", "context": {}}),
        "extras": ("return {'success': True, 'frames': 3, 'context': {'a': 1}, 'a': 2}", "", 0, {"context": {"a": 2, "frames": 3}}),
        "none fields": ("return {'success': False, 'error': None, 'prompt': None, 'context': None, '_meta': None, "
                        "'postcondition': None}", "", 1, {"success": False}),
        "none message": ("return {'success': True, 'message': None}", "", 1, {"error": "invalid_result_envelope"}),
        "odd context": ("return {'success': True, 'context': 5}", "", 1, {"error": "invalid_result_envelope"}),
        "odd meta": ("return {'success': True, '_meta': 5}", "", 1, {"error": "invalid_result_envelope"}),
        "odd postcondition": ("return {'success': True, 'postcondition': 5}", "", 1, {"error": "invalid_result_envelope"}),
        "empty prompt": ("return {'success': True, 'prompt': ''}", "", 0, {"prompt": ""}),
        "a set": ("return skill_success('m', x={1})", "", 1, {"message": "Failed to serialize result", "error": "non_serializable_result"}),
        "not a number": ("return skill_success('m', x=float('nan'))", "", 1, {"error": "non_serializable_result"}),
    }
    #: without the decorator
    PLAIN = {
        "plain": ("return skill_success('m', **params)", '{"a": 1}', 0, {"context": {"a": 1}}),
        "plain exception": ("raise ValueError('v')", "", 1, {"error": "ValueError"}),
        "plain parameters": ("return skill_success('m')", '{"self": 1}', 0, {}),
        "plain exit": ("import sys; sys.exit(5)", "", 5, None),
    }

    def source(self, body, decorator):
        return self.HEAD + decorator + "def main(**params):\n    " + body + "\n\nif __name__ == '__main__':\n    run_main(main)\n"

    def cases(self):
        for table, decorator in ((self.CASES, "@skill_entry\n"), (self.PLAIN, "")):
            for name, (body, stdin, code, fields) in sorted(table.items()):
                yield name, self.source(body, decorator), stdin, code, fields

    def judge(self, name, source, stdin, code, fields):
        """Runs a script; what it printed, without what depends on the place of a file."""
        got, out, err = self.run_script(self.write(source), stdin=stdin)
        self.assertEqual((got, err), (code, ""), name)
        if fields is None:
            self.assertEqual(out, "", name)
            return out, None
        self.assertEqual(out.count("\n"), 1, name)
        result = json.loads(out)
        for field, value in fields.items():
            self.assertEqual(result[field], value, (name, field))
        return out, result

    def test_results_are_those_of_the_contract(self):
        for case in self.cases():
            with self.subTest(case[0]):
                self.judge(*case)

    @unittest.skipUnless(REAL, "needs the package installed, and a way to hide it")
    def test_results_are_those_of_the_package_field_by_field(self):
        for name, source, stdin, _, _ in self.cases():
            with self.subTest(name):
                script = self.write(source)
                theirs = self.run_script(script, stdin=stdin)
                ours = self.run_script(script, "-S", stdin=stdin)
                self.assertEqual(self.neutral(ours[1]), self.neutral(theirs[1]))
                self.assertEqual(ours[::2], theirs[::2])
                plain = self.run_plain(script, stdin=stdin)
                self.assertEqual(self.neutral(plain[1]), self.neutral(theirs[1]))

    @staticmethod
    def neutral(line):
        """A result with its fields in order, and only the script's own lines of a traceback."""
        def lines(text):
            kept = re.findall(r'File "[^"]*script\.py", line (\d+)|^(\w[^\n]*)', text, re.M)
            return [number or other for number, other in kept]

        def walk(value):
            if isinstance(value, dict):
                return [(key, lines(item) if key == "traceback" else walk(item)) for key, item in value.items()]
            return value

        return walk(json.loads(line)) if line else line

    def test_helpers_called_directly_have_every_field(self):
        script = self.write(self.HEAD + textwrap.dedent("""
            @skill_entry
            def named(a, b=2):
                "words"
                return skill_success("m", sum=a + b)

            print(list(skill_success("m").items()))
            print(list(skill_error("m", "e").items()))
            print(named.__name__, named.__doc__, named._is_skill_entry, named(a=1)["context"], named(c=1)["error"])
            """))
        code, out, err = self.run_script(script)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.splitlines(), [
            "[('success', True), ('message', 'm'), ('error', None), ('prompt', None), ('context', {})]",
            "[('success', False), ('message', 'm'), ('error', 'e'), ('prompt', 'Check the error details and try again.'), ('context', {})]",
            "named words True {'sum': 3} TypeError"])


@unittest.skipUnless(os.environ.get("DCCTOP_TEST_BLENDER"), "DCCTOP_TEST_BLENDER names no Blender")
class InBlender(JobCase):
    """blender -b -P dcctop.py -- run SCRIPT."""

    def blender(self, source):
        """Starts a script in Blender, with all that it prints in a file: a pipe would fill up."""
        script = self.write(source)
        with open(os.path.join(self.folder, "out"), "w") as output:
            return self.start([os.environ["DCCTOP_TEST_BLENDER"], "-b", "--factory-startup", "--python-exit-code", "9",
                               "-P", self.module, "--", "run", script, "--flag"], output, **self.fake.environment)

    def setUp(self):
        super().setUp()  # Blender's Python leaves compiled files beside the module
        self.module = shutil.copy(MODULE, os.path.join(self.folder, "dcctop.py"))

    def finish(self, process, stdin=None):
        code, _, err = super().finish(process, stdin)
        with open(os.path.join(self.folder, "out"), encoding="utf-8") as output:
            return code, output.read(), err

    def test_a_script_that_renders_is_stopped_between_two_frames(self):
        process = self.blender("""
            import os, bpy, dcctop
            scene = bpy.context.scene
            scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 1, False
            scene.render.resolution_x = scene.render.resolution_y = 16
            dcctop.LEAVE = 30
            for frame in range(1, 100000):
                dcctop.check_dcc_cancelled()
                scene.frame_set(frame)
                scene.render.filepath = os.path.join(os.path.dirname(__file__), "%05d" % frame)
                bpy.ops.render.render(write_still=True)
                dcctop.progress(frame, 100000, unit="frame")
            """)
        self.fake.wait("a frame", lambda fake: [body for body in fake.said("progress") if body["current"] > 2])
        self.checked()
        self.fake.cancel()
        code, out, err = self.finish(process)
        self.assertEqual((code, err), (9, ""), out)
        self.assertIn("DccMcpCancelledError: Request cancelled by client", out)
        self.assertTrue([body for body in self.fake.said("checkpoint") if "seen_age_ms" in body])
        frames = [name for name in os.listdir(self.folder) if name.endswith(".png")]
        self.assertEqual(len(frames), self.fake.said("progress")[-1]["current"])

    def test_an_error_of_the_script_is_blenders_exit_code_and_shows_no_line_of_ours(self):
        code, out, err = self.finish(self.blender("def f():\n    1 / 0\nf()\n"))
        self.assertEqual((code, err), (9, ""), out)
        shown = re.findall(r'File "[^"]*?(\w+\.py)", line (\d+)|(ZeroDivisionError)', out)
        self.assertEqual(shown, [("script.py", "3", ""), ("script.py", "2", ""), ("", "", "ZeroDivisionError")])

    def test_a_script_finds_itself_as_in_plain_python(self):
        code, out, err = self.finish(self.blender("""
            import os, sys, bpy, dcctop
            dcctop.LEAVE = 30
            print("HERE", __name__, sys.argv == [__file__, "--flag"], sys.path[0] == os.path.dirname(__file__),
                  "dcctop" in globals() and dcctop.attach.__module__, dcctop.current_job_id(), bpy.app.background)
            dcctop.progress(7)
            """))
        self.assertEqual(code, 0, err)
        self.assertIn("HERE __main__ True True dcctop job-1 True\n", out)
        self.assertEqual(self.fake.said("progress"), [{"current": 7}])

    def test_a_skill_script_has_its_own_result_and_exit_code(self):
        for word, want in (("success", 0), ("failure", 1)):
            process = self.blender(Skills.HEAD + textwrap.dedent("""
                @skill_entry
                def main(word, **_):
                    return skill_success(word) if word == "success" else skill_error(word, "e")

                run_main(main)
                """))
            code, out, err = self.finish(process, json.dumps({"word": word}))
            self.assertEqual(code, want, err)
            results = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
            self.assertEqual([result["message"] for result in results], [word])


if __name__ == "__main__":
    unittest.main()
