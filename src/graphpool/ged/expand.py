"""The next step of a partial mapping: every column for the next row, with cost and bound.

The bound for what then remains is a sum of bags of labels: nodes, self-loops and inner edges and,
for each mapped node, its edges to remaining nodes, which must meet the edges of its image. Along
a path, cost and bound together never fall, and at its end the bound is the cost of the
insertions.

The parts are compiled into one function, for calls with so many arrays are dear. `_nrt=False`
leaves out the counting of references, which searches never need, as they allocate nothing; it
makes A* nearly twice as fast.
"""

from typing import no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.kernel import inlined, kernel
from graphpool.ged.label_bags import Rates, edge_bag, node_bag
from graphpool.ged.node_table import Side
from graphpool.ged.open_labels import Remaining
from graphpool.ged.pair import Pair, Task


@inlined
@no_type_check
def _count_columns(
    task: Task, pair: Pair, right: Side, depth: int, m: int, size: int, room: Remaining
) -> int:
    """Count what remains of the columns after `depth` rows; returns how many are free and real."""
    used, kinds, loops = room.used, room.column_kinds, room.column_loops
    inner, edges, codes = room.column_inner, room.column_edges, pair.right
    near, degree, kind = room.near, room.degree, room.kind
    for u in range(size):
        used[u] = False
        kinds[u], kinds[size + u] = 0, 0
    for at in range(depth):
        used[room.image[at]] = True
    for label in range(inner.shape[0]):
        loops[label], inner[label] = 0, 0
    for way in range(1 + task.directed):
        for x in range(size):
            for label in range(inner.shape[0]):
                edges[way, x, label] = 0
    free = 0
    for u in range(m):
        if used[u]:
            continue
        free += 1
        kinds[kind[1, u]] += 1
        loops[right.loop[u]] += 1
        for i in range(degree[0, u]):
            x = near[0, u, i]
            edges[0, x, codes[x, u]] += 1
            if not used[x] and (x < u or task.directed):
                inner[codes[x, u]] += 1
        if task.directed:
            for i in range(degree[1, u]):
                x = near[1, u, i]
                edges[1, x, codes[u, x]] += 1
    return free


@inlined
@no_type_check
def _common(
    rows: NDArray[np.int32], columns: NDArray[np.int32], way: int, w: int, x: int
) -> tuple[int, int, int]:
    """Edges of row w and of column x, and how many labels they have in common; 0 is no label."""
    many, more, common = 0, 0, 0
    for label in range(1, rows.shape[2]):
        many += rows[way, w, label]
        more += columns[way, x, label]
        common += min(rows[way, w, label], columns[way, x, label])
    return many, more, common


@inlined
@no_type_check
def _bag_edges(task: Task, rates: Rates, depth: int, room: Remaining) -> int:
    """Bound the edges of each mapped row to the rows after the next one; returns the sum."""
    order, image, bag = room.order, room.image, room.bag
    rows, columns = room.row_edges[depth + 1], room.column_edges
    total = 0
    for way in range(2 if task.directed else 1):
        for at in range(depth):
            many, more, common = _common(rows, columns, way, order[at], image[at])
            bound = edge_bag(rates, many, more, common)
            bag[way, at, 0] = many
            bag[way, at, 1] = more
            bag[way, at, 2] = common
            bag[way, at, 3] = bound
            total += bound
    return total


