"""A pair of graphs padded to the same number of nodes, so that an edit path is a permutation.

The smaller graph is padded with empty nodes, which have no edges. Mapping a node to an empty one
deletes it, and mapping an empty one to a node inserts that node. If deleting one node and inserting
another can be cheaper than a substitution (`Tables.deletes`), both graphs are padded to n + m.
"""

from typing import NamedTuple, no_type_check

import numpy as np

from graphpool.errors import DataError, check_type, check_whole
from graphpool.ged.collection import Arrays, Collection, check_arrays
from graphpool.ged.costs import Costs, Tables, check_tables
from graphpool.ged.kernel import CodeArray, IntArray, compiled

MOST_NODES = 10_000  # of a pair after padding


class GedProblem(NamedTuple):
    """Graphs and costs in the form that compiled loops read; `directed` is 0 or 1."""

    graphs: Arrays
    tables: Tables
    directed: int


class Pair(NamedTuple):
    """A pair of up to `size` nodes after padding. Rows are nodes of the first graph.

    Args:
        node: `[size, size]`, cost of mapping row to column, self-loops included.
        left, right: `[size, size]`, edge codes of the first and of the second graph, 0 for none
            and on the diagonal.
    """

    node: IntArray
    left: CodeArray
    right: CodeArray


def make_problem(graphs: Collection, costs: Costs) -> GedProblem:
    """Combine graphs and costs."""
    check_type("graphs", graphs, Collection, "a Collection, as collect makes it")
    check_type("costs", costs, Costs, "Costs(...)")
    tables = costs.tables(graphs.node_names, graphs.edge_names)
    return GedProblem(graphs.arrays, tables, int(graphs.directed))


def padded_size(problem: GedProblem, pairs: IntArray) -> int:
    """Return the number of nodes of the largest of these pairs after padding."""
    sizes = np.diff(problem.graphs.node_ptr)[pairs]
    size = int((sizes.sum(1) if problem.tables.deletes else sizes.max(1)).max(initial=0))
    if size > MOST_NODES:
        raise DataError(
            f"a pair of graphs has {size} nodes; edit distances, which take memory for every pair "
            f"of nodes, are computed for up to {MOST_NODES}"
        )
    return size


def check_problem(problem: GedProblem, pairs: IntArray) -> None:
    """Refuse graphs that don't fit their costs, and pairs of graphs that don't exist."""
    check_type("problem", problem, GedProblem, "what make_problem returns")
    tables = problem.tables
    check_tables(tables)
    check_type("graphs", problem.graphs, Arrays, "the arrays of a Collection")
    check_whole("directed", problem.directed, 0, 1)
    check_arrays(problem.graphs, len(tables.node) - 1, len(tables.edge) - 1)
    graphs = len(problem.graphs.node_ptr) - 1
    if not isinstance(pairs, np.ndarray) or pairs.dtype != np.int64 or pairs.shape[1:] != (2,):
        raise DataError("pairs must be an int64 array [pairs, 2]")
    if pairs.size and not 0 <= int(pairs.min()) <= int(pairs.max()) < graphs:
        raise DataError(f"pairs name graph {pairs.max()}; graphs are 0 to {graphs - 1}")


def make_pair(size: int) -> Pair:
    """Allocate arrays for a pair of `size` nodes."""
    codes = np.zeros((2, size, size), dtype=np.int32)
    return Pair(np.zeros((size, size), dtype=np.int64), *codes)


@compiled
@no_type_check
def load_pair(problem: GedProblem, first: int, second: int, pair: Pair) -> tuple[int, int, int]:
    """Load graphs `first` and `second` into `pair`.

    Returns:
        Number of nodes after padding, of the first graph, and of the second.
    """
    graphs, tables = problem.graphs, problem.tables
    a, b = graphs.node_ptr[first], graphs.node_ptr[second]
    n = graphs.node_ptr[first + 1] - a
    m = graphs.node_ptr[second + 1] - b
    size = n + m if tables.deletes else max(n, m)
    load_edges(graphs, first, size, pair.left)
    load_edges(graphs, second, size, pair.right)
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
def load_edges(graphs: Arrays, graph: int, size: int, codes: CodeArray) -> None:
    """Load the labels of the edges of a graph, padded to `size` nodes, into `codes`."""
    for v in range(size):
        for u in range(size):
            codes[v, u] = 0
    for e in range(graphs.edge_ptr[graph], graphs.edge_ptr[graph + 1]):
        codes[graphs.source[e], graphs.target[e]] = graphs.edge_label[e]


@compiled
@no_type_check
def mapping_cost(problem: GedProblem, pair: Pair, size: int, mapping: CodeArray) -> int:
    """Return the cost of the edit path of `mapping`, a permutation of `size` nodes."""
    edge, left, right = problem.tables.edge, pair.left, pair.right
    total = 0
    for v in range(size):
        u = mapping[v]
        total += pair.node[v, u]
        for w in range(v):
            x = mapping[w]
            total += edge[left[v, w], right[u, x]]
            if problem.directed:
                total += edge[left[w, v], right[x, u]]
    return total
