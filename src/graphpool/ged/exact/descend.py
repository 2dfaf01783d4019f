"""Extend a partial mapping by one node, and bound the rest."""

from typing import no_type_check

from graphpool.ged.costs import Rate, bag_cost
from graphpool.ged.exact.assignment import augment
from graphpool.ged.exact.workspace import COLUMN, FIXED, ROW, SIZE, Workspace
from graphpool.ged.kernel import IntArray, inlined, inner
from graphpool.ged.pair import GedProblem


@inlined
@no_type_check
def descend(problem: GedProblem, work: Workspace, depth: int, i: int, j: int, most: int) -> int:
    """Map row `i` to column `j` of level `depth`; return the bound on level `depth + 1`.

    Returns early, with a value above `most`, if the bound is above that.
    """
    edge, node = problem.tables.edge, work.node
    below, open_ = depth + 1, work.state[SIZE] - depth - 1
    v, u = node[depth, ROW, i], node[depth, COLUMN, j]
    reformulated = work.double.shape[0] > 0
    bound = work.level[depth, FIXED]
    if reformulated:
        bound += work.cost[depth, i, j]
    else:
        bound += 2 * _fixed_cost(problem, work, v, u)
    work.level[below, FIXED] = bound
    bound += _shrink(depth, i, j, open_, node, work.price, work.mate, work.edges, work.cost)
    if reformulated:
        for b in range(open_):
            for c in range(open_):
                rise = work.double[v, u, node[below, ROW, b], node[below, COLUMN, c]]
                work.cost[below, b, c] += rise
    elif work.edges.shape[3] == 1:
        _raise_one_kind(depth, i, j, v, u, open_, work, edge[1, 0], edge[0, 1], edge[1, 1])
    else:
        _raise_many_kinds(depth, i, j, v, u, open_, problem, work)
    cost, mate, price = work.cost[below], work.mate[below], work.price[below]
    for b in range(open_):
        to = mate[ROW, b]
        if to >= 0:
            if cost[b, to] - price[ROW, b] - price[COLUMN, to] > 0:
                mate[ROW, b] = -1
            else:
                mate[COLUMN, to] = b
    for b in range(open_):
        if mate[ROW, b] < 0:
            bound += augment(b, open_, cost, price, mate, work.scratch, most - bound)
            if bound > most:
                break
    return bound


@inlined
@no_type_check
def _fixed_cost(problem: GedProblem, work: Workspace, v: int, u: int) -> int:
    """Return the fixed cost of mapping v to u: the nodes, and their edges to mapped nodes."""
    edge, left, right = problem.tables.edge, work.pair.left, work.pair.right
    taken = work.taken
    fixed = work.pair.node[v, u]
    for at in range(work.degree[ROW, v]):
        w = work.near[ROW, v, at]
        if taken[ROW, w] >= 0:
            x = taken[ROW, w]
            fixed += edge[left[v, w], right[u, x]]
            if problem.directed:
                fixed += edge[left[w, v], right[x, u]]
    for at in range(work.degree[COLUMN, u]):
        x = work.near[COLUMN, u, at]
        if taken[COLUMN, x] >= 0:
            w = taken[COLUMN, x]
            if left[v, w] == 0 and left[w, v] == 0:
                fixed += edge[0, right[u, x]]
                if problem.directed:
                    fixed += edge[0, right[x, u]]
    return fixed


@inlined
@no_type_check
def _shrink(
    depth: int, i: int, j: int, open_: int, node: IntArray, price: IntArray, mate: IntArray,
    edges: IntArray, cost: IntArray,
) -> int:  # fmt: skip
    """Copy a level to the next without row i and column j; return the sum of the prices there.

    The last row and column move to the position of the removed ones.
    """
    below, total, kinds = depth + 1, 0, edges.shape[3]
    for side in range(2):
        for p in range(open_):
            node[below, side, p] = node[depth, side, p]
            price[below, side, p] = price[depth, side, p]
            total += price[depth, side, p]
        for p in range(open_):
            for label in range(kinds):
                edges[below, side, p, label] = edges[depth, side, p, label]
        gone = j if side else i
        if gone < open_:
            node[below, side, gone] = node[depth, side, open_]
            price[below, side, gone] = price[depth, side, open_]
            total += price[depth, side, open_] - price[depth, side, gone]
            for label in range(kinds):
                edges[below, side, gone, label] = edges[depth, side, open_, label]
    for b in range(open_):
        a = open_ if b == i else b
        for c in range(open_):
            cost[below, b, c] = cost[depth, a, c]
        to = mate[depth, ROW, a]
        if j < open_:
            cost[below, b, j] = cost[depth, a, open_]
        mate[below, ROW, b] = -1 if to == j else (j if to == open_ else to)
        mate[below, COLUMN, b] = -1
    return total


