"""The exact edit distance by depth-first branch and bound.

Compiling the search takes up to twenty seconds, once per machine. Most pairs of small graphs are
solved long before by the same search as plain Python, so it is only compiled for what is then left.
"""

import time
from functools import cache

import numpy as np

from graphpool.ged.collection import collect
from graphpool.ged.costs import Costs
from graphpool.ged.exact.hard import HardPair, prepare
from graphpool.ged.exact.search import record_answer, run
from graphpool.ged.exact.workspace import BUDGET, DEPTH, LEFT, Workspace, make_workspace
from graphpool.ged.kernel import IntArray
from graphpool.ged.pair import GedProblem, make_problem, padded_size
from graphpool.ged.result import Answers, Limits
from graphpool.numba_cache import interpreted, is_ready

_STEP = 10**8  # work between two checks for Ctrl-C, some tenths of a second
_SHORT_STEP = 10**6  # work between two checks of the time limit
_ENDLESS = 1 << 60
PATIENCE = 32
_PLAIN_SHARE = 0.2  # of the time limit of a pair, before it counts as hard
_UNCOMPILED = 1.0  # seconds of plain Python before the search is compiled
_UNCOMPILED_STEP = 20_000  # work between two checks of that time, some hundredths of a second
_UNCOMPILED_SIZE = 50  # nodes up to which the root of a pair is a matter of tenths of a second
_python_run = cache(interpreted)
_record_answer = interpreted(record_answer)


def solve(problem: GedProblem, pairs: IntArray, limits: Limits) -> Answers:
    """Compute the distance of each pair, with proof unless `limits` stop the search first.

    The search runs in compiled steps, so that a time limit or Ctrl-C can stop a hard pair.
    """
    size = padded_size(problem, pairs)
    kinds = (len(problem.tables.edge) - 1) * (2 if problem.directed else 1)
    work, answers = make_workspace(size, kinds), Answers.empty(len(pairs), size)
    most = _ENDLESS if limits.expanded is None else limits.expanded
    seconds = float("inf") if limits.seconds is None else limits.seconds
    work.state[DEPTH] = -1
    at = 0 if is_ready(run) or size > _UNCOMPILED_SIZE else _solve_uncompiled(
        problem, work, pairs, most, min(_UNCOMPILED, seconds / 2), answers
    )  # fmt: skip
    since = time.perf_counter()
    if at == len(pairs):
        return answers
    if limits.seconds is not None:
        # Loading compiled code counts, but even if it has to be compiled first, half of the time
        # is left for the search.
        load_search()
        since = max(since, time.perf_counter() - seconds / 2)
    while at < len(pairs):
        work.state[BUDGET] = _STEP if limits.seconds is None else _SHORT_STEP
        reached = run(problem, work, pairs, at, most, PATIENCE, answers)
        spent = time.perf_counter() - since
        if reached > at:
            at, since = reached, time.perf_counter()
        elif work.state[LEFT] <= 0 or spent > _PLAIN_SHARE * seconds:
            end = since + seconds
            hard = HardPair(problem, work, most, lambda end=end: time.perf_counter() >= end)
            lower = hard.finish()
            _record_answer(problem, work, at, answers)
            answers.lower[at] = lower
            work.state[DEPTH] = -1
            at, since = at + 1, time.perf_counter()
    return answers


@cache
def load_search() -> None:
    """Load the compiled search, or compile it, so that this is not timed with the first pairs."""
    problem = make_problem(collect([(1, [])]), Costs())
    work, none = make_workspace(1, 1), np.zeros((0, 2), dtype=np.int64)
    work.state[DEPTH] = -1
    run(problem, work, none, 0, _ENDLESS, PATIENCE, Answers.empty(0, 1))
    prepare()


def _solve_uncompiled(
    problem: GedProblem,
    work: Workspace,
    pairs: IntArray,
    most: int,
    seconds: float,
    answers: Answers,
) -> int:
    """Solve pairs in plain Python for some seconds; return the pair to continue with.

    A search that is not finished is in `work`, and continues from there.
    """
    search, at, end = _python_run(run), 0, time.perf_counter() + seconds
    while at < len(pairs) and time.perf_counter() < end:
        work.state[BUDGET] = _UNCOMPILED_STEP
        at = search(problem, work, pairs[: at + 1], at, most, PATIENCE, answers)
        if work.state[DEPTH] >= 0 and work.state[LEFT] <= 0:
            break
    return at
