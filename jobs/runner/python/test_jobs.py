"""What a job's script says and hears: run by test_dcctop.py."""

import json
import os
import textwrap

from casework import HERE, LOOP, PYTHON, JobCase


class Job(JobCase):
    """A script that runs as a job."""

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
        self.assertEqual(
            (code, err, result["success"], result["error"], result["message"]),
            (1, "", False, "DccMcpCancelledError", "Error: Request cancelled by client"),
        )
        seen = [body for body in self.fake.said("checkpoint") if "seen_age_ms" in body]
        self.assertTrue(seen)

    def test_each_check_sees_the_cancel(self):
        for check in ("check_cancelled", "check_dcc_cancelled"):
            process = self.job(LOOP.format(check=check))
            self.checked()
            self.fake.cancel()
            code, out, err = self.finish(process)
            self.assertEqual((code, out), (1, "begun\n"))
            self.assertTrue(
                err.endswith("dcc_mcp_core.cancellation.DccMcpCancelledError: Request cancelled by client\n"), err
            )
            self.fake._events.clear()

    def test_a_script_without_a_token_is_stopped_as_a_job(self):
        process = self.job(
            "import dcctop; dcctop.set_cancel_token(None)\n" + textwrap.dedent(LOOP.format(check="check_dcc_cancelled"))
        )
        self.checked()
        self.fake.cancel()
        code, _, err = self.finish(process)
        self.assertEqual((code, err.splitlines()[-1].split(": ")[1]), (1, "Job cancelled by dispatcher"))

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
        code, _, err = self.finish(self.job(LOOP.format(check="check_cancelled")))
        self.assertEqual(
            (code, err.splitlines()[-1].split(":")[0]), (1, "dcc_mcp_core.cancellation.DccMcpCancelledError")
        )

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
        process = self.job(LOOP.format(check="check_cancelled"))
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
        self.assertEqual(
            self.fake.said("progress")[-1], {"current": 24, "total": 24, "message": "frame 24", "unit": "frame"}
        )

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
        self.assertEqual(
            (body["current"], body["total"], body["message"][:4], len(body["message"]), len(body["unit"])),
            (0.25, 1, "é渲?x", 1000, 32),
        )

    def test_the_thread_is_no_ones_business(self):
        process = self.job(
            """
            import threading, dcctop
            print([thread.name for thread in threading.enumerate()], dcctop.attach(), dcctop.attach())
            """,
            "-X",
            "dev",
            "-W",
            "error",
        )
        self.ends(process, out="['MainThread'] True True\n")

    def test_a_script_that_does_nothing_prints_nothing_whatever_the_dispatcher_does(self):
        for state in ({}, {"stream_status": 401}, {"stream_status": 500}, {"dribble": True}):
            self.fake.set(**dict({"stream_status": 200, "dribble": False}, **state))
            self.ends(self.job("", "-X", "dev", "-W", "error"))
        self.fake.gone()
        self.ends(self.job("import time; time.sleep(0.5)", "-X", "dev", "-W", "error"))

    def test_a_script_that_closes_all_that_is_open_harms_nobody(self):
        process = self.job("""
            import os, sys, time
            import dcctop
            sys.stdin.readline()
            os.closerange(3, 100)
            dcctop.check_cancelled()
            time.sleep(0.2)
            dcctop.progress(1)
            """)
        self.attached()
        self.ends(process, stdin="\n")

    def test_a_script_that_debugs_its_own_connections_does_not_see_ours(self):
        self.ends(self.job("""
                import http.client
                http.client.HTTPConnection.debuglevel = 1
                import dcctop
                dcctop.LEAVE = 30
                dcctop.progress(1)
                """))
        self.assertEqual(self.fake.said("progress"), [{"current": 1}])

    def test_an_address_that_is_none_is_outside_of_a_job(self):
        for url in (
            "",
            "nonsense",
            "http://",
            "http://127.0.0.1:99999/v1/job",
            "ftp://127.0.0.1/",
            "https://127.0.0.1:1/",
        ):
            self.ends(
                self.job("import dcctop; print(dcctop.attach(), dcctop.current_job_id())", DCCTOP_URL=url),
                out="False None\n",
            )
        self.ends(self.job("import dcctop; print(dcctop.attach())", DCCTOP_TOKEN=""), out="False\n")

    def test_a_token_that_cannot_be_sent_harms_nobody(self):
        self.ends(
            self.job(
                "import dcctop, time; time.sleep(0.3); dcctop.check_cancelled(); print(dcctop.attach())",
                "-X",
                "dev",
                "-W",
                "error",
                DCCTOP_TOKEN="a\nb",
            ),
            out="True\n",
        )
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
