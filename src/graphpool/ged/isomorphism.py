"""Which graphs of a collection are the same but for the order of their nodes, proved one by one.

Nodes have colours that every isomorphism keeps (see `duplicates`), so a node is tried only on
nodes of its own colour. Most colours are of one node or few, and the search hardly branches.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.ged.kernel import compiled

Array = Any
MOST_STEPS = 1_000_000


@compiled
@no_type_check
def group(graphs: Array, colour: Array, bucket: Array, size: int, found: Array) -> None:
    """For each graph the first graph that is isomorphic to it, in `found` `[graphs]`.

    Args:
        colour: `[nodes]`, equal for nodes that an isomorphism maps to each other.
        bucket: `[graphs]` numbers from 0; only graphs of one bucket are compared, and none of
            a negative one.
        size: nodes of the largest graph that shares its bucket with another.
    """
    count = bucket.shape[0]
    head = np.full(max(count, 1), -1, dtype=np.int64)
    after = np.full(max(count, 1), -1, dtype=np.int64)
    left = np.zeros((size, size), dtype=np.int32)
    right = np.zeros((size, size), dtype=np.int32)
    room = np.zeros((4, size + 1), dtype=np.int64)
    for graph in range(count):
        found[graph] = graph
        place = bucket[graph]
        if place < 0:
            continue
        other = head[place]
        if other >= 0:
            _lay(graphs, graph, left)
        while other >= 0:
            _lay(graphs, other, right)
            a, b = graphs.node_ptr[graph], graphs.node_ptr[other]
            n, m = graphs.node_ptr[graph + 1] - a, graphs.node_ptr[other + 1] - b
            if n == m and _same(left, right, colour[a : a + n], colour[b : b + n], n, room):
                found[graph] = other
                break
            other = after[other]
        if found[graph] == graph:
            after[graph] = head[place]
            head[place] = graph


@compiled
@no_type_check
def _lay(graphs: Array, graph: int, codes: Array) -> None:
    n = graphs.node_ptr[graph + 1] - graphs.node_ptr[graph]
    codes[:n, :n] = 0
    for e in range(graphs.edge_ptr[graph], graphs.edge_ptr[graph + 1]):
        codes[graphs.source[e], graphs.target[e]] = graphs.edge_label[e]


@compiled
@no_type_check
def _same(left: Array, right: Array, mine: Array, yours: Array, n: int, room: Array) -> bool:
    """Whether some mapping keeps colours and edges; False too where the search grows too long."""
    order, image, taken, choice = room[0], room[1], room[2], room[3]
    _arrange(left, mine, n, order, taken)
    taken[:n] = 0
    choice[: n + 1] = 0
    depth = steps = 0
    while depth < n:
        v = order[depth]
        u = choice[depth]
        while u < n and not (
            taken[u] == 0 and mine[v] == yours[u] and _fits(left, right, order, image, depth, v, u)
        ):
            u += 1
        steps += u - choice[depth] + 1
        if steps > MOST_STEPS:
            return False
        if u < n:
            image[depth] = u
            taken[u] = 1
            choice[depth] = u + 1
            depth += 1
            choice[depth] = 0
        elif depth == 0:
            return False
        else:
            depth -= 1
            taken[image[depth]] = 0
    return True


@compiled
@no_type_check
def _fits(
    left: Array, right: Array, order: Array, image: Array, depth: int, v: int, u: int
) -> bool:
    if left[v, v] != right[u, u]:
        return False
    for d in range(depth):
        w, x = order[d], image[d]
        if left[v, w] != right[u, x] or left[w, v] != right[x, u]:
            return False
    return True


@compiled
@no_type_check
def _arrange(left: Array, mine: Array, n: int, order: Array, alike: Array) -> None:
    """Nodes in an order that leaves few choices: neighbours of earlier ones, rare colours first."""
    for v in range(n):
        alike[v] = 0
        order[v] = v
        for w in range(n):
            alike[v] += mine[v] == mine[w]
    for depth in range(n):
        best, best_linked = depth, False
        for place in range(depth, n):
            v = order[place]
            linked = False
            for d in range(depth):
                if left[v, order[d]] or left[order[d], v]:
                    linked = True
                    break
            rarer = alike[v] < alike[order[best]]
            if (linked and not best_linked) or (linked == best_linked and rarer):
                best, best_linked = place, linked
        order[depth], order[best] = order[best], order[depth]
