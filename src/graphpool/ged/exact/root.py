"""The root of the search: load two graphs, and find a first lower and upper bound."""

from typing import no_type_check

import numpy as np

from graphpool.ged.exact.assignment import match_rows
from graphpool.ged.exact.descend import open_cost
from graphpool.ged.exact.upper import swap_descent, whole_cost
from graphpool.ged.exact.workspace import (
    BASE,
    BOUND,
    CHILDREN,
    DEPTH,
    EXPANDED,
    FINE,
    FIRST,
    FIXED,
    NEW,
    NEXT,
    NOISE,
    ROW,
    SECOND,
    SIZE,
    UPPER,
    Workspace,
)
from graphpool.ged.kernel import inlined, inner
from graphpool.ged.pair import GedProblem, load_pair

_SEED = 88172645463325252


@inner
@no_type_check
def load_root(problem: GedProblem, work: Workspace, first: int, second: int) -> None:
    """Load a pair, solve the assignment problem at the root and find a first upper bound."""
    pair, state = work.pair, work.state
    size, n, m = load_pair(problem, first, second, pair)
    state[SIZE], state[FIRST], state[SECOND], state[FINE] = size, n, m, 2
    state[DEPTH], state[EXPANDED], state[NOISE] = 0, 0, _SEED
    _count_edges(problem, work)
    _find_twins(work)
    root = np.int64(0)  # typed like the other calls, so that `open_cost` is compiled once
    halves, rate = 1 + problem.directed, problem.tables.edge_rate
    for v in range(size):
        for side in range(2):
            work.node[0, side, v] = v
            work.taken[side, v] = work.mate[0, side, v] = -1
            work.price[0, side, v] = 0
        for u in range(size):
            opened = open_cost(work.edges, root, v, u, halves, rate)
            work.cost[0, v, u] = 2 * pair.node[v, u] + opened
    bound = match_rows(size, work.cost[0], work.price[0], work.mate[0], work.scratch)
    work.level[0, BOUND], work.level[0, FIXED] = bound, 0
    work.level[0, NEXT], work.level[0, CHILDREN] = 0, NEW
    for v in range(size):
        work.best[v] = work.mate[0, ROW, v]
    state[UPPER] = whole_cost(problem, work, work.best)
    if bound <= state[FINE] * (state[UPPER] - problem.tables.unit):
        state[UPPER] = swap_descent(problem, work, work.best, state[UPPER])


@inlined
@no_type_check
def _count_edges(problem: GedProblem, work: Workspace) -> None:
    """Count the edges of every node by label, list its neighbours, and sum the edge insertions."""
    size, back = work.state[SIZE], work.edges.shape[3] // 2
    arcs = 0
    for side in range(2):
        codes = work.pair.right if side else work.pair.left
        for v in range(size):
            degree = 0
            for kind in range(work.edges.shape[3]):
                work.edges[0, side, v, kind] = 0
            for w in range(size):
                code, reverse = codes[v, w], codes[w, v]
                if code:
                    work.edges[0, side, v, code - 1] += 1
                    arcs += side
                if reverse and problem.directed:
                    work.edges[0, side, v, back + reverse - 1] += 1
                if code or reverse:
                    work.near[side, v, degree] = w
                    degree += 1
            work.degree[side, v] = degree
    work.state[BASE] = (arcs if problem.directed else arcs // 2) * problem.tables.edge[0, 1]


@inlined
@no_type_check
def _find_twins(work: Workspace) -> None:
    """Find for each row and column the nearest earlier one that is equal."""
    size, node, twin = work.state[SIZE], work.pair.node, work.twin
    for side in range(2):
        codes = work.pair.right if side else work.pair.left
        for v in range(size):
            twin[side, v] = -1
            for w in range(v - 1, -1, -1):
                alike = codes[v, w] == codes[w, v]
                t = 0
                while alike and t < size:
                    alike = node[t, v] == node[t, w] if side else node[v, t] == node[w, t]
                    if alike and t != v and t != w:
                        alike = codes[v, t] == codes[w, t] and codes[t, v] == codes[t, w]
                    t += 1
                if alike:
                    twin[side, v] = w
                    break
