"""Depth-first branch and bound over partial mappings.

Each level maps one more node. The bound of a partial mapping is the cost among mapped nodes plus
an assignment problem over the open ones. The cost of a row and a column is that of substituting
the nodes and their edges to mapped nodes, and half of the difference of their open edges (the
anchor-aware branch bound of Chang et al., 2020). The problem is solved incrementally, and its
solution is itself a mapping, whose cost is an upper bound. Entries whose reduced cost closes the
gap are forbidden in the subtree, and the search continues at the line (row or column) with few
candidates and many edges. Of nodes that are equal only one is tried.
"""

from typing import no_type_check

from graphpool.ged.exact.assignment import FAR, forced
from graphpool.ged.exact.descend import descend
from graphpool.ged.exact.root import load_root
from graphpool.ged.exact.upper import kick, swap_descent, whole_cost
from graphpool.ged.exact.workspace import (
    BOUND,
    BUDGET,
    CHILDREN,
    COLUMN,
    DEPTH,
    EXPANDED,
    FINE,
    FIRST,
    LEFT,
    LINE,
    NEW,
    NEXT,
    ROW,
    SECOND,
    SIDE,
    SIZE,
    TAKEN_COLUMN,
    TAKEN_ROW,
    UPPER,
    Workspace,
)
from graphpool.ged.kernel import IntArray, inlined, kernel
from graphpool.ged.pair import GedProblem
from graphpool.ged.result import Answers

# Partial mappings between two kicks of the best mapping: few for the first kicks, then more.
_FIRST_KICK = 64
_OFTEN, _SELDOM = 16, 128
_KICKS = 8


@inlined
@no_type_check
def expand(problem: GedProblem, work: Workspace, depth: int) -> None:
    """Forbid entries that can't be part of a better mapping, choose a line, list its children."""
    state, level = work.state, work.level[depth]
    open_ = state[SIZE] - depth
    slack = state[FINE] * (state[UPPER] - problem.tables.unit) - level[BOUND]
    cost, node, price = work.cost[depth], work.node[depth], work.price[depth]
    # A position with an open twin before it would only repeat the twin.
    ways, spare = work.child[depth, 0], work.child[depth, 1]
    for j in range(open_):
        twin = work.twin[COLUMN, node[COLUMN, j]]
        spare[j] = 1 if twin >= 0 and work.taken[COLUMN, twin] < 0 else 0
        ways[j] = 0
    # Lines with few candidates and many edges come first. Measured on molecules of 20 nodes: by
    # candidates alone 11,200 partial mappings are expanded, by this 760.
    fewest, most, line, side = 1, 0, 0, ROW  # candidates and edges of the line
    for i in range(open_):
        twin = work.twin[ROW, node[ROW, i]]
        single = 0 if twin >= 0 and work.taken[ROW, twin] < 0 else 1
        count = 0
        limit = slack + price[ROW, i]
        for j in range(open_):
            if cost[i, j] - price[COLUMN, j] > limit:
                cost[i, j] = FAR
            else:
                ways[j] += single
                count += 1 - spare[j]
        if single and node[ROW, i] < state[FIRST]:
            edges = _weight(work.edges, depth, ROW, i, work.degree[ROW, node[ROW, i]])
            if count * most < fewest * edges:
                fewest, most, line = count, edges, i
    for j in range(open_):
        if not spare[j] and node[COLUMN, j] < state[SECOND]:
            edges = _weight(work.edges, depth, COLUMN, j, work.degree[COLUMN, node[COLUMN, j]])
            if ways[j] * most < fewest * edges:
                fewest, most, line, side = ways[j], edges, j, COLUMN
    child, bound = work.child[depth, 0], work.child[depth, 1]
    forced(side, line, open_, cost, price, work.mate[depth], work.scratch, bound, slack)
    count = 0
    other = 1 - side
    for p in range(open_):
        increase = bound[p]
        if increase > slack:
            continue
        twin = work.twin[other, node[other, p]]
        if twin >= 0 and work.taken[other, twin] < 0:
            continue
        at = count
        while at > 0 and bound[at - 1] > increase:
            bound[at], child[at] = bound[at - 1], child[at - 1]
            at -= 1
        bound[at], child[at] = increase, p
        count += 1
    for at in range(count):
        bound[at] += level[BOUND]
    level[NEXT], level[CHILDREN], level[LINE], level[SIDE] = 0, count, line, side
    state[EXPANDED] += 1


@inlined
@no_type_check
def _weight(edges: IntArray, depth: int, side: int, position: int, degree: int) -> int:
    """Return the number of edges of a node, open ones twice, plus 1."""
    total = 1 + degree
    for kind in range(edges.shape[3]):
        total += edges[depth, side, position, kind]
    return total


@inlined
@no_type_check
def _take(work: Workspace, depth: int, i: int, j: int) -> None:
    """Record that row i and column j of level `depth` are mapped on the next level."""
    v, u = work.node[depth, ROW, i], work.node[depth, COLUMN, j]
    work.taken[ROW, v], work.taken[COLUMN, u] = u, v
    work.level[depth + 1, TAKEN_ROW], work.level[depth + 1, TAKEN_COLUMN] = v, u


