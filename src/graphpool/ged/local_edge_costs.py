"""The least cost of turning the edges of one node into those of another, for all pairs of nodes."""

from typing import NamedTuple, no_type_check

import numpy as np

from graphpool.ged.assignment import AssignmentWorkspace, hungarian, make_assignment_workspace
from graphpool.ged.costs import bag_cost
from graphpool.ged.kernel import IntArray, compiled
from graphpool.ged.node_table import NodeTable, load_node_table, make_node_table
from graphpool.ged.pair import GedProblem, Pair, make_pair


class LocalEdgeCosts(NamedTuple):
    """A pair of up to `size` nodes with its local edge costs, and arrays for matching nodes.

    Args:
        left, right: nodes of the first and of the second graph.
        edges: `[size, size]`, the least cost of turning the edges of a node of the first graph
            into those of a node of the second, whatever their other ends.
        cost, assignment: scratch for the assignment of edges, and then of nodes with deletions
            and insertions: n + m rows and columns.
    """

    pair: Pair
    left: NodeTable
    right: NodeTable
    edges: IntArray
    cost: IntArray
    assignment: AssignmentWorkspace


def make_local_costs(problem: GedProblem, size: int) -> LocalEdgeCosts:
    """Allocate arrays for a pair of `size` nodes after padding."""
    both = size if problem.tables.deletes else 2 * size
    return LocalEdgeCosts(
        make_pair(size),
        make_node_table(size),
        make_node_table(size),
        np.zeros((size, size), dtype=np.int64),
        np.zeros((both, both), dtype=np.int64),
        make_assignment_workspace(both),
    )


@compiled
@no_type_check
def load_local_costs(
    problem: GedProblem, first: int, second: int, size: int, local: LocalEdgeCosts
) -> None:
    """Load the nodes of both graphs and the costs between them, up to `size` nodes each.

    Nodes beyond those of a graph are empty and have no edges.
    """
    left, right = local.left, local.right
    n = load_node_table(problem.graphs, first, problem.directed, left)
    m = load_node_table(problem.graphs, second, problem.directed, right)
    left.degree[:, n:size] = 0
    right.degree[:, m:size] = 0
    for way in range(2 if problem.directed else 1):
        if problem.tables.uniform:
            _count(problem, local, way, size)
        else:
            _match(problem, local, way, size)


@compiled
@no_type_check
def _count(problem: GedProblem, local: LocalEdgeCosts, way: int, size: int) -> None:
    """Fill in the costs if all substitutions cost the same, by counting the labels in common."""
    rate, edges = problem.tables.edge_rate, local.edges
    degree, other_degree = local.left.degree[way], local.right.degree[way]
    codes, other_codes = local.left.codes[way], local.right.codes[way]
    for v in range(size):
        many = degree[v]
        for u in range(size):
            more = other_degree[u]
            i, j, common = 0, 0, 0
            while i < many and j < more:
                step = codes[v, i] - other_codes[u, j]
                common += step == 0
                i += step <= 0
                j += step >= 0
            cost = bag_cost(rate, many, more, common)
            edges[v, u] = edges[v, u] + cost if way else cost


@compiled
@no_type_check
def _match(problem: GedProblem, local: LocalEdgeCosts, way: int, size: int) -> None:
    """Fill in the costs by solving an assignment problem over the edges of every two nodes."""
    edge, matrix, edges = problem.tables.edge, local.cost, local.edges
    for v in range(size):
        many, ours = local.left.degree[way, v], local.left.codes[way, v]
        for u in range(size):
            more, theirs = local.right.degree[way, u], local.right.codes[way, u]
            count = np.int64(max(many, more))
            for i in range(count):
                row = ours[i] if i < many else 0
                for j in range(count):
                    matrix[i, j] = edge[row, theirs[j] if j < more else 0]
            cost = hungarian(matrix, count, local.assignment)
            edges[v, u] = edges[v, u] + cost if way else cost
