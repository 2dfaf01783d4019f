"""Upper bounds: the cost of a complete mapping, and better mappings by exchanging nodes.

Only edges of the first graph are visited. BASE is the cost of inserting every edge of the second
graph; an edge mapped to another one costs its substitution less that insertion, and an edge mapped
to none costs its deletion.
"""

from typing import no_type_check

import numpy as np

from graphpool.ged.exact.workspace import BASE, NOISE, ROW, SIZE, UPPER, Workspace
from graphpool.ged.kernel import IntArray, inner
from graphpool.ged.pair import GedProblem

_EXCHANGES = 4


@inner
@no_type_check
def whole_cost(problem: GedProblem, work: Workspace, mapping: IntArray) -> int:
    """Return the cost of the edit path of a complete mapping."""
    edge, left, right = problem.tables.edge, work.pair.left, work.pair.right
    total = work.state[BASE]
    for v in range(work.state[SIZE]):
        u = mapping[v]
        total += work.pair.node[v, u]
        for at in range(work.degree[ROW, v]):
            w = work.near[ROW, v, at]
            if problem.directed or w < v:
                after = right[u, mapping[w]]
                total += edge[left[v, w], after] - edge[0, after]
    return total


@inner
@no_type_check
def swap_descent(problem: GedProblem, work: Workspace, mapping: IntArray, cost: int) -> int:
    """Exchange the images of two nodes while that makes `mapping` cheaper; return its cost."""
    edge, left, right = problem.tables.edge, work.pair.left, work.pair.right
    node, near, degree = work.pair.node, work.near, work.degree
    size = work.state[SIZE]
    since, v, w = 0, 1, 0
    pairs = size * (size - 1) // 2
    while since < pairs:
        u, x = mapping[v], mapping[w]
        change = node[v, x] + node[w, u] - node[v, u] - node[w, x]
        for _ in range(2):
            for at in range(degree[ROW, v]):
                t = near[ROW, v, at]
                if t != w:
                    y = mapping[t]
                    code, old, new = left[v, t], right[u, y], right[x, y]
                    if old != new:
                        change += edge[code, new] - edge[0, new] - edge[code, old] + edge[0, old]
                    if problem.directed:
                        code, old, new = left[t, v], right[y, u], right[y, x]
                        if old != new:
                            change += edge[code, new] - edge[0, new]
                            change -= edge[code, old] - edge[0, old]
            v, w, u, x = w, v, x, u
        if problem.directed:
            old, new = right[u, x], right[x, u]
            for code, sign in ((left[v, w], 1), (left[w, v], -1)):
                change += sign * (edge[code, new] - edge[0, new] - edge[code, old] + edge[0, old])
        since += 1
        if change < 0:
            mapping[v], mapping[w] = x, u
            cost += change
            since = 0
        w += 1
        if w == v:
            v, w = v + 1, 0
            if v == size:
                v = 1
    return cost


@inner
@no_type_check
def kick(problem: GedProblem, work: Workspace) -> None:
    """Exchange random nodes of the best mapping, and keep the result of local search from there."""
    state, best, trial = work.state, work.best, work.trial[ROW]
    size = state[SIZE]
    noise = np.uint64(state[NOISE])
    for v in range(size):
        trial[v] = best[v]
    for _ in range(_EXCHANGES):
        noise ^= noise << np.uint64(13)
        noise ^= noise >> np.uint64(7)
        noise ^= noise << np.uint64(17)
        v = np.int64((noise >> np.uint64(33)) % np.uint64(size))
        w = np.int64((noise & np.uint64(0xFFFFFFFF)) % np.uint64(size))
        trial[v], trial[w] = trial[w], trial[v]
    state[NOISE] = np.int64(noise)
    cost = swap_descent(problem, work, trial, whole_cost(problem, work, trial))
    if cost <= state[UPPER]:
        state[UPPER] = cost
        for v in range(size):
            best[v] = trial[v]
