"""The exact edit distance by depth-first branch and bound."""

import time

from graphpool.ged.exact.hard import HardPair, prepare
from graphpool.ged.exact.search import record_answer, run
from graphpool.ged.exact.workspace import BUDGET, DEPTH, LEFT, make_workspace
from graphpool.ged.kernel import IntArray
from graphpool.ged.pair import GedProblem, padded_size
from graphpool.ged.result import Answers, Limits

_STEP = 10**8  # work between two checks for Ctrl-C, some tenths of a second
_SHORT_STEP = 10**6  # work between two checks of the time limit
_ENDLESS = 1 << 60
PATIENCE = 32
_PLAIN_SHARE = 0.2  # of the time limit of a pair, before it counts as hard


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
    at, since = 0, time.perf_counter()
    if limits.seconds is not None:
        # Loading compiled code counts, but even if it has to be compiled first, half of the time
        # is left for the search.
        run(problem, work, pairs, len(pairs), most, PATIENCE, answers)
        prepare()
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
            record_answer(problem, work, at, answers)
            answers.lower[at] = lower
            work.state[DEPTH] = -1
            at, since = at + 1, time.perf_counter()
    return answers
