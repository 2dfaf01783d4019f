"""Depth-first branch and bound over partial mappings.

Each level maps one more node. The bound of a partial mapping is the cost among mapped nodes plus
an assignment problem over the open ones, in which a row and a column cost their node
substitution, their edges to mapped nodes, and half of what their open edges differ in (the
anchor-aware branch bound of Chang et al., 2020). It is solved incrementally, and its solution is
itself a mapping, whose cost is an upper bound. A row and column whose reduced cost closes the gap
are forbidden from there on, and the search goes on at the line, row or column, that has the
fewest ways left. Of nodes that are exactly alike only one is tried.
"""

from typing import no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.exact.descend import descend
from graphpool.ged.exact.expand import expand
from graphpool.ged.exact.root import lay_out
from graphpool.ged.exact.upper import kick, swap_descent, whole_cost
from graphpool.ged.exact.workspace import (
    BOUND,
    BUDGET,
    CHILDREN,
    COLUMN,
    DEPTH,
    EXPANDED,
    FINE,
    LEFT,
    LINE,
    NEXT,
    ROW,
    SIDE,
    SIZE,
    TAKEN_COLUMN,
    TAKEN_ROW,
    UPPER,
    Workspace,
)
from graphpool.ged.kernel import inlined, kernel
from graphpool.ged.pair import Task
from graphpool.ged.result import Answers

# Partial mappings between two kicks of the best mapping: often for some kicks a node, then seldom.
_FIRST_KICK = 64
_OFTEN, _SELDOM = 16, 128
_KICKS = 8


@inlined
@no_type_check
def _take(work: Workspace, depth: int, i: int, j: int) -> None:
    """Note that row i and column j of level `depth` are mapped on the next one."""
    v, u = work.node[depth, ROW, i], work.node[depth, COLUMN, j]
    work.taken[ROW, v], work.taken[COLUMN, u] = u, v
    work.level[depth + 1, TAKEN_ROW], work.level[depth + 1, TAKEN_COLUMN] = v, u


@inlined
@no_type_check
def _leave(work: Workspace, depth: int) -> None:
    """Undo `_take`, which led to level `depth`."""
    if depth > 0:
        work.taken[ROW, work.level[depth, TAKEN_ROW]] = -1
        work.taken[COLUMN, work.level[depth, TAKEN_COLUMN]] = -1


@inlined
@no_type_check
def _try_whole(task: Task, work: Workspace, depth: int) -> None:
    """Keep the mapped nodes and the assignment of the open ones, if they are the best mapping."""
    size = work.state[SIZE]
    whole = work.place[ROW]
    for w in range(size):
        whole[w] = work.taken[ROW, w]
    for b in range(size - depth):
        whole[work.node[depth, ROW, b]] = work.node[depth, COLUMN, work.mate[depth, ROW, b]]
    cost = whole_cost(task, work, whole)
    if cost < work.state[UPPER]:
        # Small pairs are done before an exchange of nodes pays.
        if work.state[EXPANDED] >= _FIRST_KICK:
            cost = swap_descent(task, work, whole, cost)
        work.state[UPPER] = cost
        for w in range(size):
            work.best[w] = whole[w]


@kernel
@no_type_check
def search(task: Task, work: Workspace, most: int) -> None:
    """Go on until done (DEPTH is -1), BUDGET or LEFT are spent, or `most` are expanded."""
    state, unit = work.state, task.tables.unit
    depth = state[DEPTH]
    while depth >= 0 and min(state[BUDGET], state[LEFT]) > 0 and state[EXPANDED] < most:
        at = work.level[depth, NEXT]
        limit = state[FINE] * (state[UPPER] - unit)
        if at >= work.level[depth, CHILDREN] or work.child[depth, 1, at] > limit:
            _leave(work, depth)
            depth -= 1
            continue
        work.level[depth, NEXT] = at + 1
        i, j = work.level[depth, LINE], work.child[depth, 0, at]
        if work.level[depth, SIDE] == COLUMN:
            i, j = j, i
        open_ = state[SIZE] - depth
        state[BUDGET] -= open_ * open_
        state[LEFT] -= open_ * open_
        bound = descend(task, work, depth, i, j, limit)
        if bound > limit:
            continue
        _take(work, depth, i, j)
        depth += 1
        work.level[depth, BOUND] = bound
        _try_whole(task, work, depth)
        if bound > state[FINE] * (state[UPPER] - unit):
            _leave(work, depth)
            depth -= 1
            continue
        expand(task, work, depth)
        count = state[EXPANDED]
        often = count <= _OFTEN * _KICKS * state[SIZE]
        if count >= _FIRST_KICK and count % (_OFTEN if often else _SELDOM) == 0:
            kick(task, work)
    state[DEPTH] = depth


@kernel
@no_type_check
def lower_bound(task: Task, work: Workspace) -> int:
    """What no mapping can fall below, as far as the search has come."""
    lower, unit = work.state[UPPER], task.tables.unit
    for depth in range(work.state[DEPTH] + 1):
        at = work.level[depth, NEXT]
        if at < work.level[depth, CHILDREN]:
            bound = work.child[depth, 1, at]
            lower = min(lower, -(-bound // (work.state[FINE] * unit)) * unit)
    return lower


@kernel
@no_type_check
def set_out(task: Task, work: Workspace) -> None:
    """Begin a search at the root that `work` holds."""
    state = work.state
    if work.level[0, BOUND] <= state[FINE] * (state[UPPER] - task.tables.unit):
        expand(task, work, 0)
    else:
        state[DEPTH] = -1


@kernel
@no_type_check
def note(task: Task, work: Workspace, at: int, answers: Answers) -> None:
    """Write down what is known of pair number `at`."""
    answers.lower[at], answers.upper[at] = lower_bound(task, work), work.state[UPPER]
    answers.expanded[at] = work.state[EXPANDED]
    for v in range(work.state[SIZE]):
        answers.mapping[at, v] = work.best[v]


@kernel
@no_type_check
def run(
    task: Task,
    work: Workspace,
    pairs: NDArray[np.int64],
    at: int,
    most: int,
    patience: int,
    answers: Answers,
) -> int:
    """Answer pairs from number `at` on until all are done, one is hard, or BUDGET is spent.

    Returns:
        The pair to go on with; while DEPTH is 0 or more it is in the middle of that, and while
        LEFT is 0 or less that is a hard one.

    Args:
        patience: work before a pair counts as hard, in units of its size to the fourth, which a
            sweep of `ascent` takes.
    """
    state = work.state
    while at < pairs.shape[0]:
        if state[DEPTH] < 0:
            if state[BUDGET] <= 0:
                return at
            lay_out(task, work, pairs[at, 0], pairs[at, 1])
            set_out(task, work)
            state[BUDGET] -= state[SIZE] ** 2
            state[LEFT] = patience * state[SIZE] ** 4
        search(task, work, most)
        if state[DEPTH] >= 0 and state[EXPANDED] < most:
            return at
        note(task, work, at, answers)
        state[DEPTH] = -1
        at += 1
    return at
