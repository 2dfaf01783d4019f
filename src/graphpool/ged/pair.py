"""A pair of graphs on common ground: equally many nodes, so that an edit path is a permutation.

The smaller graph is filled up with empty nodes, which have no edges. Mapping a node to an empty
one deletes it, mapping an empty one to a node inserts that. Where deleting one node and inserting
another can be cheaper than a substitution (`Tables.deletes`), both graphs are filled up to n + m.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.collection import Arrays, Collection
from graphpool.ged.costs import Costs, Tables
from graphpool.ged.kernel import compiled


class Task(NamedTuple):
    """Graphs and costs, as compiled loops take them; `directed` is 0 or 1."""

    graphs: Arrays
    tables: Tables
    directed: int


class Pair(NamedTuple):
    """Room for one pair, of up to `size` nodes after filling up; row = first, column = second.

    Args:
        node: `[size, size]`, cost of mapping row to column, self-loops included.
        left: `[size, size]` edge codes of the first graph, 0 for none and on the diagonal;
            `right` likewise of the second.
    """

    node: NDArray[np.int64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]


def make_task(graphs: Collection, costs: Costs) -> Task:
    """Graphs and costs together."""
    tables = costs.tables(graphs.node_names, graphs.edge_names)
    return Task(graphs.arrays, tables, int(graphs.directed))


def make_pair(size: int) -> Pair:
    """Room for a pair of `size` nodes."""
    return Pair(
        np.zeros((size, size), dtype=np.int64),
        np.zeros((size, size), dtype=np.int32),
        np.zeros((size, size), dtype=np.int32),
    )


@compiled
@no_type_check
def load_pair(task: Task, first: int, second: int, pair: Pair) -> tuple[int, int, int]:
    """Lay graphs `first` and `second` into `pair`.

    Returns:
        Nodes after filling up, of the first graph, and of the second.
    """
    graphs, tables = task.graphs, task.tables
    a, b = graphs.node_ptr[first], graphs.node_ptr[second]
    n = graphs.node_ptr[first + 1] - a
    m = graphs.node_ptr[second + 1] - b
    size = n + m if tables.deletes else max(n, m)
    _load_edges(graphs, first, size, pair.left)
    _load_edges(graphs, second, size, pair.right)
    none = tables.node.shape[0] - 1
    for v in range(size):
        row = graphs.node_label[a + v] if v < n else none
        for u in range(size):
            column = graphs.node_label[b + u] if u < m else none
            loop = tables.edge[pair.left[v, v], pair.right[u, u]]
            pair.node[v, u] = tables.node[row, column] + loop
    for v in range(size):
        pair.left[v, v] = 0
        pair.right[v, v] = 0
    return size, n, m


@compiled
@no_type_check
def _load_edges(graphs: Arrays, graph: int, size: int, codes: NDArray[np.int32]) -> None:
    codes[:size, :size] = 0
    for e in range(graphs.edge_ptr[graph], graphs.edge_ptr[graph + 1]):
        codes[graphs.source[e], graphs.target[e]] = graphs.edge_label[e]


@compiled
@no_type_check
def mapping_cost(task: Task, pair: Pair, size: int, mapping: NDArray[np.int32]) -> int:
    """Cost of the edit path that `mapping`, a permutation of `size` nodes, stands for."""
    edge, left, right = task.tables.edge, pair.left, pair.right
    total = 0
    for v in range(size):
        u = mapping[v]
        total += pair.node[v, u]
        for w in range(v):
            x = mapping[w]
            total += edge[left[v, w], right[u, x]]
            if task.directed:
                total += edge[left[w, v], right[x, u]]
    return total
