"""Forks of a job, and packages that it finds: run by test_dcctop.py."""

import os
import unittest

from casework import REAL, JobCase


class Packages(JobCase):
    """A dcc_mcp_core that is not where ours stands in for it."""

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
        self.packaged(
            "",
            """
            import dcctop, dcc_mcp_core
            try:
                while True:
                    dcc_mcp_core.check_cancelled()
            except dcctop.DccMcpCancelledError as error:
                print(error, dcctop.current_job_id())
            """,
        )

    @unittest.skipIf(REAL, "where a package is installed, that one is found first")
    def test_a_package_that_the_script_finds_later_is_the_one(self):
        self.packaged(
            "later",
            """
            import os, sys
            sys.path.append(os.path.join(os.path.dirname(__file__), "later"))
            import dcctop, dcc_mcp_core
            try:
                while True:
                    dcc_mcp_core.check_cancelled()
            except dcctop.DccMcpCancelledError as error:
                print(error, dcctop.current_job_id())
            """,
        )


@unittest.skipUnless(hasattr(os, "fork"), "no fork here")
class Forks(JobCase):
    """Processes that a job makes of itself."""

    def test_a_fork_has_a_connection_of_its_own_once_it_checks(self):
        process = self.job(
            """
            import os, sys, time
            import dcctop
            def until_cancelled():
                while not dcctop.current_cancel_token().cancelled:
                    time.sleep(0.01)
            dcctop.check_cancelled()
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
            """,
            "-X",
            "dev",
            "-W",
            "always",
        )
        self.fake.wait("two streams", lambda fake: len(fake.open) == 2)
        self.checked(4)
        self.fake.cancel()
        self.ends(process, out="7 8\n", stdin="\n")
        self.assertEqual(self.fake.streams, 2)

    def test_a_forks_child_does_not_hold_the_parents_connection(self):
        end = os.path.join(self.folder, "end")
        self.addCleanup(lambda: open(end, "w").close())
        process = self.job(
            """
            import os, sys, time
            sys.stdin.readline()
            if not os.fork():
                os.closerange(0, 3)
                while not os.path.exists(%r):
                    time.sleep(0.05)
                os._exit(0)
            """ % end,
            "-X",
            "dev",
            "-W",
            "always",
        )
        self.attached()
        self.ends(process, stdin="\n")
        self.fake.wait("the end of the stream", lambda fake: not fake.open)

    def test_many_forks_do_not_disturb_the_connection(self):
        process = self.job(
            """
            import os, sys
            import dcctop
            dcctop.LEAVE = 30
            for i in range(300):
                child = os.fork()
                if not child:
                    os._exit(0)
                os.waitpid(child, 0)
                dcctop.check_cancelled()
            sys.stdin.readline()
            dcctop.progress(1)
            """,
            "-X",
            "dev",
            "-W",
            "always",
        )
        self.attached()
        self.ends(process, stdin="\n")
        self.assertEqual((self.fake.streams, self.fake.said("progress")), (1, [{"current": 1}]))

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
