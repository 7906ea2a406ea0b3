"""What a check costs: python bench_dcctop.py [GOAL], in an interpreter that has dcc_mcp_core or not.

Each is the best of many short runs, taken in turn, in nanoseconds, with the cost
of the loop itself taken off. Exits 1 if a check of dcctop's probe costs more than
GOAL times one of a live CancelToken.
"""

import gc
import os
import sys
import timeit

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import dcctop  # noqa: E402

ROUNDS, CALLS = 60, 20000


class Bare(object):
    """An attribute that is false."""

    def __init__(self):
        self.flag = False


def measure(cases):
    """The best time of each statement, in ns a run."""
    timers = [timeit.Timer(statement, globals=dict(names)) for _, statement, names, _ in cases]
    best = [float("inf")] * len(cases)
    gc.disable()
    for _ in range(ROUNDS):
        for i, timer in enumerate(timers):
            prepare = cases[i][3]
            prepare()
            best[i] = min(best[i], timer.timeit(CALLS) / CALLS * 1e9)
    return best


def use(probe):
    """Has the checks ask this one, in place of any other."""

    def prepare():
        dcctop.set_cancel_token(probe)
        dcctop.set_current_job(probe)
        if isinstance(probe, dcctop._Probe):
            probe.ask()

    return prepare


def main():
    checks = {"check": dcctop.check_cancelled, "both": dcctop.check_dcc_cancelled}
    ours, theirs = dcctop._Probe("job-1", lambda: None), dcctop.CancelToken("job-1")
    nothing = use(None)
    form = "dcc_mcp_core" if dcctop._adopted else "dcctop"
    cases = [
        ("loop", "pass", {}, nothing),
        ("bare attribute read", "bare.flag", {"bare": Bare()}, nothing),
        ("probe.cancelled of dcctop", "probe.cancelled", {"probe": ours}, use(ours)),
        ("token.cancelled of " + form, "probe.cancelled", {"probe": theirs}, nothing),
        ("check_cancelled, nothing installed", "check()", checks, nothing),
        ("check_cancelled, dcctop's probe", "check()", checks, use(ours)),
        ("check_cancelled, live CancelToken of " + form, "check()", checks, use(theirs)),
        ("check_dcc_cancelled, dcctop's probe", "both()", checks, use(ours)),
        ("check_dcc_cancelled, live CancelToken of " + form, "both()", checks, use(theirs)),
    ]
    best = measure(cases)
    cost = dict((name, max(0.0, ns - best[0])) for (name, _, _, _), ns in zip(cases, best))
    print("Python %d.%d.%d, the checks of %s" % (sys.version_info[:3] + (form,)))
    for name, ns in cost.items():
        if name != "loop":
            print("%8.1f ns  %s" % (ns, name))
    goal = float(sys.argv[1]) if len(sys.argv) > 1 else float("inf")
    late = False
    for check in ("check_cancelled", "check_dcc_cancelled"):
        ratio = cost[check + ", dcctop's probe"] / cost[check + ", live CancelToken of " + form]
        print("%8.2f     %s with dcctop's probe, over one with a live CancelToken of %s" % (ratio, check, form))
        late = late or ratio > goal
    sys.exit(late)


if __name__ == "__main__":
    main()
