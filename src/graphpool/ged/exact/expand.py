"""Choose the row or column to map next, and the order of its candidates."""

from typing import no_type_check

from graphpool.ged.exact.assignment import FAR, forced
from graphpool.ged.exact.workspace import (
    BOUND,
    CHILDREN,
    COLUMN,
    EXPANDED,
    FINE,
    FIRST,
    LINE,
    NEXT,
    ROW,
    SECOND,
    SIDE,
    SIZE,
    UPPER,
    IntArray,
    Workspace,
)
from graphpool.ged.kernel import inlined
from graphpool.ged.pair import GedProblem


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
