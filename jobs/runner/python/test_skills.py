"""The helpers of skill scripts: run by test_dcctop.py."""

import json
import re
import textwrap
import unittest

from casework import MODULE, PYTHON, REAL, Case

HEAD = (
    "from dcc_mcp_core.skill import run_main, skill_entry, skill_error, skill_exception, skill_success, skill_warning\n"
)


class Skills(Case):
    """The helpers of skill scripts; with the package installed, its own and ours beside each other."""

    #: name: (source of a function body, stdin, exit code, some of the fields)
    CASES = {
        "success": (
            "return skill_success('made', prompt='look', a=1, b=[2])",
            "{}",
            0,
            {"success": True, "message": "made", "prompt": "look", "context": {"a": 1, "b": [2]}},
        ),
        "bare success": ("return skill_success('made')", "", 0, {"success": True, "message": "made", "context": {}}),
        "parameters": (
            "return skill_success('made', **params)",
            '{"x": 1, "y": {"z": "é渲\\u2028"}}',
            0,
            {"context": {"x": 1, "y": {"z": "é渲\u2028"}}},
        ),
        "verified": (
            "return skill_success('m', verified=True, postcondition={'method': 'x'})",
            "",
            0,
            {"postcondition": {"method": "x", "verified": True}},
        ),
        "verified alone": ("return skill_success('m', verified=False)", "", 0, {"postcondition": {"verified": False}}),
        "verified twice": ("return skill_success('m', verified=True, postcondition={'verified': True})", "", 0, {}),
        "verified and not": (
            "return skill_success('m', verified=True, postcondition={'verified': False})",
            "",
            1,
            {"error": "ValueError"},
        ),
        "verified by a word": ("return skill_success('m', verified='yes')", "", 1, {"error": "TypeError"}),
        "verified by two words": (
            "return skill_success('m', verified=True, postcondition={'verified': 'yes'})",
            "",
            1,
            {"error": "TypeError"},
        ),
        "verified by 1": ("return skill_success('m', postcondition={'verified': 1})", "", 1, {"error": "TypeError"}),
        "meta": ("return skill_success('m', _meta={'a.b': 1})", "", 0, {"_meta": {"a.b": 1}}),
        "empty meta": ("return skill_success('m', _meta={})", "", 0, {}),
        "no message": ("return skill_success(5)", "", 1, {"error": "TypeError"}),
        "warning": (
            "return skill_warning('m', warning='w', prompt='p', x=1)",
            "",
            0,
            {"context": {"x": 1, "warning": "w"}},
        ),
        "error": (
            "return skill_error('m', 'bad_frame', frame=3)",
            "",
            1,
            {
                "success": False,
                "message": "m",
                "error": "bad_frame",
                "context": {"frame": 3},
                "prompt": "Check the error details and try again.",
            },
        ),
        "error with all": (
            "return skill_error('m', 'e', prompt='p', possible_solutions=['s'], _meta={'k': 1}, x=1)",
            "",
            1,
            {"prompt": "p", "context": {"x": 1, "possible_solutions": ["s"]}},
        ),
        "error with a number": ("return skill_error('m', 5)", "", 1, {"error": "TypeError"}),
        "solutions twice": ("return skill_error('m', 'e', possible_solutions=['s'], **{'x': 1})", "", 1, {}),
        "exception": ("raise KeyError('é')", "", 1, {"error": "KeyError", "message": "Error: 'é'"}),
        "exception told": (
            "return skill_exception(ValueError('v'), message='m', prompt='p', include_traceback=False, "
            "possible_solutions=['s'], _meta={'k': 1}, x=1)",
            "",
            1,
            {
                "error": "ValueError",
                "message": "m",
                "prompt": "p",
                "context": {"x": 1, "error_type": "ValueError", "possible_solutions": ["s"]},
            },
        ),
        "cancelled": (
            "import dcc_mcp_core as d; t = d.CancelToken(); t.cancel(); d.set_cancel_token(t); d.check_cancelled()",
            "",
            1,
            {"error": "DccMcpCancelledError", "message": "Error: Request cancelled by client"},
        ),
        "import": (
            "import maya.cmds",
            "",
            1,
            {
                "error": "import_error",
                "message": "Maya is not available in this environment",
                "prompt": "Ensure Maya is running and the plugin is loaded.",
            },
        ),
        "unknown import": (
            "import nosuchthing.deep",
            "",
            1,
            {"message": "nosuchthing is not available in this environment"},
        ),
        "import without a name": (
            "raise ImportError('cannot reach Houdini here')",
            "",
            1,
            {"message": "Houdini is not available in this environment"},
        ),
        "import without a hint": (
            "raise ImportError('?')",
            "",
            1,
            {"message": "DCC is not available in this environment"},
        ),
        "exit": (
            "import sys; sys.exit(5)",
            "",
            1,
            {"error": "interrupted", "_meta": {"dcc.error": {"type": "SystemExit", "message": "5"}}},
        ),
        "interrupt": ("raise KeyboardInterrupt", "", 1, {"error": "interrupted"}),
        "no object": (
            "return skill_success('m')",
            "[1]",
            1,
            {"error": "TypeError", "message": "Error: Skill stdin payload must be a JSON object"},
        ),
        "no JSON": ("return skill_success('m')", "{x", 1, {"error": "JSONDecodeError"}),
        "blank": ("return skill_success('m', n=len(params))", " \n", 0, {"context": {"n": 0}}),
        "nothing": ("pass", "", 1, {"message": "Failed to normalize result", "error": "invalid_result_envelope"}),
        "a list": ("return [1]", "", 1, {"error": "invalid_result_envelope"}),
        "no success": ("return {'message': 'm'}", "", 1, {"error": "invalid_result_envelope"}),
        "success 1": ("return {'success': 1}", "", 1, {"error": "invalid_result_envelope"}),
        "bare dict": ("return {'success': True}", "", 0, {"success": True, "message": "", "context": {}}),
        "extras": (
            "return {'success': True, 'frames': 3, 'context': {'a': 1}, 'a': 2}",
            "",
            0,
            {"context": {"a": 2, "frames": 3}},
        ),
        "none fields": (
            "return {'success': False, 'error': None, 'prompt': None, 'context': None, '_meta': None, "
            "'postcondition': None}",
            "",
            1,
            {"success": False},
        ),
        "none message": ("return {'success': True, 'message': None}", "", 1, {"error": "invalid_result_envelope"}),
        "odd context": ("return {'success': True, 'context': 5}", "", 1, {"error": "invalid_result_envelope"}),
        "odd meta": ("return {'success': True, '_meta': 5}", "", 1, {"error": "invalid_result_envelope"}),
        "odd postcondition": (
            "return {'success': True, 'postcondition': 5}",
            "",
            1,
            {"error": "invalid_result_envelope"},
        ),
        "empty prompt": ("return {'success': True, 'prompt': ''}", "", 0, {"prompt": ""}),
        "a set": (
            "return skill_success('m', x={1})",
            "",
            1,
            {"message": "Failed to serialize result", "error": "non_serializable_result"},
        ),
        "not a number": ("return skill_success('m', x=float('nan'))", "", 1, {"error": "non_serializable_result"}),
    }
    #: without the decorator
    PLAIN = {
        "plain": ("return skill_success('m', **params)", '{"a": 1}', 0, {"context": {"a": 1}}),
        "plain exception": ("raise ValueError('v')", "", 1, {"error": "ValueError"}),
        "plain parameters": ("return skill_success('m')", '{"self": 1}', 0, {}),
        "plain exit": ("import sys; sys.exit(5)", "", 5, None),
    }

    def cases(self):
        """Each case's source and the rest of it, by name."""
        tail = "\n\nif __name__ == '__main__':\n    run_main(main)\n"
        for table, decorator in ((self.CASES, "@skill_entry\n"), (self.PLAIN, "")):
            for name, (body, *rest) in sorted(table.items()):
                yield (name, HEAD + decorator + "def main(**params):\n    " + body + tail) + tuple(rest)

    def run_cases(self, *how):
        """Runs every case as a script of its own, all in one process; their exit codes and what they print."""
        scripts = {name: (source, stdin) for name, source, stdin, _, _ in self.cases()}
        driver = self.write(self.DRIVER, "driver.py")
        code, out, err = self.finish(self.start(PYTHON + list(how) + [driver]), json.dumps(scripts))
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)

    DRIVER = """
        import contextlib, contextvars, io, json, sys

        def run(source, stdin):
            sys.stdin, text = io.StringIO(stdin), io.StringIO()
            try:
                with contextlib.redirect_stdout(text):
                    exec(compile(source, "script.py", "exec"), {"__name__": "__main__"})
            except SystemExit as end:
                return end.code, text.getvalue()

        scripts = json.load(sys.stdin)
        ends = {name: contextvars.copy_context().run(run, *script) for name, script in scripts.items()}
        print(json.dumps(ends))
        """

    def test_results_are_those_of_the_contract(self):
        ends = self.run_cases(MODULE, "run")
        for name, _, _, code, fields in self.cases():
            with self.subTest(name):
                got, out = ends[name]
                self.assertEqual((got, out.count("\n")), (code, 1 if fields is not None else 0))
                result = json.loads(out or "{}")
                self.assertEqual({field: result[field] for field in fields or {}}, fields or {})

    @unittest.skipUnless(REAL, "needs the package installed, and a way to hide it")
    def test_results_are_those_of_the_package_field_by_field(self):
        theirs = self.run_cases()
        for how in ((MODULE, "run"), ("-S", MODULE, "run")):
            ours = self.run_cases(*how)
            for name in theirs:
                with self.subTest(name, how=how):
                    self.assertEqual(ours[name][0], theirs[name][0])
                    self.assertEqual(self.neutral(ours[name][1]), self.neutral(theirs[name][1]))

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
        script = self.write(HEAD + textwrap.dedent("""
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
        self.assertEqual(
            out.splitlines(),
            [
                "[('success', True), ('message', 'm'), ('error', None), ('prompt', None), ('context', {})]",
                "[('success', False), ('message', 'm'), ('error', 'e'), "
                "('prompt', 'Check the error details and try again.'), ('context', {})]",
                "named words True {'sum': 3} TypeError",
            ],
        )
