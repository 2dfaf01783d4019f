"""The least cost of turning the edges of one node into those of another, for all pairs of nodes."""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.assignment import AssignmentWorkspace, hungarian, make_assignment_workspace
from graphpool.ged.kernel import compiled
from graphpool.ged.label_bags import Rates, edge_bag_cost
from graphpool.ged.node_table import NodeTable, load_node_table, make_node_table
from graphpool.ged.pair import GedProblem


class LocalEdgeCosts(NamedTuple):
    """The local edge costs of a pair of up to `size` nodes.

    Args:
        left, right: nodes of the first and of the second graph.
        edges: `[size, size]`, the least cost of turning the edges of a node of the first graph
            into those of a node of the second, whatever their other ends.
        small, assignment: arrays for matching the edges of two nodes.
    """

    left: NodeTable
    right: NodeTable
    edges: NDArray[np.int64]
    small: NDArray[np.int64]
    assignment: AssignmentWorkspace


def make_local_edge_costs(size: int) -> LocalEdgeCosts:
    """Allocate arrays for a pair of `size` nodes."""
    return LocalEdgeCosts(
        make_node_table(size),
        make_node_table(size),
        np.zeros((size, size), dtype=np.int64),
        np.zeros((size, size), dtype=np.int64),
        make_assignment_workspace(size),
    )


@compiled
@no_type_check
def load_local_edge_costs(
    problem: GedProblem, rates: Rates, first: int, second: int, size: int, local: LocalEdgeCosts
) -> None:
    """Load both graphs and the costs between their nodes into `local`, up to `size` nodes each.

    Nodes beyond those of a graph are empty and have no edges.
    """
    left, right = local.left, local.right
    n = load_node_table(problem.graphs, first, problem.directed, left)
    m = load_node_table(problem.graphs, second, problem.directed, right)
    for v in range(n, size):
        left.degree[0, v], left.degree[1, v] = 0, 0
    for u in range(m, size):
        right.degree[0, u], right.degree[1, u] = 0, 0
    for way in range(2 if problem.directed else 1):
        if rates.uniform:
            _count(rates, left.degree[way], right.degree[way], left.codes[way], right.codes[way],
                   size, way, local.edges)  # fmt: skip
        else:
            _match(problem, local, way, size)


@compiled
@no_type_check
def _count(
    rates: Rates,
    degree: NDArray[np.int32],
    other_degree: NDArray[np.int32],
    codes: NDArray[np.int32],
    other_codes: NDArray[np.int32],
    size: int,
    way: int,
    edges: NDArray[np.int64],
) -> None:
    """Fill in the costs if all substitutions cost the same, by counting the labels in common."""
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
            cost = edge_bag_cost(rates, many, more, common)
            edges[v, u] = edges[v, u] + cost if way else cost


@compiled
@no_type_check
def _match(problem: GedProblem, local: LocalEdgeCosts, way: int, size: int) -> None:
    """Fill in the costs by solving an assignment problem over the edges of every two nodes."""
    edge, small, edges = problem.tables.edge, local.small, local.edges
    for v in range(size):
        many, ours = local.left.degree[way, v], local.left.codes[way, v]
        for u in range(size):
            more, theirs = local.right.degree[way, u], local.right.codes[way, u]
            count = np.int64(max(many, more))
            for i in range(count):
                row = ours[i] if i < many else 0
                for j in range(count):
                    small[i, j] = edge[row, theirs[j] if j < more else 0]
            cost = hungarian(small, count, local.assignment)
            edges[v, u] = edges[v, u] + cost if way else cost
