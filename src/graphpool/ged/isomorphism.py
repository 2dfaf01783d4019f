"""Find isomorphic graphs of a collection by search, with proof.

Nodes have colours that every isomorphism preserves (see `duplicates`), so a node is tried only
against nodes of its own colour. Most colours have few nodes, so the search hardly branches.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.ged.kernel import compiled
from graphpool.ged.pair import load_edges

Array = Any
MOST_STEPS = 1_000_000


@compiled
@no_type_check
def group(graphs: Array, colour: Array, bucket: Array, size: int, first: Array) -> None:
    """Find for each graph the first graph that is isomorphic to it.

    Args:
        colour: `[nodes]`, equal for nodes that an isomorphism maps to each other.
        bucket: `[graphs]`, numbers from 0; only graphs of the same bucket are compared, and those
            with a negative number with none.
        size: nodes of the largest graph that shares its bucket with another.
        first: `[graphs]`, the result.
    """
    count = bucket.shape[0]
    head = np.full(max(count, 1), -1, dtype=np.int64)
    after = np.full(max(count, 1), -1, dtype=np.int64)
    left = np.zeros((size, size), dtype=np.int32)
    right = np.zeros((size, size), dtype=np.int32)
    work = np.zeros((4, size + 1), dtype=np.int64)
    for graph in range(count):
        first[graph] = graph
        key = bucket[graph]
        if key < 0:
            continue
        other = head[key]
        a = graphs.node_ptr[graph]
        n = graphs.node_ptr[graph + 1] - a
        if other >= 0:
            load_edges(graphs, graph, n, left)
        while other >= 0:
            b = graphs.node_ptr[other]
            m = graphs.node_ptr[other + 1] - b
            load_edges(graphs, other, m, right)
            if n == m and _same(left, right, colour[a : a + n], colour[b : b + n], n, work):
                first[graph] = other
                break
            other = after[other]
        if first[graph] == graph:
            after[graph] = head[key]
            head[key] = graph


@compiled
@no_type_check
def _same(left: Array, right: Array, mine: Array, yours: Array, n: int, work: Array) -> bool:
    """Whether a mapping preserves colours and edges; also False if the search takes too long."""
    order, image, taken, choice = work[0], work[1], work[2], work[3]
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
    """Order nodes so that few choices are left: neighbours of earlier ones, rare colours first."""
    for v in range(n):
        alike[v] = 0
        order[v] = v
        for w in range(n):
            alike[v] += mine[v] == mine[w]
    for depth in range(n):
        best, best_linked = depth, False
        for at in range(depth, n):
            v = order[at]
            linked = False
            for d in range(depth):
                if left[v, order[d]] or left[order[d], v]:
                    linked = True
                    break
            rarer = alike[v] < alike[order[best]]
            if (linked and not best_linked) or (linked == best_linked and rarer):
                best, best_linked = at, linked
        order[depth], order[best] = order[best], order[depth]
