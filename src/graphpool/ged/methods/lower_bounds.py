"""Lower bounds of the edit distance: the label bound and the branch bound."""

from typing import no_type_check

import numpy as np

from graphpool.ged.assignment import volgenant_jonker
from graphpool.ged.costs import bag_cost
from graphpool.ged.kernel import IntArray, compiled
from graphpool.ged.local_edge_costs import LocalEdgeCosts, load_local_costs, make_local_costs
from graphpool.ged.pair import GedProblem, load_pair, padded_size
from graphpool.ged.result import Answers, Limits


def make_label_counts(problem: GedProblem) -> IntArray:
    """Allocate counts for `label_bound`, `[3, labels]`: of nodes, edges and self-loops."""
    labels = max(len(problem.tables.node), len(problem.tables.edge))
    return np.zeros((3, labels), dtype=np.int64)


def solve_label(problem: GedProblem, pairs: IntArray, limits: Limits) -> Answers:
    """Compute the label bound: nodes, edges and self-loops as three bags of labels.

    It takes time linear in the size of a pair, and `limits` are not used.
    """
    answers = Answers.empty(len(pairs), padded_size(problem, pairs))
    _label_all(problem, make_label_counts(problem), pairs, answers.lower)
    return answers


def solve_branch(problem: GedProblem, pairs: IntArray, limits: Limits) -> Answers:
    """Compute the branch bound (Riesen et al., 2014; BRANCH of Blumenthal and Gamper, 2018).

    It is the value of an assignment problem whose entries are the cost of mapping a node to
    another, plus half of the least cost of turning its edges into those of the other, because
    each edge belongs to two nodes. It is never below the label bound, and takes cubic time;
    `limits` are not used.
    """
    size = padded_size(problem, pairs)
    answers = Answers.empty(len(pairs), size)
    _branch_all(problem, make_local_costs(problem, size), pairs, answers.lower)
    return answers


@compiled
@no_type_check
def _label_all(problem: GedProblem, counts: IntArray, pairs: IntArray, lower: IntArray) -> None:
    for at in range(pairs.shape[0]):
        lower[at] = label_bound(problem, counts, pairs[at, 0], pairs[at, 1])


@compiled
@no_type_check
def label_bound(problem: GedProblem, counts: IntArray, first: int, second: int) -> int:
    """Return the label bound of one pair.

    Args:
        counts: `[3, labels]`, how many more nodes, edges between different nodes and self-loops
            of each label the first graph has; all zero between calls.
    """
    graphs, tables = problem.graphs, problem.tables
    nodes, edges, loops = counts[0], counts[1], counts[2]
    for v in range(graphs.node_ptr[first], graphs.node_ptr[first + 1]):
        nodes[graphs.node_label[v]] += 1
    n = graphs.node_ptr[first + 1] - graphs.node_ptr[first]
    m = graphs.node_ptr[second + 1] - graphs.node_ptr[second]
    common = 0
    for u in range(graphs.node_ptr[second], graphs.node_ptr[second + 1]):
        common += nodes[graphs.node_label[u]] > 0
        nodes[graphs.node_label[u]] -= 1
    total = bag_cost(tables.node_rate, n, m, common)

    many, more, many_loops, more_loops = 0, 0, 0, 0
    common, common_loops = 0, 0
    for e in range(graphs.edge_ptr[first], graphs.edge_ptr[first + 1]):
        code = graphs.edge_label[e]
        if graphs.source[e] == graphs.target[e]:
            loops[code] += 1
            many_loops += 1
        elif problem.directed or graphs.source[e] < graphs.target[e]:
            edges[code] += 1
            many += 1
    for e in range(graphs.edge_ptr[second], graphs.edge_ptr[second + 1]):
        code = graphs.edge_label[e]
        if graphs.source[e] == graphs.target[e]:
            common_loops += loops[code] > 0
            loops[code] -= 1
            more_loops += 1
        elif problem.directed or graphs.source[e] < graphs.target[e]:
            common += edges[code] > 0
            edges[code] -= 1
            more += 1
    total += bag_cost(tables.edge_rate, many, more, common)
    total += bag_cost(tables.edge_rate, many_loops, more_loops, common_loops)
    # Only these labels are reset, because a collection can have many more.
    for graph in (first, second):
        for v in range(graphs.node_ptr[graph], graphs.node_ptr[graph + 1]):
            nodes[graphs.node_label[v]] = 0
        for e in range(graphs.edge_ptr[graph], graphs.edge_ptr[graph + 1]):
            edges[graphs.edge_label[e]] = 0
            loops[graphs.edge_label[e]] = 0
    return total


@compiled
@no_type_check
def _branch_all(
    problem: GedProblem, local: LocalEdgeCosts, pairs: IntArray, lower: IntArray
) -> None:
    for at in range(pairs.shape[0]):
        first, second = pairs[at, 0], pairs[at, 1]
        size, _, _ = load_pair(problem, first, second, local.pair)
        load_local_costs(problem, first, second, size, local)
        lower[at] = branch_bound(problem, local, size)


@compiled
@no_type_check
def branch_bound(problem: GedProblem, local: LocalEdgeCosts, size: int) -> int:
    """Return the branch bound of the pair of `size` nodes in `local`."""
    cost, node, edges = local.cost, local.pair.node, local.edges
    for v in range(size):
        for u in range(size):
            cost[v, u] = 2 * node[v, u] + edges[v, u]
    doubled = volgenant_jonker(cost, size, local.assignment)
    unit = problem.tables.unit
    return -(-doubled // (2 * unit)) * unit
