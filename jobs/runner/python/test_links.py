"""How the connection to the dispatcher lives and ends: run by test_dcctop.py."""

import textwrap
import threading
import unittest
from unittest import mock

from casework import LOOP, WAIT, JobCase

import dcctop


class Backoff(unittest.TestCase):
    """When a stream that was cut is opened again."""

    def setUp(self):
        self.stream = dcctop._Stream(None, None)

    def cut(self, lasted=None, pause=0):
        """Cuts the stream at 1000 and returns the longest wait; lasted: how long it had been good."""
        self.stream.call = call = mock.Mock()
        self.stream._events = None if lasted is None else dcctop._Events(True)
        self.stream._begun = 1000 - (lasted or 0)
        with mock.patch("random.uniform", lambda low, high: high):
            self.stream._cut(1000, pause)
        call.close.assert_called_once_with()
        self.assertIsNone(self.stream.call)
        return round(self.stream.due - 1000, 6)

    def test_it_waits_longer_each_time_and_not_too_long(self):
        self.assertEqual([self.cut() for _ in range(8)], [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10])

    def test_one_that_was_good_for_a_while_is_opened_at_once(self):
        self.assertEqual(
            [self.cut(), self.cut(), self.cut(4), self.cut(6), self.cut(6), self.cut()], [0.2, 0.4, 0.8, 0.2, 0.2, 0.4]
        )

    def test_it_waits_as_long_as_the_dispatcher_says(self):
        self.assertEqual([self.cut(pause=7), self.cut(pause=7)], [7.2, 7.4])

    def test_it_gives_up_after_a_hundred_tries_in_a_row(self):
        for _ in range(dcctop.TRIES):
            self.cut()
        with self.assertRaises(dcctop._Over):
            self.cut()
        self.stream = dcctop._Stream(None, None)
        for _ in range(3 * dcctop.TRIES):
            self.cut(6)


class Thread(unittest.TestCase):
    """When the thread counts as ended."""

    def test_one_that_has_not_begun_yet_is_waited_for(self):
        with mock.patch("_thread.start_new_thread") as start:
            link = dcctop._Link("http://127.0.0.1:1/v1/job", "token", "job-1")
            link.start()
            self.assertFalse(link._ended.acquire(False))
            link.rest()
            link.start()
        self.assertFalse(link._ended.acquire(False))
        (run, first), (_, second) = [call[0] for call in start.call_args_list]
        run(*first)
        self.assertFalse(link._ended.acquire(False))
        link._leaving = 0.0
        run(*second)
        self.assertTrue(link._ended.acquire(False))
        self.assertIsNone(link._bell)

    def test_where_none_can_be_had_nothing_is_left(self):
        with mock.patch("_thread.start_new_thread", side_effect=RuntimeError):
            link = dcctop._Link("http://127.0.0.1:1/v1/job", "token", "job-1")
            with self.assertRaises(RuntimeError):
                link.start()
        self.assertTrue(link._ended.acquire(False))
        self.assertIsNone(link._bell)


class Wire(unittest.TestCase):
    """What comes on the stream."""

    TEXT = (
        b': hello\n\nevent: cancel\ndata: {"by": "ann"}\n\n: ping\n\n'
        b"event: x\r\ndata: 1\r\n\r\ndata: 2\n\nevent: bye\n\n"
    )

    def feed(self, chunked, pieces):
        events = dcctop._Events(chunked)
        return [name for piece in pieces for name in events.feed(piece)]

    def test_events_are_read_wherever_the_pieces_are_cut(self):
        whole = b"".join(
            b"%X;ext=1\r\n%s\r\n" % (len(part), part) for part in (self.TEXT[:20], self.TEXT[20:21], self.TEXT[21:])
        )
        for chunked, text in ((False, self.TEXT), (True, whole)):
            for cut in range(len(text) + 1):
                for again in range(cut, len(text) + 1, 7):
                    got = self.feed(chunked, [text[:cut], text[cut:again], text[again:]])
                    self.assertEqual(got, [b"cancel", b"x", b"bye"], (chunked, cut, again))
            self.assertEqual(self.feed(chunked, [text[i : i + 1] for i in range(len(text))]), [b"cancel", b"x", b"bye"])

    def test_an_event_that_was_cut_off_is_none(self):
        self.assertEqual(self.feed(False, [b"event: cancel\ndata: {}\n"]), [])

    def test_what_is_no_stream_is_an_error(self):
        for chunked, text in (
            (True, b"zz\r\n"),
            (True, b"0\r\n\r\n"),
            (True, b"-4\r\n"),
            (False, b"x" * 70000),
            (True, b"1" * 70000),
        ):
            with self.assertRaises(ValueError, msg=text[:9]):
                self.feed(chunked, [text])