@kernel
@no_type_check
def expand(
    task: Task,
    rates: Rates,
    pair: Pair,
    right: Side,
    depth: int,
    so_far: int,
    n: int,
    m: int,
    size: int,
    room: Remaining,
) -> int:
    """Try all columns for the row at `depth` after the mapping in `room.image`.

    All empty columns are alike, so only the first free one is tried. Returns how many columns
    were tried; they stand in `room.tried`, `room.so_far` and `room.in_all`.
    """
    v = room.order[depth]
    free = _count_columns(task, pair, right, depth, m, size, room)
    anchored = _bag_edges(task, rates, depth, room)
    row_kinds, row_loops = room.row_kinds[depth + 1], room.row_loops[depth + 1]
    column_kinds, column_loops = room.column_kinds, room.column_loops
    kinds = 0
    for kind in range(n + m):
        kinds += min(row_kinds[kind], column_kinds[kind])
    loops, other_loops, common_loops = 0, 0, 0
    for label in range(1, row_loops.shape[0]):
        loops += row_loops[label]
        other_loops += column_loops[label]
        common_loops += min(row_loops[label], column_loops[label])
    used, column_kind, column_loop, node = room.used, room.kind[1], right.loop, pair.node[v]
    row_edges, column_edges = room.row_edges[depth + 1], room.column_edges
    row_inner, column_inner = room.row_inner[depth + 1], room.column_inner
    order, image, bag = room.order, room.image, room.bag
    tried, cost, in_all = room.tried, room.so_far, room.in_all
    edge, left_codes, right_codes = task.tables.edge, pair.left, pair.right
    count = 0
    for u in range(size):
        if used[u]:
            continue
        nodes, alike = free, kinds
        looped, alike_loops = other_loops, common_loops
        if u < m:
            nodes -= 1
            kind, loop = column_kind[u], column_loop[u]
            alike -= column_kinds[kind] <= row_kinds[kind]
            if loop:
                looped -= 1
                alike_loops -= column_loops[loop] <= row_loops[loop]
        bound = anchored + node_bag(rates, n - depth - 1, nodes, alike)
        bound += edge_bag(rates, loops, looped, alike_loops)
        bound += _bound_inner(
            rates, task.directed, v, u, row_edges, column_edges, row_inner, column_inner
        )
        step, eased = _join(
            rates, task.directed, edge, left_codes, right_codes, depth, v, u, order, image, bag,
            row_edges, column_edges,
        )  # fmt: skip
        tried[count] = u
        cost[count] = so_far + node[u] + step
        in_all[count] = cost[count] + bound + eased
        count += 1
        if u >= m:
            break
    return count


@inlined
@no_type_check
def _bound_inner(
    rates: Rates,
    directed: int,
    v: int,
    u: int,
    row_edges: NDArray[np.int32],
    column_edges: NDArray[np.int32],
    row_inner: NDArray[np.int32],
    column_inner: NDArray[np.int32],
) -> int:
    """Bound the edges among what remains without v and u, and the edges of v and u to it."""
    total = 0
    for way in range(1 + directed):
        many, more, common = _common(row_edges, column_edges, way, v, u)
        total += edge_bag(rates, many, more, common)
    many, more, common = 0, 0, 0
    for label in range(1, row_inner.shape[0]):
        ours = row_inner[label]
        theirs = column_inner[label] - column_edges[0, u, label]
        if directed:
            theirs -= column_edges[1, u, label]
        many += ours
        more += theirs
        common += min(ours, theirs)
    return total + edge_bag(rates, many, more, common)


@inlined
@no_type_check
def _join(
    rates: Rates,
    directed: int,
    edge: NDArray[np.int64],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    depth: int,
    v: int,
    u: int,
    order: NDArray[np.int32],
    image: NDArray[np.int32],
    bag: NDArray[np.int64],
    row_edges: NDArray[np.int32],
    column_edges: NDArray[np.int32],
) -> tuple[int, int]:
    """Cost of the edges from v to mapped rows, and how the bounds of those change without u.

    Where the image of a mapped row has an edge to u, it has one edge less to free columns.
    """
    step, eased = 0, 0
    for way in range(1 + directed):
        for at in range(depth):
            w, x = order[at], image[at]
            code = right[u, x] if way else right[x, u]
            step += edge[left[v, w] if way else left[w, v], code]
            if code:
                lost = column_edges[way, x, code] <= row_edges[way, w, code]
                common = bag[way, at, 2] - lost
                eased += edge_bag(rates, bag[way, at, 0], bag[way, at, 1] - 1, common)
                eased -= bag[way, at, 3]
    return step, eased
