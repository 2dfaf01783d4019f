"""Labels of the open nodes and edges at each depth of a search over partial mappings.

Searches map the nodes of the first graph in a fixed order; once all are mapped, the nodes of the
second graph that are left are inserted. `expand` computes the costs of the next step.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.kernel import CodeArray, IntArray, kernel
from graphpool.ged.node_table import NodeTable
from graphpool.ged.pair import GedProblem, Pair


class OpenLabels(NamedTuple):
    """Counts of open labels for partial mappings of one pair of up to `size` nodes.

    Rows are nodes of the first graph, columns nodes of the second. Arrays with two entries per
    edge hold the edges from a node and, if directed, those to it.

    Args:
        sizes: `[3]`, number of rows, of columns, and of either after padding.
        order: `[size]`, rows in the order in which they are mapped.
        image: `[size]`, the column of each row of `order` that is mapped.
        used: `[size]`, whether a column is taken.
        kind: `[2, size]`, label codes of rows and columns, counted from 0 within the pair.
        loop: `[size]`, code of the self-loop of each column, 0 for none.
        row_kinds: `[size + 1, 2 * size]`, labels of the rows from each depth on; `row_loops` and
            `row_inner` `[size + 1, labels]` those of their self-loops and of the edges among them.
        row_edges: `[size + 1, 2, size, labels]`, edges of each row to the rows from each depth on.
        near, degree: `[2, size, size]` and `[2, size]`, the columns with an edge to each column,
            and those with an edge from it.
        column_kinds, column_loops, column_inner, column_edges: the same of free columns.
        bag: `[2, size, 4]`, for each mapped row: its edges to open rows, those of its image to
            free columns, their labels in common, and the bound.
        tried: `[size]`, columns that the next row can have, with the cost `so_far` and the bound
            `estimate` of the whole path.
    """

    sizes: IntArray
    order: CodeArray
    image: CodeArray
    used: NDArray[np.bool_]
    kind: CodeArray
    loop: CodeArray
    row_kinds: CodeArray
    row_loops: CodeArray
    row_inner: CodeArray
    row_edges: CodeArray
    near: CodeArray
    degree: CodeArray
    column_kinds: CodeArray
    column_loops: CodeArray
    column_inner: CodeArray
    column_edges: CodeArray
    bag: IntArray
    tried: CodeArray
    so_far: IntArray
    estimate: IntArray


def make_open_labels(problem: GedProblem, size: int) -> OpenLabels:
    """Allocate arrays for a pair of `size` nodes."""
    labels = len(problem.tables.edge)

    def codes(*shape: int) -> CodeArray:
        return np.zeros(shape, dtype=np.int32)

    return OpenLabels(
        sizes=np.zeros(3, dtype=np.int64),
        order=codes(size),
        image=codes(size),
        used=np.zeros(size, dtype=np.bool_),
        kind=codes(2, size),
        loop=codes(size),
        row_kinds=codes(size + 1, 2 * size),
        row_loops=codes(size + 1, labels),
        row_inner=codes(size + 1, labels),
        row_edges=codes(size + 1, 2, size, labels),
        near=codes(2, size, size),
        degree=codes(2, size),
        column_kinds=codes(2 * size),
        column_loops=codes(labels),
        column_inner=codes(labels),
        column_edges=codes(2, size, labels),
        bag=np.zeros((2, size, 4), dtype=np.int64),
        tried=codes(size),
        so_far=np.zeros(size, dtype=np.int64),
        estimate=np.zeros(size, dtype=np.int64),
    )


@kernel
@no_type_check
def start(
    problem: GedProblem,
    pair: Pair,
    left: NodeTable,
    right: NodeTable,
    n: int,
    m: int,
    size: int,
    work: OpenLabels,
) -> None:
    """Set the order of rows, and count the open labels at each depth."""
    work.sizes[0], work.sizes[1], work.sizes[2] = n, m, size
    for u in range(m):
        work.loop[u] = right.loop[u]
    _number_labels(left, right, n, m, work)
    _choose_order(left, pair, n, work)
    _list_neighbours(pair, m, work)
    kinds, edges, inner, loops = work.row_kinds, work.row_edges, work.row_inner, work.row_loops
    ways, labels = 1 + problem.directed, inner.shape[1]
    for kind in range(2 * size):
        kinds[n, kind] = 0
    for label in range(labels):
        loops[n, label], inner[n, label] = 0, 0
        for v in range(n):
            edges[n, 0, v, label], edges[n, 1, v, label] = 0, 0
    for depth in range(n - 1, -1, -1):
        v = work.order[depth]
        for kind in range(2 * size):
            kinds[depth, kind] = kinds[depth + 1, kind]
        kinds[depth, work.kind[0, v]] += 1
        for label in range(labels):
            loops[depth, label] = loops[depth + 1, label]
            inner[depth, label] = inner[depth + 1, label]
        loops[depth, left.loop[v]] += 1
        for way in range(ways):
            for w in range(n):
                for label in range(labels):
                    edges[depth, way, w, label] = edges[depth + 1, way, w, label]
                code = pair.left[v, w] if way else pair.left[w, v]
                edges[depth, way, w, code] += 1
            for label in range(labels):
                inner[depth, label] += edges[depth + 1, way, v, label]


@kernel
@no_type_check
def _list_neighbours(pair: Pair, m: int, work: OpenLabels) -> None:
    near, degree, codes = work.near, work.degree, pair.right
    for u in range(m):
        degree[0, u], degree[1, u] = 0, 0
        for x in range(m):
            if codes[x, u]:
                near[0, u, degree[0, u]] = x
                degree[0, u] += 1
            if codes[u, x]:
                near[1, u, degree[1, u]] = x
                degree[1, u] += 1


@kernel
@no_type_check
def _number_labels(left: NodeTable, right: NodeTable, n: int, m: int, work: OpenLabels) -> None:
    """Number labels within the pair, because a collection can have many more than two graphs."""
    count = 0
    for at in range(n + m):
        label = left.label[at] if at < n else right.label[at - n]
        code = -1
        for before in range(at):
            other = left.label[before] if before < n else right.label[before - n]
            if other == label:
                code = work.kind[0, before] if before < n else work.kind[1, before - n]
                break
        if code < 0:
            code = count
            count += 1
        if at < n:
            work.kind[0, at] = code
        else:
            work.kind[1, at - n] = code


@kernel
@no_type_check
def _choose_order(left: NodeTable, pair: Pair, n: int, work: OpenLabels) -> None:
    """Put next the row with most edges to earlier rows, and among equals with most edges."""
    for at in range(n):
        work.order[at] = at
        work.image[at] = 0
    for at in range(n):
        best = at
        for other in range(at, n):
            v, w = work.order[best], work.order[other]
            gain = work.image[w] - work.image[v]
            degree = left.degree[0, w] + left.degree[1, w] - left.degree[0, v] - left.degree[1, v]
            if gain > 0 or (gain == 0 and (degree > 0 or (degree == 0 and w < v))):
                best = other
        v = work.order[best]
        work.order[best] = work.order[at]
        work.order[at] = v
        for w in range(n):
            work.image[w] += (pair.left[v, w] > 0) + (pair.left[w, v] > 0)


@kernel
@no_type_check
def write_mapping(work: OpenLabels, mapping: CodeArray) -> None:
    """Write the complete mapping `work.image`; empty rows get the columns that are left."""
    n, size = work.sizes[0], work.sizes[2]
    for u in range(size):
        work.used[u] = False
    for at in range(n):
        mapping[work.order[at]] = work.image[at]
        work.used[work.image[at]] = True
    u = 0
    for v in range(n, size):
        while work.used[u]:
            u += 1
        mapping[v] = u
        u += 1
