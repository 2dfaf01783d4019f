"""Extend a partial mapping by one row: all columns for it, with cost and bound.

The bound on the rest is a sum over bags of labels: nodes, self-loops, inner edges and, for each
mapped node, its edges to open nodes, which are compared with the edges of its image. Along a path,
cost + bound never falls, and at its end the bound is the cost of the insertions.

The steps are compiled into one function, because calls with so many arrays are expensive.
`_nrt=False` removes reference counting, which the searches don't need because they allocate
nothing; this makes A* nearly twice as fast.
"""

from typing import no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.kernel import inlined, kernel
from graphpool.ged.label_bags import Rates, edge_bag_cost, node_bag_cost
from graphpool.ged.node_table import NodeTable
from graphpool.ged.open_labels import OpenLabels
from graphpool.ged.pair import GedProblem, Pair


@inlined
@no_type_check
def _count_columns(
    problem: GedProblem,
    pair: Pair,
    right: NodeTable,
    depth: int,
    m: int,
    size: int,
    work: OpenLabels,
) -> int:
    """Count labels of the open columns after `depth` rows; return the number of free real ones."""
    used, kinds, loops = work.used, work.column_kinds, work.column_loops
    inner, edges, codes = work.column_inner, work.column_edges, pair.right
    near, degree, kind = work.near, work.degree, work.kind
    for u in range(size):
        used[u] = False
        kinds[u], kinds[size + u] = 0, 0
    for at in range(depth):
        used[work.image[at]] = True
    for label in range(inner.shape[0]):
        loops[label], inner[label] = 0, 0
    for way in range(1 + problem.directed):
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
            if not used[x] and (x < u or problem.directed):
                inner[codes[x, u]] += 1
        if problem.directed:
            for i in range(degree[1, u]):
                x = near[1, u, i]
                edges[1, x, codes[u, x]] += 1
    return free


@inlined
@no_type_check
def _common(
    rows: NDArray[np.int32], columns: NDArray[np.int32], way: int, w: int, x: int
) -> tuple[int, int, int]:
    """Return the edges of row w, those of column x, and the labels in common; 0 is no label."""
    many, more, common = 0, 0, 0
    for label in range(1, rows.shape[2]):
        many += rows[way, w, label]
        more += columns[way, x, label]
        common += min(rows[way, w, label], columns[way, x, label])
    return many, more, common


@inlined
@no_type_check
def _bag_edges(problem: GedProblem, rates: Rates, depth: int, work: OpenLabels) -> int:
    """Bound the edges of each mapped row to the rows after the next one; return the sum."""
    order, image, bag = work.order, work.image, work.bag
    rows, columns = work.row_edges[depth + 1], work.column_edges
    total = 0
    for way in range(2 if problem.directed else 1):
        for at in range(depth):
            many, more, common = _common(rows, columns, way, order[at], image[at])
            bound = edge_bag_cost(rates, many, more, common)
            bag[way, at, 0] = many
            bag[way, at, 1] = more
            bag[way, at, 2] = common
            bag[way, at, 3] = bound
            total += bound
    return total


@kernel
@no_type_check
def expand(
    problem: GedProblem,
    rates: Rates,
    pair: Pair,
    right: NodeTable,
    depth: int,
    so_far: int,
    n: int,
    m: int,
    size: int,
    work: OpenLabels,
) -> int:
    """Try all columns for the row at `depth` after the mapping in `work.image`.

    All empty columns are equal, so only the first free one is tried. Returns the number of
    columns tried; `work.tried`, `work.so_far` and `work.estimate` hold the results.
    """
    v = work.order[depth]
    free = _count_columns(problem, pair, right, depth, m, size, work)
    anchored = _bag_edges(problem, rates, depth, work)
    row_kinds, row_loops = work.row_kinds[depth + 1], work.row_loops[depth + 1]
    column_kinds, column_loops = work.column_kinds, work.column_loops
    kinds = 0
    for kind in range(n + m):
        kinds += min(row_kinds[kind], column_kinds[kind])
    loops, other_loops, common_loops = 0, 0, 0
    for label in range(1, row_loops.shape[0]):
        loops += row_loops[label]
        other_loops += column_loops[label]
        common_loops += min(row_loops[label], column_loops[label])
    used, column_kind, column_loop, node = work.used, work.kind[1], right.loop, pair.node[v]
    row_edges, column_edges = work.row_edges[depth + 1], work.column_edges
    row_inner, column_inner = work.row_inner[depth + 1], work.column_inner
    order, image, bag = work.order, work.image, work.bag
    tried, cost, estimate = work.tried, work.so_far, work.estimate
    edge, left_codes, right_codes = problem.tables.edge, pair.left, pair.right
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
        bound = anchored + node_bag_cost(rates, n - depth - 1, nodes, alike)
        bound += edge_bag_cost(rates, loops, looped, alike_loops)
        bound += _bound_inner(
            rates, problem.directed, v, u, row_edges, column_edges, row_inner, column_inner
        )
        step, eased = _join(
            rates, problem.directed, edge, left_codes, right_codes, depth, v, u, order, image, bag,
            row_edges, column_edges,
        )  # fmt: skip
        tried[count] = u
        cost[count] = so_far + node[u] + step
        estimate[count] = cost[count] + bound + eased
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
    """Bound the edges among open nodes other than v and u, and the edges of v and u to these."""
    total = 0
    for way in range(1 + directed):
        many, more, common = _common(row_edges, column_edges, way, v, u)
        total += edge_bag_cost(rates, many, more, common)
    many, more, common = 0, 0, 0
    for label in range(1, row_inner.shape[0]):
        ours = row_inner[label]
        theirs = column_inner[label] - column_edges[0, u, label]
        if directed:
            theirs -= column_edges[1, u, label]
        many += ours
        more += theirs
        common += min(ours, theirs)
    return total + edge_bag_cost(rates, many, more, common)


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
    """Return the cost of the edges from v to mapped rows, and the change of their bounds without u.

    If the image of a mapped row has an edge to u, it has one edge less to free columns.
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
                eased += edge_bag_cost(rates, bag[way, at, 0], bag[way, at, 1] - 1, common)
                eased -= bag[way, at, 3]
    return step, eased
