"""Bipartite methods: an edit path from one assignment of nodes, each with its own edges only."""

from typing import no_type_check

from graphpool.ged.assignment import hungarian, volgenant_jonker
from graphpool.ged.kernel import CodeArray, IntArray, compiled
from graphpool.ged.local_edge_costs import LocalEdgeCosts, load_local_costs, make_local_costs
from graphpool.ged.methods.lower_bounds import label_bound, make_label_counts
from graphpool.ged.pair import GedProblem, load_pair, mapping_cost, padded_size
from graphpool.ged.result import Answers, Limits


def solve_bipartite(problem: GedProblem, pairs: IntArray, limits: Limits, jonker: int) -> Answers:
    """Find an edit path as Riesen and Bunke, 2009, or as Fankhauser, Riesen and Bunke, 2011.

    It takes cubic time, and `limits` are not used. The lower bound is the label bound.

    Args:
        jonker: 0 for Kuhn's and Munkres' method as in 2009, 1 for Volgenant and Jonker's as in
            2011. The assignments have the same cost, but may be different ones, and then either
            edit path can be the cheaper one.
    """
    size = padded_size(problem, pairs)
    answers = Answers.empty(len(pairs), size)
    local, counts = make_local_costs(problem, size), make_label_counts(problem)
    _match_all(problem, local, counts, pairs, jonker, answers)
    return answers


@compiled
@no_type_check
def _match_all(
    problem: GedProblem,
    local: LocalEdgeCosts,
    counts: IntArray,
    pairs: IntArray,
    jonker: int,
    answers: Answers,
) -> None:
    for at in range(pairs.shape[0]):
        first, second = pairs[at, 0], pairs[at, 1]
        size, n, m = load_pair(problem, first, second, local.pair)
        load_local_costs(problem, first, second, max(n, m), local)
        answers.upper[at] = match_nodes(problem, local, size, n, m, jonker, answers.mapping[at])
        answers.lower[at] = label_bound(problem, counts, first, second)


@compiled
@no_type_check
def match_nodes(
    problem: GedProblem,
    local: LocalEdgeCosts,
    size: int,
    n: int,
    m: int,
    jonker: int,
    mapping: CodeArray,
) -> int:
    """Write the cheapest assignment to `mapping`; return the cost of its edit path.

    If deletions never pay, the path of pair.py has fewer nodes than the matrix. Then each node
    that the assignment deletes is mapped, one after the other, to the inserted node with the
    least entry, as long as there are some. That never costs more than the deletion and the
    insertion.
    """
    _fill(problem, local, n, m)
    if jonker:
        volgenant_jonker(local.cost, n + m, local.assignment)
    else:
        hungarian(local.cost, n + m, local.assignment)
    chosen, taken = local.assignment.column_of, local.assignment.done
    if problem.tables.deletes:
        for v in range(size):
            mapping[v] = chosen[v]
    else:
        for u in range(size):
            taken[u] = False
        for v in range(size):
            mapping[v] = chosen[v] if v < n and chosen[v] < m else -1
            if mapping[v] >= 0:
                taken[mapping[v]] = True
        for v in range(size):
            if mapping[v] < 0:
                mapping[v] = _take_column(local, v, n, m, size)
    return mapping_cost(problem, local.pair, size, mapping)


@compiled
@no_type_check
def _take_column(local: LocalEdgeCosts, v: int, n: int, m: int, size: int) -> int:
    """Take a free column for row v: for real nodes the least entry, else the first."""
    cost, taken = local.cost, local.assignment.done
    best = -1
    for u in range(size):
        if taken[u]:
            continue
        if best < 0 or (v < n and u < m and cost[v, u] < cost[v, best]):
            best = u
    taken[best] = True
    return best


@compiled
@no_type_check
def _fill(problem: GedProblem, local: LocalEdgeCosts, n: int, m: int) -> None:
    """Fill in substitutions, deletions and insertions on two diagonals, and a last block of 0."""
    tables, cost, left, right = problem.tables, local.cost, local.left, local.right
    beyond = 1
    for v in range(n):
        for u in range(m):
            cost[v, u] = local.pair.node[v, u] + local.edges[v, u]
            beyond = max(beyond, cost[v, u])
    for v in range(n):
        edges = left.degree[0, v] + left.degree[1, v]
        loop = tables.edge[left.loop[v], 0]
        cost[v, m + v] = tables.node_rate.take + loop + tables.edge_rate.take * edges
        beyond = max(beyond, cost[v, m + v])
    for u in range(m):
        edges = right.degree[0, u] + right.degree[1, u]
        loop = tables.edge[0, right.loop[u]]
        cost[n + u, u] = tables.node_rate.give + loop + tables.edge_rate.give * edges
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