class Link(JobCase):
    """The connection of a job to its dispatcher."""

    def test_a_cut_stream_comes_back_and_nothing_is_lost(self):
        process = self.job(LOOP.format(check="check_cancelled"))
        self.attached()
        for turn in range(2, 5):
            self.fake.cut()
            self.fake.wait("stream %d" % turn, lambda fake: fake.streams == turn)
        self.fake.cut()
        self.fake.cancel()
        self.assertEqual(self.finish(process)[0], 1)

    def test_a_stream_in_single_bytes_is_read(self):
        self.fake.set(dribble=True)
        process = self.job(LOOP.format(check="check_cancelled"))
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

    @staticmethod
    def line(process):
        """The next line that it prints; none if that takes too long."""
        late = threading.Timer(WAIT, process.kill)
        late.start()
        try:
            return process.stdout.readline()
        finally:
            late.cancel()

    def gives_up(self, process):
        """The thread has ended, and nothing comes afterwards."""
        self.assertEqual(self.line(process), "0\n")
        self.fake.wait("the end of the stream", lambda fake: not fake.open)
        connections = self.fake.arrived()
        self.ends(process, stdin="\n")
        self.assertEqual(self.fake.arrived(), connections + 1)

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
        process = self.job(LOOP.format(check="check_cancelled"))
        self.fake.wait("several tries", lambda fake: fake.requests > 4)
        self.fake.set(stream_status=200)
        self.attached()
        self.fake.cancel()
        self.assertEqual(self.finish(process)[0], 1)

    def test_when_the_dispatcher_is_gone_for_long_it_gives_up(self):
        process = self.job("import dcctop; dcctop.TRIES = 5\n" + textwrap.dedent(self.THREADS))
        self.checked()
        self.fake.gone()
        self.assertEqual(self.line(process), "0\n")
        self.ends(process, stdin="\n")

    def test_a_slow_answer_holds_up_neither_the_cancel_nor_its_sighting(self):
        self.fake.set(hold=True)
        process = self.job(
            "import dcctop; dcctop.ANSWER = 1000\n" + textwrap.dedent(LOOP.format(check="check_cancelled"))
        )
        self.fake.wait("a report", lambda fake: fake.posts)
        self.fake.cancel()
        self.fake.wait("seen", lambda fake: [body for body in fake.said("checkpoint") if "seen_age_ms" in body])
        self.assertEqual(self.finish(process)[0], 1)

    def test_a_refused_report_comes_again_when_it_may_and_only_the_newest(self):
        self.fake.set(answers={"progress": [(429, [("Retry-After", "2")])]})
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
        self.fake.set(answers={"progress": [(500, ()), (503, ())]})
        process = self.job("import sys, dcctop; dcctop.progress(1); sys.stdin.readline()")
        self.fake.wait("three tries", lambda fake: len(fake.posts) == 3)
        self.ends(process, stdin="\n")
        self.assertEqual(self.fake.said("progress"), [{"current": 1}] * 3)

    def test_a_report_that_is_wrong_is_not_sent_again(self):
        self.fake.set(answers={"progress": [(400, ())]})
        process = self.job(
            "import dcctop; dcctop.progress(1)\n" + textwrap.dedent(LOOP.format(check="check_cancelled"))
        )
        self.checked(4)
        process.kill()
        self.assertEqual(self.fake.said("progress"), [{"current": 1}])

    def test_a_report_that_is_never_answered_is_given_up_for_the_next(self):
        self.fake.set(hold=True)
        process = self.job(
            "import dcctop; dcctop.ANSWER = 0.3\n" + textwrap.dedent(LOOP.format(check="check_cancelled"))
        )
        self.checked(3)
        process.kill()

    def test_a_dispatcher_that_closes_after_each_answer_is_well_served(self):
        self.fake.set(close_after_post=True)
        process = self.job(LOOP.format(check="check_cancelled"))
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