@inlined
@no_type_check
def _leave(work: Workspace, depth: int) -> int:
    """Undo `_take`, which led to level `depth`; return the level before."""
    if depth > 0:
        work.taken[ROW, work.level[depth, TAKEN_ROW]] = -1
        work.taken[COLUMN, work.level[depth, TAKEN_COLUMN]] = -1
    return depth - 1


@inlined
@no_type_check
def _is_kick_due(expanded: int, size: int) -> bool:
    """Whether to kick the best mapping after so many expanded partial mappings."""
    often = expanded <= _OFTEN * _KICKS * size
    return expanded >= _FIRST_KICK and expanded % (_OFTEN if often else _SELDOM) == 0


@inlined
@no_type_check
def _try_whole(problem: GedProblem, work: Workspace, depth: int) -> None:
    """Save the mapped nodes with the assignment of the open ones if it is the best mapping."""
    size = work.state[SIZE]
    whole = work.trial[ROW]
    for w in range(size):
        whole[w] = work.taken[ROW, w]
    for b in range(size - depth):
        whole[work.node[depth, ROW, b]] = work.node[depth, COLUMN, work.mate[depth, ROW, b]]
    cost = whole_cost(problem, work, whole)
    if cost < work.state[UPPER]:
        # Small pairs are solved before an exchange of nodes pays.
        if work.state[EXPANDED] >= _FIRST_KICK:
            cost = swap_descent(problem, work, whole, cost)
        work.state[UPPER] = cost
        for w in range(size):
            work.best[w] = whole[w]


@inlined
@no_type_check
def lower_bound(problem: GedProblem, work: Workspace) -> int:
    """Return the lower bound that the search has proved so far."""
    lower, unit = work.state[UPPER], problem.tables.unit
    for depth in range(work.state[DEPTH] + 1):
        at, count = work.level[depth, NEXT], work.level[depth, CHILDREN]
        if count == NEW or at < count:
            bound = work.level[depth, BOUND] if count == NEW else work.child[depth, 1, at]
            lower = min(lower, -(-bound // (work.state[FINE] * unit)) * unit)
    return lower


@inlined
@no_type_check
def record_answer(problem: GedProblem, work: Workspace, at: int, answers: Answers) -> None:
    """Write the bounds and the best mapping of pair number `at` to `answers`."""
    answers.lower[at], answers.upper[at] = lower_bound(problem, work), work.state[UPPER]
    answers.expanded[at] = work.state[EXPANDED]
    for v in range(work.state[SIZE]):
        answers.mapping[at, v] = work.best[v]


@kernel
@no_type_check
def run(
    problem: GedProblem,
    work: Workspace,
    pairs: IntArray,
    at: int,
    most: int,
    patience: int,
    answers: Answers,
) -> int:
    """Solve pairs from number `at` on until all are done, one is hard, or BUDGET is spent.

    This is the only function of the search that Python calls, and calls each large function once,
    because these are inlined, and inlining what has inlined others takes long.

    Args:
        at: the first pair; their number to continue just the search in `work`.
        most: number of partial mappings to expand for a pair, at least the root.
        patience: work before a pair counts as hard, in units of its size to the fourth power,
            which a sweep of `ascent` takes.

    Returns:
        The pair to continue with. If DEPTH is 0 or more its search has begun, and if LEFT is 0
        or less it is a hard pair.
    """
    state, level, unit = work.state, work.level, problem.tables.unit
    while True:
        if state[DEPTH] < 0:
            if at >= pairs.shape[0] or state[BUDGET] <= 0:
                return at
            load_root(problem, work, pairs[at, 0], pairs[at, 1])
            state[BUDGET] -= state[SIZE] ** 2
            state[LEFT] = patience * state[SIZE] ** 4
        depth = state[DEPTH]
        while depth >= 0 and (
            level[depth, CHILDREN] == NEW
            or (min(state[BUDGET], state[LEFT]) > 0 and state[EXPANDED] < most)
        ):
            if level[depth, CHILDREN] != NEW:
                child = level[depth, NEXT]
                limit = state[FINE] * (state[UPPER] - unit)
                if child >= level[depth, CHILDREN] or work.child[depth, 1, child] > limit:
                    depth = _leave(work, depth)
                    continue
                level[depth, NEXT] = child + 1
                i, j = level[depth, LINE], work.child[depth, 0, child]
                if level[depth, SIDE] == COLUMN:
                    i, j = j, i
                open_ = state[SIZE] - depth
                state[BUDGET] -= open_ * open_
                state[LEFT] -= open_ * open_
                bound = descend(problem, work, depth, i, j, limit)
                if bound > limit:
                    continue
                _take(work, depth, i, j)
                depth += 1
                level[depth, BOUND] = bound
                _try_whole(problem, work, depth)
            if level[depth, BOUND] > state[FINE] * (state[UPPER] - unit):
                depth = _leave(work, depth)
                continue
            expand(problem, work, depth)
            if depth > 0 and _is_kick_due(state[EXPANDED], state[SIZE]):
                kick(problem, work)
        state[DEPTH] = depth
        if at >= pairs.shape[0] or (depth >= 0 and state[EXPANDED] < most):
            return at
        record_answer(problem, work, at, answers)
        state[DEPTH] = -1
        at += 1
