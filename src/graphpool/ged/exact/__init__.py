"""The exact edit distance by depth-first branch and bound."""

import time

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.exact.hard import Division, prepare
from graphpool.ged.exact.search import note, run
from graphpool.ged.exact.workspace import BUDGET, DEPTH, LEFT, make_workspace
from graphpool.ged.pair import Task
from graphpool.ged.result import Answers, Limits

_STEP = 10**8  # work between two looks at the keyboard, some tenths of a second
_SHORT_STEP = 10**6  # and at the clock
_ENDLESS = 1 << 60
PATIENCE = 32
_PLAIN_SHARE = 0.2  # of the time for a pair, before it counts as hard


def solve(task: Task, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """The distance of each pair, proved unless `limits` stop the search first.

    The search runs in compiled steps, so that a pair without end can be left, by the clock or
    by the keyboard.
    """
    size = largest(task, pairs)
    kinds = (len(task.tables.edge) - 1) * (2 if task.directed else 1)
    work, answers = make_workspace(size, kinds), Answers.empty(len(pairs), size)
    most = _ENDLESS if limits.expanded is None else limits.expanded
    seconds = float("inf") if limits.seconds is None else limits.seconds
    work.state[DEPTH] = -1
    at, since = 0, time.perf_counter()
    if limits.seconds is not None:
        # Loading compiled code counts, but even where it is compiled first, half is for the search.
        run(task, work, pairs, len(pairs), most, PATIENCE, answers)
        prepare()
        since = max(since, time.perf_counter() - seconds / 2)
    while at < len(pairs):
        work.state[BUDGET] = _STEP if limits.seconds is None else _SHORT_STEP
        reached = run(task, work, pairs, at, most, PATIENCE, answers)
        spent = time.perf_counter() - since
        if reached > at:
            at, since = reached, time.perf_counter()
        elif work.state[LEFT] <= 0 or spent > _PLAIN_SHARE * seconds:
            end = since + seconds
            hard = Division(task, work, most, lambda end=end: time.perf_counter() >= end)
            lower = hard.finish()
            note(task, work, at, answers)
            answers.lower[at] = lower
            work.state[DEPTH] = -1
            at, since = at + 1, time.perf_counter()
    return answers


def largest(task: Task, pairs: NDArray[np.int64]) -> int:
    """Nodes of the largest pair after filling up."""
    sizes = np.diff(task.graphs.node_ptr)[pairs]
    return int((sizes.sum(1) if task.tables.deletes else sizes.max(1)).max(initial=0))
