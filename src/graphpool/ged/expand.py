"""Extend a partial mapping by one row: all columns for it, with cost and bound.

The bound on the rest is a sum over bags of labels: nodes, self-loops, inner edges and, for each
mapped node, its edges to open nodes, which are compared with the edges of its image. Along a path,
cost + bound never falls, and at its end the bound is the cost of the insertions.

The steps are compiled into one function, because calls with so many arrays are expensive.
"""

from typing import no_type_check

from graphpool.ged.costs import bag_cost
from graphpool.ged.kernel import CodeArray, inlined, kernel
from graphpool.ged.open_labels import OpenLabels
from graphpool.ged.pair import GedProblem, Pair


@inlined
@no_type_check
def _count_columns(problem: GedProblem, pair: Pair, depth: int, work: OpenLabels) -> int:
    """Count labels of the open columns after `depth` rows; return the number of free real ones."""
    used, kinds, loops = work.used, work.column_kinds, work.column_loops
    inner, edges, codes = work.column_inner, work.column_edges, pair.right
    near, degree, kind, m, size = work.near, work.degree, work.kind, work.sizes[1], work.sizes[2]
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
        loops[work.loop[u]] += 1
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
def _common(rows: CodeArray, columns: CodeArray, way: int, w: int, x: int) -> tuple[int, int, int]:
    """Return the edges of row w, those of column x, and the labels in common; 0 is no label."""
    many, more, common = 0, 0, 0
    for label in range(1, rows.shape[2]):
        many += rows[way, w, label]
        more += columns[way, x, label]
        common += min(rows[way, w, label], columns[way, x, label])
    return many, more, common


@inlined
@no_type_check
def _bag_edges(problem: GedProblem, depth: int, work: OpenLabels) -> int:
    """Bound the edges of each mapped row to the rows after the next one; return the sum."""
    order, image, bag = work.order, work.image, work.bag
    rows, columns = work.row_edges[depth + 1], work.column_edges
    total = 0
    for way in range(2 if problem.directed else 1):
        for at in range(depth):
            many, more, common = _common(rows, columns, way, order[at], image[at])
            bound = bag_cost(problem.tables.edge_rate, many, more, common)
            bag[way, at, 0], bag[way, at, 1] = many, more
            bag[way, at, 2], bag[way, at, 3] = common, bound
            total += bound
    return total


@kernel
@no_type_check
def expand(problem: GedProblem, pair: Pair, depth: int, so_far: int, work: OpenLabels) -> int:
    """Try all columns for the row at `depth` after the mapping in `work.image`.

    All empty columns are equal, so only the first free one is tried. Returns the number of
    columns tried; `work.tried`, `work.so_far` and `work.estimate` hold the results.
    """
    n, m, size, v = work.sizes[0], work.sizes[1], work.sizes[2], work.order[depth]
    free = _count_columns(problem, pair, depth, work)
    anchored = _bag_edges(problem, depth, work)
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
    used, column_kind, column_loop, node = work.used, work.kind[1], work.loop, pair.node[v]
    node_rate, edge_rate = problem.tables.node_rate, problem.tables.edge_rate
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
        bound = anchored + bag_cost(node_rate, n - depth - 1, nodes, alike)
        bound += bag_cost(edge_rate, loops, looped, alike_loops)
        bound += _bound_inner(problem, depth, v, u, work)
        step, eased = _join(problem, pair, depth, v, u, work)
        work.tried[count] = u
        work.so_far[count] = so_far + node[u] + step
        work.estimate[count] = work.so_far[count] + bound + eased
        count += 1
        if u >= m:
            break
    return count


@inlined
@no_type_check
def _bound_inner(problem: GedProblem, depth: int, v: int, u: int, work: OpenLabels) -> int:
    """Bound the edges among open nodes other than v and u, and the edges of v and u to these."""
    rate, row_inner = problem.tables.edge_rate, work.row_inner[depth + 1]
    row_edges, column_edges = work.row_edges[depth + 1], work.column_edges
    total = 0
    for way in range(1 + problem.directed):
        many, more, common = _common(row_edges, column_edges, way, v, u)
        total += bag_cost(rate, many, more, common)
    many, more, common = 0, 0, 0
    for label in range(1, row_inner.shape[0]):
        ours = row_inner[label]
        theirs = work.column_inner[label] - column_edges[0, u, label]
        if problem.directed:
            theirs -= column_edges[1, u, label]
        many += ours
        more += theirs
        common += min(ours, theirs)
    return total + bag_cost(rate, many, more, common)


@inlined
@no_type_check
def _join(
    problem: GedProblem, pair: Pair, depth: int, v: int, u: int, work: OpenLabels
) -> tuple[int, int]:
    """Return the cost of the edges from v to mapped rows, and the change of their bounds without u.

    If the image of a mapped row has an edge to u, it has one edge less to free columns.
    """
    edge, rate, left, right = problem.tables.edge, problem.tables.edge_rate, pair.left, pair.right
    row_edges, column_edges, bag = work.row_edges[depth + 1], work.column_edges, work.bag
    step, eased = 0, 0
    for way in range(1 + problem.directed):
        for at in range(depth):
            w, x = work.order[at], work.image[at]
            code = right[u, x] if way else right[x, u]
            step += edge[left[v, w] if way else left[w, v], code]
            if code:
                lost = column_edges[way, x, code] <= row_edges[way, w, code]
                common = bag[way, at, 2] - lost
                eased += bag_cost(rate, bag[way, at, 0], bag[way, at, 1] - 1, common)
                eased -= bag[way, at, 3]
    return step, eased
