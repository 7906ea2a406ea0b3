"""Tests of dcctop.py: python test_dcctop.py, with the interpreter to be tested.

They test one form at a time. Where dcc_mcp_core is installed, the names are its
own; with python -S, which hides what is installed, they are dcctop's. The
environment variable DCCTOP_TEST_FORM (real or embedded) says which one is
expected, so that a run which tests another than it was meant to fails.

Here is what needs no script of its own. The other files have one subject each,
and this one runs them all.
"""

import asyncio
import contextvars
import math
import os
import threading
import time
import unittest
from unittest import mock

from casework import REAL, WAIT

import dcctop
from test_jobs import Job  # noqa: F401
from test_links import Backoff, Link, Thread, Wire  # noqa: F401
from test_processes import Forks, Packages  # noqa: F401
from test_programs import InBlender, Program  # noqa: F401
from test_skills import Skills  # noqa: F401

NAMES = dcctop._CANCELLATION


class Names(unittest.TestCase):
    """What dcc_mcp_core's cancellation module promises, and does."""

    def setUp(self):
        for reset, value in (
            (dcctop.reset_cancel_token, dcctop.set_cancel_token(None)),
            (dcctop.reset_current_job, dcctop.set_current_job(None)),
        ):
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

        def look():
            seen.append((dcctop.current_cancel_token(), dcctop.current_job.get()))

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
        self.assertEqual(
            (token.cancelled, token.job_id, bool(token), repr(token)),
            (False, "job-42", False, "CancelToken(cancelled=False)"),
        )
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
        for thing, is_job, is_probe in (
            (object(), False, False),
            (Handle(), True, False),
            (Mine(), True, False),
            (dcctop.CancelToken(), True, True),
            (probe, True, True),
        ):
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

    def crossed(self, flag, act):
        """One check, in the middle of which the thread acts: right after a flag was read."""
        slot, acts = getattr(dcctop._Probe, flag), [act]

        def read(probe):
            value = slot.__get__(probe)
            if acts:
                acts.pop()(probe)
            return value

        with mock.patch.object(dcctop._Probe, flag, property(read, slot.__set__)):
            return self.probe.cancelled

    def test_no_cancel_is_lost_when_it_crosses_a_check(self):
        self.assertFalse(self.crossed("_told", dcctop._Probe.cancel))
        self.assertTrue(self.probe.cancelled)
        self.assertTrue(self.probe.cancelled)

    def test_no_ask_is_lost_when_it_crosses_a_check(self):
        self.assertFalse(self.probe.cancelled)
        self.probe.cancel()
        self.probe._told = False  # it looks, for nothing
        self.assertFalse(self.crossed("_asked", dcctop._Probe.ask))
        self.assertFalse(self.probe.cancelled)
        self.assertEqual(len(self.woken), 2)

    def test_nothing_is_lost_when_a_check_crosses_it(self):
        for flag, act in (("_asked", self.probe.ask), ("_told", self.probe.cancel)):
            slot, news = getattr(dcctop._Probe, flag), []

            def write(probe, value):  # a check right before the thread sets its flag
                if value and not news:
                    news.append(probe.cancelled)
                slot.__set__(probe, value)

            self.probe.cancelled
            woken = len(self.woken)
            with mock.patch.object(dcctop._Probe, flag, property(slot.__get__, write)):
                act()
            self.assertEqual((news, len(self.woken)), ([False], woken))
            self.assertIs(self.probe.cancelled, flag == "_told")
            self.assertEqual(len(self.woken), woken + 1)

    def test_many_checks_and_one_cancel_cross(self):
        for turn in range(100):
            probe, go = dcctop._Probe("job-1", lambda: None), threading.Barrier(2)

            def check():
                go.wait()
                end = time.monotonic() + WAIT
                while not probe.cancelled and time.monotonic() < end:
                    pass

            checking = threading.Thread(target=check)
            checking.start()
            go.wait()
            for _ in range(turn % 7):
                probe.ask()
            probe.cancel()
            checking.join()
            self.assertTrue(probe.cancelled, turn)


class Numbers(unittest.TestCase):
    """What progress takes."""

    def test_a_number_that_is_none_is_named(self):
        for value, error in (
            ("3", TypeError),
            (None, TypeError),
            (b"3", TypeError),
            ([], TypeError),
            (math.nan, ValueError),
            (math.inf, ValueError),
            (10**400, ValueError),
        ):
            with self.assertRaisesRegex(error, "current must be a"):
                dcctop.progress(value)
            if value is not None:
                with self.assertRaisesRegex(error, "total must be a"):
                    dcctop.progress(1, value)

    def test_outside_a_job_it_does_nothing(self):
        self.assertIsNone(dcctop.progress(1, 2, "x", "frame"))


if __name__ == "__main__":
    unittest.main()
