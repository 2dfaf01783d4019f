"""Edit paths from one assignment of nodes that looks at each node with its own edges only."""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.assignment import Assignment, hungarian, make_assignment, volgenant_jonker
from graphpool.ged.kernel import compiled
from graphpool.ged.label_bags import Rates, find_rates
from graphpool.ged.local_edge_costs import Local, load_local, make_local
from graphpool.ged.methods.lower_bounds import Bags, label_bound, make_bags
from graphpool.ged.node_table import room_size
from graphpool.ged.pair import Pair, Task, load_pair, make_pair, mapping_cost
from graphpool.ged.result import Answers, Limits


class Bipartite(NamedTuple):
    """Room for one pair; `cost` is the matrix of n + m rows and columns."""

    local: Local
    cost: NDArray[np.int64]
    assignment: Assignment
    free: NDArray[np.bool_]


def make_bipartite(task: Task, size: int) -> Bipartite:
    """Room for a pair of `size` nodes after filling up."""
    both = size if task.tables.deletes else 2 * size
    return Bipartite(
        make_local(size),
        np.zeros((both, both), dtype=np.int64),
        make_assignment(both),
        np.zeros(size, dtype=np.bool_),
    )


def solve_hungarian(task: Task, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """Riesen and Bunke, 2009, with Kuhn's and Munkres' method; cubic time, limits do not matter.

    The lower bound beside it is the label bound.
    """
    return _solve(task, pairs, jonker=0)


def solve_vj(task: Task, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """Fankhauser, Riesen and Bunke, 2011: the same matrix solved by Volgenant and Jonker's method.

    The assignment costs the same as the one of `solve_hungarian`, but can be another one, and
    then its edit path can be cheaper or dearer.
    """
    return _solve(task, pairs, jonker=1)


def _solve(task: Task, pairs: NDArray[np.int64], jonker: int) -> Answers:
    size = room_size(task, pairs)
    answers = Answers.empty(len(pairs), size)
    rates, bags = find_rates(task.tables), make_bags(task)
    _match_all(
        task, rates, bags, make_pair(size), make_bipartite(task, size), pairs, jonker, answers
    )
    return answers


@compiled
@no_type_check
def _match_all(
    task: Task,
    rates: Rates,
    bags: Bags,
    pair: Pair,
    room: Bipartite,
    pairs: NDArray[np.int64],
    jonker: int,
    answers: Answers,
) -> None:
    for at in range(pairs.shape[0]):
        first, second = pairs[at, 0], pairs[at, 1]
        size, n, m = load_pair(task, first, second, pair)
        load_local(task, rates, first, second, max(n, m), room.local)
        mapping = answers.mapping[at]
        answers.upper[at] = match_nodes(task, rates, pair, room, size, n, m, jonker, mapping)
        answers.lower[at] = label_bound(task, rates, bags, first, second)


@compiled
@no_type_check
def match_nodes(
    task: Task,
    rates: Rates,
    pair: Pair,
    room: Bipartite,
    size: int,
    n: int,
    m: int,
    jonker: int,
    mapping: NDArray[np.int32],
) -> int:
    """The cost of the edit path of the cheapest assignment, which goes to `mapping`.

    Where deletions are never worth it, the path of pair.py has fewer nodes than the matrix:
    a node that the assignment deletes is then put, one after the other, on the inserted node
    with the least entry, as far as there are some. That never costs more than the deletion and
    the insertion.
    """
    _fill(task, rates, pair, room, n, m)
    if jonker:
        volgenant_jonker(room.cost, n + m, room.assignment)
    else:
        hungarian(room.cost, n + m, room.assignment)
    chosen = room.assignment.column_of
    if task.tables.deletes:
        for v in range(size):
            mapping[v] = chosen[v]
    else:
        for u in range(size):
            room.free[u] = True
        for v in range(n):
            if chosen[v] < m:
                room.free[chosen[v]] = False
        for v in range(size):
            mapping[v] = chosen[v] if v < n and chosen[v] < m else -1
        for v in range(size):
            if mapping[v] < 0:
                mapping[v] = _place(room, v, n, m, size)
    return mapping_cost(task, pair, size, mapping)


@compiled
@no_type_check
def _place(room: Bipartite, v: int, n: int, m: int, size: int) -> int:
    """The free column for row v: real with real by the least entry, else the first one."""
    best = -1
    for u in range(size):
        if not room.free[u]:
            continue
        if best < 0 or (v < n and u < m and room.cost[v, u] < room.cost[v, best]):
            best = u
    room.free[best] = False
    return best


@compiled
@no_type_check
def _fill(task: Task, rates: Rates, pair: Pair, room: Bipartite, n: int, m: int) -> None:
    """Substitutions, and on two diagonals deletions and insertions; the last block is free."""
    edge, cost, local = task.tables.edge, room.cost, room.local
    ways = 2 if task.directed else 1
    beyond = 1
    for v in range(n):
        for u in range(m):
            cost[v, u] = pair.node[v, u] + local.edges[v, u]
            beyond = max(beyond, cost[v, u])
    for v in range(n):
        cost[v, m + v] = rates.node_take + edge[local.left.loop[v], 0]
        for way in range(ways):
            cost[v, m + v] += rates.edge_take * local.left.degree[way, v]
        beyond = max(beyond, cost[v, m + v])
    for u in range(m):
        cost[n + u, u] = rates.node_give + edge[0, local.right.loop[u]]
        for way in range(ways):
            cost[n + u, u] += rates.edge_give * local.right.degree[way, u]
        beyond = max(beyond, cost[n + u, u])
    # No assignment with a forbidden entry can then cost as little as one without.
    beyond = (n + m) * beyond + 1
    for v in range(n):
        for w in range(n):
            if w != v:
                cost[v, m + w] = beyond
    for u in range(m):
        for x in range(m):
            if x != u:
                cost[n + x, u] = beyond
        for v in range(n):
            cost[n + u, m + v] = 0