@inlined
@no_type_check
def _raise_one_kind(
    depth: int, i: int, j: int, v: int, u: int, open_: int, work: Workspace, remove: int,
    insert: int, change: int,
) -> None:  # fmt: skip
    """Raise the costs on the next level after mapping v to u: undirected edges without labels.

    Edges to v and to u count in full from now on, and no longer as open edges.
    """
    below = depth + 1
    left, right, node = work.pair.left, work.pair.right, work.node
    cost, edges = work.cost[below], work.edges[below]
    joined = work.scratch[0]
    near = work.scratch[1]
    count = 0
    for c in range(open_):
        joined[c] = right[node[below, COLUMN, c], u] != 0
        if joined[c]:
            near[count] = c
            count += 1
    for b in range(open_):
        degree = edges[ROW, b, 0]
        if left[node[below, ROW, b], v]:
            for c in range(open_):
                more = degree - edges[COLUMN, c, 0]
                if joined[c]:
                    cost[b, c] += 2 * change
                elif more > 0:
                    cost[b, c] += remove
                else:
                    cost[b, c] += 2 * remove + insert
            edges[ROW, b, 0] = degree - 1
        else:
            for at in range(count):
                c = near[at]
                more = degree - edges[COLUMN, c, 0]
                cost[b, c] += insert if more < 0 else 2 * insert + remove
    for at in range(count):
        edges[COLUMN, near[at], 0] -= 1


@inlined
@no_type_check
def _raise_many_kinds(
    depth: int, i: int, j: int, v: int, u: int, open_: int, problem: GedProblem, work: Workspace
) -> None:
    """Raise the costs on the next level: edges with labels or directions."""
    below, back = depth + 1, work.edges.shape[3] // 2
    edge, left, right = problem.tables.edge, work.pair.left, work.pair.right
    node, edges = work.node, work.edges
    near, halves, count = work.scratch[1], 1 + problem.directed, 0
    rate = problem.tables.edge_rate
    for side in range(2):
        for b in range(open_):
            w = node[below, side, b]
            code = right[w, u] if side else left[w, v]
            reverse = right[u, w] if side else left[v, w]
            if code:
                edges[below, side, b, code - 1] -= 1
            if reverse and problem.directed:
                edges[below, side, b, back + reverse - 1] -= 1
            if side and (code or reverse):
                near[count] = b
                count += 1
    for b in range(open_):
        w = node[below, ROW, b]
        out, reverse = left[w, v], left[v, w]
        every = out != 0 or reverse != 0
        for at in range(open_ if every else count):
            c = at if every else near[at]
            x = node[below, COLUMN, c]
            rise = 2 * edge[out, right[x, u]]
            if problem.directed:
                rise += 2 * edge[reverse, right[u, x]]
            rise += open_cost(edges, below, b, c, halves, rate)
            before_b, before_c = open_ if b == i else b, open_ if c == j else c
            rise -= open_cost(edges, depth, before_b, before_c, halves, rate)
            work.cost[below, b, c] += rise


@inner
@no_type_check
def open_cost(edges: IntArray, depth: int, i: int, j: int, halves: int, rate: Rate) -> int:
    """Return the least cost of the difference between the open edges of row i and column j."""
    width = edges.shape[3] // halves
    total = 0
    for half in range(halves):
        a, b, common = 0, 0, 0
        for label in range(half * width, (half + 1) * width):
            x, y = edges[depth, ROW, i, label], edges[depth, COLUMN, j, label]
            a += x
            b += y
            common += min(x, y)
        total += bag_cost(rate, a, b, common)
    return total
