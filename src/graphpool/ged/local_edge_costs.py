"""What it costs at least to turn the edges of one node into those of another."""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.assignment import Assignment, hungarian, make_assignment
from graphpool.ged.kernel import compiled
from graphpool.ged.label_bags import Rates, edge_bag
from graphpool.ged.node_table import Side, load_side, make_side
from graphpool.ged.pair import Task


class Local(NamedTuple):
    """Room for the local edge costs of a pair of up to `size` nodes.

    Args:
        edges: `[size, size]`, the least cost of turning the edges of a node of the first graph
            into those of a node of the second, their other ends left aside.
        small, assignment: for the matching of the edges of two nodes.
    """

    left: Side
    right: Side
    edges: NDArray[np.int64]
    small: NDArray[np.int64]
    assignment: Assignment


def make_local(size: int) -> Local:
    """Room for a pair of `size` nodes."""
    return Local(
        make_side(size),
        make_side(size),
        np.zeros((size, size), dtype=np.int64),
        np.zeros((size, size), dtype=np.int64),
        make_assignment(size),
    )


@compiled
@no_type_check
def load_local(task: Task, rates: Rates, first: int, second: int, size: int, local: Local) -> None:
    """Lay both graphs and the costs between their nodes into `local`, up to `size` nodes each.

    Nodes beyond a graph's own are empty ones, which have no edges.
    """
    left, right = local.left, local.right
    n = load_side(task.graphs, first, task.directed, left)
    m = load_side(task.graphs, second, task.directed, right)
    for v in range(n, size):
        left.degree[0, v], left.degree[1, v] = 0, 0
    for u in range(m, size):
        right.degree[0, u], right.degree[1, u] = 0, 0
    for way in range(2 if task.directed else 1):
        if rates.uniform:
            _count(rates, left.degree[way], right.degree[way], left.codes[way], right.codes[way],
                   size, way, local.edges)  # fmt: skip
        else:
            _match(task, local, way, size)


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
    """All substitutions cost the same, so it is enough to count the labels in common."""
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
            cost = edge_bag(rates, many, more, common)
            edges[v, u] = edges[v, u] + cost if way else cost


@compiled
@no_type_check
def _match(task: Task, local: Local, way: int, size: int) -> None:
    """The cheapest matching of the edges of each two nodes, as one assignment problem for each."""
    edge, small, edges = task.tables.edge, local.small, local.edges
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
