"""What remains to be mapped at each depth of a search over partial mappings.

Searches map the nodes of the first graph in a fixed order; once all are mapped, the nodes of the
second graph that are left are inserted. `expand` says what the next step costs.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.kernel import kernel
from graphpool.ged.node_table import Side
from graphpool.ged.pair import Pair, Task


class Remaining(NamedTuple):
    """Room for partial mappings of one pair of up to `size` nodes.

    Rows are those of the first graph, columns of the second; the two ways of an edge are from
    and, if directed, to the node in question.

    Args:
        order: `[size]` rows in the order in which they are mapped.
        image: `[size]`, the column of each row of `order`, as far as it is mapped.
        used: `[size]` whether a column is taken.
        kind: `[2, size]` label codes of rows and columns that count from 0 within the pair.
        row_kinds: `[size + 1, 2 * size]` labels of the rows from each depth on; `row_loops` and
            `row_inner` `[size + 1, labels]` of their self-loops and of the edges among them.
        row_edges: `[size + 1, 2, size, labels]` edges of each row to the rows from each depth on.
        near, degree: `[2, size, size]` and `[2, size]`, the columns with an edge to each column,
            and those with an edge from it.
        column_kinds, column_loops, column_inner, column_edges: what remains, of free columns.
        bag: `[2, size, 4]` for each mapped row: its edges to remaining rows, those of its image to
            free columns, labels that they have in common, and the bound.
        tried: `[size]` columns that the next row can have, with the cost `so_far` and the
            bound `in_all` of the whole path.
    """

    order: NDArray[np.int32]
    image: NDArray[np.int32]
    used: NDArray[np.bool_]
    kind: NDArray[np.int32]
    row_kinds: NDArray[np.int32]
    row_loops: NDArray[np.int32]
    row_inner: NDArray[np.int32]
    row_edges: NDArray[np.int32]
    near: NDArray[np.int32]
    degree: NDArray[np.int32]
    column_kinds: NDArray[np.int32]
    column_loops: NDArray[np.int32]
    column_inner: NDArray[np.int32]
    column_edges: NDArray[np.int32]
    bag: NDArray[np.int64]
    tried: NDArray[np.int32]
    so_far: NDArray[np.int64]
    in_all: NDArray[np.int64]


def make_remaining(task: Task, size: int) -> Remaining:
    """Room for a pair of `size` nodes."""
    labels = len(task.tables.edge)

    def codes(*shape: int) -> NDArray[np.int32]:
        return np.zeros(shape, dtype=np.int32)

    return Remaining(
        order=codes(size),
        image=codes(size),
        used=np.zeros(size, dtype=np.bool_),
        kind=codes(2, size),
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
        in_all=np.zeros(size, dtype=np.int64),
    )


@kernel
@no_type_check
def start(
    task: Task, pair: Pair, left: Side, right: Side, n: int, m: int, size: int, room: Remaining
) -> None:
    """Fix the order of rows, and count what remains of them at each depth."""
    _number_labels(left, right, n, m, room)
    _choose_order(left, pair, n, room)
    _list_neighbours(pair, m, room)
    kinds, edges, inner, loops = room.row_kinds, room.row_edges, room.row_inner, room.row_loops
    ways, labels = 1 + task.directed, inner.shape[1]
    for kind in range(2 * size):
        kinds[n, kind] = 0
    for label in range(labels):
        loops[n, label], inner[n, label] = 0, 0
        for v in range(n):
            edges[n, 0, v, label], edges[n, 1, v, label] = 0, 0
    for depth in range(n - 1, -1, -1):
        v = room.order[depth]
        for kind in range(2 * size):
            kinds[depth, kind] = kinds[depth + 1, kind]
        kinds[depth, room.kind[0, v]] += 1
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
def _list_neighbours(pair: Pair, m: int, room: Remaining) -> None:
    near, degree, codes = room.near, room.degree, pair.right
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
def _number_labels(left: Side, right: Side, n: int, m: int, room: Remaining) -> None:
    """Codes within the pair: a collection can have many more labels than two graphs."""
    count = 0
    for at in range(n + m):
        label = left.label[at] if at < n else right.label[at - n]
        code = -1
        for before in range(at):
            other = left.label[before] if before < n else right.label[before - n]
            if other == label:
                code = room.kind[0, before] if before < n else room.kind[1, before - n]
                break
        if code < 0:
            code = count
            count += 1
        if at < n:
            room.kind[0, at] = code
        else:
            room.kind[1, at - n] = code


@kernel
@no_type_check
def _choose_order(left: Side, pair: Pair, n: int, room: Remaining) -> None:
    """Next comes the row with most edges to rows before it, then with most edges at all."""
    for at in range(n):
        room.order[at] = at
        room.image[at] = 0
    for at in range(n):
        best = at
        for other in range(at, n):
            v, w = room.order[best], room.order[other]
            gain = room.image[w] - room.image[v]
            degree = left.degree[0, w] + left.degree[1, w] - left.degree[0, v] - left.degree[1, v]
            if gain > 0 or (gain == 0 and (degree > 0 or (degree == 0 and w < v))):
                best = other
        v = room.order[best]
        room.order[best] = room.order[at]
        room.order[at] = v
        for w in range(n):
            room.image[w] += (pair.left[v, w] > 0) + (pair.left[w, v] > 0)


@kernel
@no_type_check
def write_mapping(room: Remaining, n: int, size: int, mapping: NDArray[np.int32]) -> None:
    """Write `room.image`, all rows mapped; empty rows get the columns that are left."""
    for u in range(size):
        room.used[u] = False
    for at in range(n):
        mapping[room.order[at]] = room.image[at]
        room.used[room.image[at]] = True
    u = 0
    for v in range(n, size):
        while room.used[u]:
            u += 1
        mapping[v] = u
        u += 1
