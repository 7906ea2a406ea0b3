"""What the tests of dcctop.py share: scripts in processes of their own.

Where dcc_mcp_core is installed it is tested with dcctop.py; python -S hides it.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
MODULE = os.path.join(HERE, "dcctop.py")
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

REAL = importlib.util.find_spec("dcc_mcp_core") is not None  # before dcctop.py stands in for it

from fake_dispatcher import WAIT, FakeDispatcher  # noqa: E402

PYTHON = [sys.executable, "-B"] + (["-S"] if sys.flags.no_site else [])

LOOP = """
    import time
    from dcc_mcp_core import {check}
    print("begun", flush=True)
    while True:
        {check}()
        time.sleep(0.01)
    """


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
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.PIPE,
            env=env,
            cwd=self.folder,
            universal_newlines=True,
            encoding="utf-8",
        )
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
