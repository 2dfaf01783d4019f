"""Bipartite methods: an edit path from one assignment of nodes, each with its own edges only."""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.assignment import (
    AssignmentWorkspace,
    hungarian,
    make_assignment_workspace,
    volgenant_jonker,
)
from graphpool.ged.kernel import compiled
from graphpool.ged.label_bags import Rates, find_rates
from graphpool.ged.local_edge_costs import (
    LocalEdgeCosts,
    load_local_edge_costs,
    make_local_edge_costs,
)
from graphpool.ged.methods.lower_bounds import LabelBags, label_bound, make_label_bags
from graphpool.ged.pair import GedProblem, Pair, load_pair, make_pair, mapping_cost, padded_size
from graphpool.ged.result import Answers, Limits


class BipartiteWorkspace(NamedTuple):
    """The arrays for one pair; `cost` is the matrix of n + m rows and columns."""

    local: LocalEdgeCosts
    cost: NDArray[np.int64]
    assignment: AssignmentWorkspace
    free: NDArray[np.bool_]


def make_bipartite_workspace(problem: GedProblem, size: int) -> BipartiteWorkspace:
    """Allocate arrays for a pair of `size` nodes after padding."""
    both = size if problem.tables.deletes else 2 * size
    return BipartiteWorkspace(
        make_local_edge_costs(size),
        np.zeros((both, both), dtype=np.int64),
        make_assignment_workspace(both),
        np.zeros(size, dtype=np.bool_),
    )


def solve_hungarian(problem: GedProblem, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """Find an edit path as Riesen and Bunke, 2009, with Kuhn's and Munkres' method.

    It takes cubic time, and `limits` are not used. The lower bound is the label bound.
    """
    return _solve(problem, pairs, jonker=0)


def solve_vj(problem: GedProblem, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """Find an edit path as Fankhauser, Riesen and Bunke, 2011, with Volgenant and Jonker's method.

    The assignment has the same cost as that of `solve_hungarian`, but may be a different one,
    whose edit path can be cheaper or more expensive.
    """
    return _solve(problem, pairs, jonker=1)


def _solve(problem: GedProblem, pairs: NDArray[np.int64], jonker: int) -> Answers:
    size = padded_size(problem, pairs)
    answers = Answers.empty(len(pairs), size)
    rates, bags = find_rates(problem.tables), make_label_bags(problem)
    _match_all(
        problem,
        rates,
        bags,
        make_pair(size),
        make_bipartite_workspace(problem, size),
        pairs,
        jonker,
        answers,
    )
    return answers


@compiled
@no_type_check
def _match_all(
    problem: GedProblem,
    rates: Rates,
    bags: LabelBags,
    pair: Pair,
    work: BipartiteWorkspace,
    pairs: NDArray[np.int64],
    jonker: int,
    answers: Answers,
) -> None:
    for at in range(pairs.shape[0]):
        first, second = pairs[at, 0], pairs[at, 1]
        size, n, m = load_pair(problem, first, second, pair)
        load_local_edge_costs(problem, rates, first, second, max(n, m), work.local)
        mapping = answers.mapping[at]
        answers.upper[at] = match_nodes(problem, rates, pair, work, size, n, m, jonker, mapping)
        answers.lower[at] = label_bound(problem, rates, bags, first, second)


@compiled
@no_type_check
def match_nodes(
    problem: GedProblem,
    rates: Rates,
    pair: Pair,
    work: BipartiteWorkspace,
    size: int,
    n: int,
    m: int,
    jonker: int,
    mapping: NDArray[np.int32],
) -> int:
    """Write the cheapest assignment to `mapping`; return the cost of its edit path.

    If deletions never pay, the path of pair.py has fewer nodes than the matrix. Then each node
    that the assignment deletes is mapped, one after the other, to the inserted node with the
    least entry, as long as there are some. That never costs more than the deletion and the
    insertion.
    """
    _fill(problem, rates, pair, work, n, m)
    if jonker:
        volgenant_jonker(work.cost, n + m, work.assignment)
    else:
        hungarian(work.cost, n + m, work.assignment)
    chosen = work.assignment.column_of
    if problem.tables.deletes:
        for v in range(size):
            mapping[v] = chosen[v]
    else:
        for u in range(size):
            work.free[u] = True
        for v in range(n):
            if chosen[v] < m:
                work.free[chosen[v]] = False
        for v in range(size):
            mapping[v] = chosen[v] if v < n and chosen[v] < m else -1
        for v in range(size):
            if mapping[v] < 0:
                mapping[v] = _take_column(work, v, n, m, size)
    return mapping_cost(problem, pair, size, mapping)


@compiled
@no_type_check
def _take_column(work: BipartiteWorkspace, v: int, n: int, m: int, size: int) -> int:
    """Take a free column for row v: for real nodes the least entry, else the first."""
    best = -1
    for u in range(size):
        if not work.free[u]:
            continue
        if best < 0 or (v < n and u < m and work.cost[v, u] < work.cost[v, best]):
            best = u
    work.free[best] = False
    return best


@compiled
@no_type_check
def _fill(
    problem: GedProblem, rates: Rates, pair: Pair, work: BipartiteWorkspace, n: int, m: int
) -> None:
    """Fill in substitutions, deletions and insertions on two diagonals, and a last block of 0."""
    edge, cost, local = problem.tables.edge, work.cost, work.local
    ways = 2 if problem.directed else 1
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
    # Any assignment with a forbidden entry then costs more than one without.
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
