"""The compiled loops of parts that recur: edges in both directions, short cycles, parts, types.

All sums are of whole numbers and all hashes of 64 bits, so that neither the numbering of nodes nor
the order of graphs changes a bit of a result.
"""

from pathlib import Path

import numpy as np

from graphpool.graphs.hashing import Array
from graphpool.graphs.places.bridges import two_edge_connected
from graphpool.numba_cache import compiler

SOURCES = Path(__file__).parents[1]  # with those of places, whose loops are called
compiled = compiler(SOURCES)
inner = compiler(SOURCES, no_cpython_wrapper=True)

ROUNDS = 4  # of refinement inside a part
MOST_STEPS = 4096  # edges that the search for a short cycle follows around one edge
_OWN, _LEFT = np.uint64(0xD1B54A32D192ED03), np.uint64(0x8CB92BA72F3D8DD7)


@inner
def spread(value: np.uint64) -> np.uint64:
    """Spread a number over 64 bits, as `hashing.mix` does."""
    value = np.uint64(value) + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.uint64(value ^ (value >> np.uint64(31)))


@compiled
def both_ways(source: Array, target: Array, label: Array, nodes: int) -> tuple[Array, ...]:
    """Lay out the neighbours of each node, whichever way an edge leads; self-loops are left out.

    Args:
        source: `[edges]`, `target` `[edges]`: in order of target, then source.
        label: `[edges]` hashes of labels.

    Returns:
        `row_ptr` `[nodes + 1]`; for each slot its `col`, the `edge` (a pair of nodes, numbered
        from 0) and `side`, the hash of the labels that lead there and back; and the number of
        edges.
    """
    # Rows of the reverse: sorted, because edges are.
    out_ptr = np.zeros(nodes + 1, dtype=np.int64)
    in_ptr = np.zeros(nodes + 1, dtype=np.int64)
    for e in range(len(source)):
        out_ptr[source[e] + 1] += 1
        in_ptr[target[e] + 1] += 1
    for i in range(nodes):
        out_ptr[i + 1] += out_ptr[i]
        in_ptr[i + 1] += in_ptr[i]
    out, at = np.empty(len(source), dtype=np.int64), out_ptr[:-1].copy()
    given = np.empty(len(source), dtype=np.int64)  # edges by target, self-loops in their order
    place = in_ptr[:-1].copy()
    for e in range(len(source)):
        out[at[source[e]]] = e
        at[source[e]] += 1
        if source[e] != target[e]:
            given[place[target[e]]] = e
            place[target[e]] += 1
    row_ptr = np.zeros(nodes + 1, dtype=np.int64)
    col = np.empty(2 * len(source), dtype=np.int32)
    side = np.empty(2 * len(source), dtype=np.uint64)
    slots = 0
    for i in range(nodes):
        a, b = in_ptr[i], out_ptr[i]
        while a < place[i] or b < out_ptr[i + 1]:
            if b < out_ptr[i + 1] and target[out[b]] == i:
                b += 1
                continue
            j_in = source[given[a]] if a < place[i] else nodes
            j_out = target[out[b]] if b < out_ptr[i + 1] else nodes
            value = np.uint64(0)
            if j_in <= j_out:
                value += spread(label[given[a]])
                a += 1
            if j_out <= j_in:
                value += spread(~label[out[b]])
                b += 1
            col[slots], side[slots] = min(j_in, j_out), spread(value)
            slots += 1
        row_ptr[i + 1] = slots
    edge, seen, edges = np.empty(slots, dtype=np.int32), row_ptr[:-1].copy(), 0
    for i in range(nodes):
        for s in range(row_ptr[i], row_ptr[i + 1]):
            j = col[s]
            if j > i:
                edge[s] = edges
                edge[seen[j]] = edges
                seen[j] += 1
                edges += 1
    return row_ptr, col[:slots].copy(), edge, side[:slots].copy(), np.array([edges])


@inner
def grow(row_ptr: Array, col: Array, edge: Array, skipped: int, begin: int, end: int,
         queue: Array, mark: Array, stamp: int, other: Array) -> tuple[int, bool]:  # fmt: skip
    """Add the neighbours of `queue[begin:end]`; say where the queue ends, and if `other` is met."""
    last = end
    for position in range(begin, end):
        i = queue[position]
        for s in range(row_ptr[i], row_ptr[i + 1]):
            if edge[s] != skipped:
                j = col[s]
                if other[j] == stamp:
                    return last, True
                if mark[j] != stamp:
                    mark[j] = stamp
                    queue[last] = j
                    last += 1
    return last, False


