"""Lower bounds of the edit distance: the label bound and the branch bound."""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.assignment import (
    AssignmentWorkspace,
    make_assignment_workspace,
    volgenant_jonker,
)
from graphpool.ged.kernel import compiled
from graphpool.ged.label_bags import Rates, edge_bag_cost, find_rates, node_bag_cost
from graphpool.ged.local_edge_costs import (
    LocalEdgeCosts,
    load_local_edge_costs,
    make_local_edge_costs,
)
from graphpool.ged.pair import GedProblem, Pair, load_pair, make_pair, padded_size
from graphpool.ged.result import Answers, Limits


class LabelBags(NamedTuple):
    """Counts of labels; all zero between calls.

    Args:
        node: `[labels]`, how many more nodes of each label the first graph has.
        edge, loop: `[labels]`, the same for edges between different nodes and for self-loops.
    """

    node: NDArray[np.int64]
    edge: NDArray[np.int64]
    loop: NDArray[np.int64]


class Workspace(NamedTuple):
    """The arrays for the branch bound of one pair."""

    pair: Pair
    local: LocalEdgeCosts
    cost: NDArray[np.int64]
    assignment: AssignmentWorkspace


def make_label_bags(problem: GedProblem) -> LabelBags:
    """Allocate counts for the labels of this problem."""
    nodes, edges = len(problem.tables.node), len(problem.tables.edge)
    return LabelBags(
        np.zeros(nodes, dtype=np.int64),
        np.zeros(edges, dtype=np.int64),
        np.zeros(edges, dtype=np.int64),
    )


def solve_label(problem: GedProblem, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """Compute the label bound: nodes, edges and self-loops as three bags of labels.

    It takes time linear in the size of a pair, and `limits` are not used.
    """
    answers = Answers.empty(len(pairs), padded_size(problem, pairs))
    _label_all(problem, find_rates(problem.tables), make_label_bags(problem), pairs, answers.lower)
    return answers


def solve_branch(problem: GedProblem, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """Compute the branch bound (Riesen et al., 2014; BRANCH of Blumenthal and Gamper, 2018).

    It is the value of an assignment problem whose entries are the cost of mapping a node to
    another, plus half of the least cost of turning its edges into those of the other, because
    each edge belongs to two nodes. It is never below the label bound, and takes cubic time;
    `limits` are not used.
    """
    size = padded_size(problem, pairs)
    answers = Answers.empty(len(pairs), size)
    work = Workspace(
        make_pair(size),
        make_local_edge_costs(size),
        np.zeros((size, size), dtype=np.int64),
        make_assignment_workspace(size),
    )
    _branch_all(problem, find_rates(problem.tables), work, pairs, answers.lower)
    return answers


@compiled
@no_type_check
def _label_all(
    problem: GedProblem,
    rates: Rates,
    bags: LabelBags,
    pairs: NDArray[np.int64],
    lower: NDArray[np.int64],
) -> None:
    for at in range(pairs.shape[0]):
        lower[at] = label_bound(problem, rates, bags, pairs[at, 0], pairs[at, 1])


@compiled
@no_type_check
def label_bound(problem: GedProblem, rates: Rates, bags: LabelBags, first: int, second: int) -> int:
    """Return the label bound of one pair."""
    graphs = problem.graphs
    for v in range(graphs.node_ptr[first], graphs.node_ptr[first + 1]):
        bags.node[graphs.node_label[v]] += 1
    n = graphs.node_ptr[first + 1] - graphs.node_ptr[first]
    m = graphs.node_ptr[second + 1] - graphs.node_ptr[second]
    common = 0
    for u in range(graphs.node_ptr[second], graphs.node_ptr[second + 1]):
        common += bags.node[graphs.node_label[u]] > 0
        bags.node[graphs.node_label[u]] -= 1
    total = node_bag_cost(rates, n, m, common)

    edges, other_edges, loops, other_loops = 0, 0, 0, 0
    common, common_loops = 0, 0
    for e in range(graphs.edge_ptr[first], graphs.edge_ptr[first + 1]):
        code = graphs.edge_label[e]
        if graphs.source[e] == graphs.target[e]:
            bags.loop[code] += 1
            loops += 1
        elif problem.directed or graphs.source[e] < graphs.target[e]:
            bags.edge[code] += 1
            edges += 1
    for e in range(graphs.edge_ptr[second], graphs.edge_ptr[second + 1]):
        code = graphs.edge_label[e]
        if graphs.source[e] == graphs.target[e]:
            common_loops += bags.loop[code] > 0
            bags.loop[code] -= 1
            other_loops += 1
        elif problem.directed or graphs.source[e] < graphs.target[e]:
            common += bags.edge[code] > 0
            bags.edge[code] -= 1
            other_edges += 1
    total += edge_bag_cost(rates, edges, other_edges, common)
    total += edge_bag_cost(rates, loops, other_loops, common_loops)
    _clear(problem, bags, first)
    _clear(problem, bags, second)
    return total


@compiled
@no_type_check
def _clear(problem: GedProblem, bags: LabelBags, graph: int) -> None:
    """Reset the counts of a graph only, because a collection can have many more labels."""
    graphs = problem.graphs
    for v in range(graphs.node_ptr[graph], graphs.node_ptr[graph + 1]):
        bags.node[graphs.node_label[v]] = 0
    for e in range(graphs.edge_ptr[graph], graphs.edge_ptr[graph + 1]):
        bags.edge[graphs.edge_label[e]] = 0
        bags.loop[graphs.edge_label[e]] = 0


@compiled
@no_type_check
def _branch_all(
    problem: GedProblem,
    rates: Rates,
    work: Workspace,
    pairs: NDArray[np.int64],
    lower: NDArray[np.int64],
) -> None:
    for at in range(pairs.shape[0]):
        first, second = pairs[at, 0], pairs[at, 1]
        size, _, _ = load_pair(problem, first, second, work.pair)
        load_local_edge_costs(problem, rates, first, second, size, work.local)
        lower[at] = branch_bound(problem, work.pair, work.local, size, work.cost, work.assignment)


@compiled
@no_type_check
def branch_bound(
    problem: GedProblem,
    pair: Pair,
    local: LocalEdgeCosts,
    size: int,
    cost: NDArray[np.int64],
    assignment: AssignmentWorkspace,
) -> int:
    """Return the branch bound of the pair of `size` nodes in `pair` and `local`.

    Args:
        cost: scratch for a matrix of at least `size` rows and columns.
    """
    for v in range(size):
        for u in range(size):
            cost[v, u] = 2 * pair.node[v, u] + local.edges[v, u]
    doubled = volgenant_jonker(cost, size, assignment)
    unit = problem.tables.unit
    return -(-doubled // (2 * unit)) * unit
