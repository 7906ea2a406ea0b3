"""dcctop.py as a program, in plain Python and in Blender: run by test_dcctop.py."""

import json
import os
import re
import shutil
import textwrap
import unittest

from casework import HERE, MODULE, PYTHON, Case, JobCase
from test_skills import HEAD


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
        "an error in a thread": """
            import threading
            t = threading.Thread(target=lambda: 1 / 0, name="t")
            t.start()
            t.join()
            """,
        "what it is": """
            import sys
            print(__name__, __file__, sys.argv, sys.path[0], sys.stdin.read(), sys.modules["__main__"].f.__module__
                  if "f" in globals() else None, "dcctop" in globals())
            """,
        "its neighbours": "import neighbour\nprint(neighbour.x)\n",
        "recursion": """
            import sys
            sys.setrecursionlimit(60)
            def f():
                f()
            try:
                f()
            except RecursionError:
                print("deep")
            """,
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
        self.assertEqual(
            self.finish(self.start(PYTHON + [MODULE, "run", script, "--", "-x"])), (0, "['--', '-x']\n", "")
        )

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


@unittest.skipUnless(os.environ.get("DCCTOP_TEST_BLENDER"), "DCCTOP_TEST_BLENDER names no Blender")
class InBlender(JobCase):
    """blender -b -P dcctop.py -- run SCRIPT."""

    def blender(self, source):
        """Starts a script in Blender, with all that it prints in a file: a pipe would fill up."""
        script = self.write(source)
        with open(os.path.join(self.folder, "out"), "w") as output:
            return self.start(
                [
                    os.environ["DCCTOP_TEST_BLENDER"],
                    "-b",
                    "--factory-startup",
                    "--python-exit-code",
                    "9",
                    "-P",
                    self.module,
                    "--",
                    "run",
                    script,
                    "--flag",
                ],
                output,
                **self.fake.environment,
            )

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
            process = self.blender(HEAD + textwrap.dedent("""
                @skill_entry
                def main(word, **_):
                    return skill_success(word) if word == "success" else skill_error(word, "e")

                run_main(main)
                """))
            code, out, err = self.finish(process, json.dumps({"word": word}))
            self.assertEqual(code, want, err)
            results = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
            self.assertEqual([result["message"] for result in results], [word])