@compiled
def on_short_cycle(row_ptr: Array, col: Array, edge: Array, longest: int, short: Array) -> None:
    """Find the edges, `short` `[edges]`, on a cycle of at most `longest` nodes.

    An edge around which more than `MOST_STEPS` others would have to be followed counts as one, if
    it is no bridge.
    """
    nodes = len(row_ptr) - 1
    component, _ = two_edge_connected(row_ptr, col, np.ones(len(col), dtype=np.int32))
    mark_u, mark_v = np.full(nodes, -1, dtype=np.int64), np.full(nodes, -1, dtype=np.int64)
    queue_u, queue_v = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    for u in range(nodes):
        for s in range(row_ptr[u], row_ptr[u + 1]):
            v, e = col[s], edge[s]
            if v < u or component[u] != component[v]:  # or a bridge
                continue
            mark_u[u], mark_v[v], queue_u[0], queue_v[0] = e, e, u, v
            u0, u1, v0, v1 = 0, 1, 0, 1
            steps, radius = 0, 0
            # The ends are at most longest - 1 apart without the edge itself: both grow, in turn.
            while radius < longest - 1:
                for position in range(u0, u1):
                    steps += row_ptr[queue_u[position] + 1] - row_ptr[queue_u[position]]
                for position in range(v0, v1):
                    steps += row_ptr[queue_v[position] + 1] - row_ptr[queue_v[position]]
                if steps > MOST_STEPS:
                    short[e] = True
                    break
                last, met = grow(row_ptr, col, edge, e, u0, u1, queue_u, mark_u, e, mark_v)
                u0, u1 = u1, last
                radius += 1
                if met:
                    short[e] = True
                    break
                if radius < longest - 1:
                    last, met = grow(row_ptr, col, edge, e, v0, v1, queue_v, mark_v, e, mark_u)
                    v0, v1 = v1, last
                    radius += 1
                    if met:
                        short[e] = True
                        break
                if u0 == u1 or v0 == v1:
                    break


@compiled
def refine(row_ptr: Array, col: Array, side: Array, colour: Array) -> Array:
    """Return the next colours, `[nodes]`: of each node and of its neighbours by their edges."""
    fresh = np.empty_like(colour)
    for i in range(len(row_ptr) - 1):
        total = spread(spread(colour[i]) ^ _OWN)
        for s in range(row_ptr[i], row_ptr[i + 1]):
            total += spread(spread(colour[col[s]]) ^ side[s])
        fresh[i] = total
    return fresh


@compiled
def edge_types(row_ptr: Array, col: Array, edge: Array, side: Array, colour: Array,
               types: Array) -> None:  # fmt: skip
    """Write the type of each edge, `types` `[edges]`: the colours of its ends and its labels."""
    for e in range(len(types)):
        types[e] = np.uint64(0)
    for i in range(len(row_ptr) - 1):
        for s in range(row_ptr[i], row_ptr[i + 1]):
            types[edge[s]] += spread(spread(colour[i]) ^ side[s])


@compiled
def components(row_ptr: Array, col: Array, edge: Array, cut: Array, node_ptr: Array, chosen: Array,
               part: Array, counts: Array) -> None:  # fmt: skip
    """Number the components of the chosen graphs without their cut edges, from 0 in each graph.

    Args:
        part: `[nodes]`, written; `counts` `[graphs]`, written.
    """
    stack = np.empty(1, dtype=np.int64)
    for g in chosen:
        begin, end = node_ptr[g], node_ptr[g + 1]
        if len(stack) < end - begin:
            stack = np.empty(2 * (end - begin), dtype=np.int64)
        for i in range(begin, end):
            part[i] = -1
        found = 0
        for first in range(begin, end):
            if part[first] >= 0:
                continue
            part[first], stack[0], top = found, first, 1
            while top:
                top -= 1
                i = stack[top]
                for s in range(row_ptr[i], row_ptr[i + 1]):
                    j = col[s]
                    if not cut[edge[s]] and part[j] < 0:
                        part[j] = found
                        stack[top] = j
                        top += 1
            found += 1
        counts[g] = found


@compiled
def describe(row_ptr: Array, col: Array, edge: Array, side: Array, node_ptr: Array, chosen: Array,
             part: Array, counts: Array, start: Array, node_bits: Array, edge_bits: Array,
             size_bits: Array, types: Array, bits: Array, ports: Array, size: Array,
             ) -> None:  # fmt: skip
    """Find the type of every part of the chosen graphs, and what its description takes.

    What is known about part p of a graph stands where its p-th node does.

    Args:
        start: `[nodes]`, the first colours.
        node_bits: `[nodes]`, `edge_bits` `[edges]`, `size_bits` `[most nodes + 1]`: what a node's
            label, an edge's label and one end of an edge take.
        types: `[nodes]` written, as are `bits`, `ports` (edges that leave) and `size`.
    """
    now = np.empty(1, dtype=np.uint64)
    then = np.empty(1, dtype=np.uint64)
    for g in chosen:
        begin, end = node_ptr[g], node_ptr[g + 1]
        if len(now) < end - begin:
            now = np.empty(2 * (end - begin), dtype=np.uint64)
            then = np.empty(2 * (end - begin), dtype=np.uint64)
        for p in range(begin, begin + counts[g]):
            types[p], bits[p], ports[p], size[p] = np.uint64(0), 0, 0, 0
        for i in range(begin, end):
            size[begin + part[i]] += 1
        for i in range(begin, end):
            p = begin + part[i]
            leaving = np.uint64(0)
            bits[p] += node_bits[i]
            for s in range(row_ptr[i], row_ptr[i + 1]):
                j = col[s]
                if part[j] != part[i]:
                    leaving += spread(side[s])
                    ports[p] += 1
                elif i < j:
                    bits[p] += edge_bits[edge[s]] + size_bits[size[p]]
            now[i - begin] = spread(start[i]) + spread(leaving ^ _LEFT)
        for _ in range(ROUNDS):
            for i in range(begin, end):
                total = spread(now[i - begin] ^ _OWN)
                for s in range(row_ptr[i], row_ptr[i + 1]):
                    j = col[s]
                    if part[j] == part[i]:
                        total += spread(now[j - begin] ^ side[s])
                then[i - begin] = spread(total)
            now, then = then, now
        for i in range(begin, end):
            types[begin + part[i]] += now[i - begin]
        for p in range(begin, begin + counts[g]):
            types[p] = spread(types[p]) + spread(np.uint64(size[p]))
