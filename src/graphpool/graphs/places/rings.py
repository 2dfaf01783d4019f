"""Rings as parts: 2-edge-connected components and the bridges between them, in linear time.

An edge is a bridge if it lies on no cycle. Without the bridges, a graph falls into its
2-edge-connected components: rings and systems of rings that share nodes or edges, and single nodes
that lie on no cycle. None of this depends on the numbering of the nodes.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.graphs.places.kernel import inner
from graphpool.graphs.places.moves import leader

Array = Any

LEAST = 3  # nodes of a ring unit
# `units="auto"` looks for rings in graphs of at most EDGES edges for NODES nodes; see docs/places.md
EDGES, NODES = 4, 3


@inner
@no_type_check
def repetitions(
    row_ptr: Array, col: Array, weight: Array, first: int, last: int, ptr: Array, near: Array
) -> Array:
    """Count how often A lists each edge of `net.load`, in its direction, `[slots]`."""
    count, at = np.zeros(len(near), dtype=np.int32), np.zeros(last - first, dtype=np.int64)
    for node in range(last - first):
        for slot in range(ptr[node], ptr[node + 1]):
            at[near[slot]] = slot
        for slot in range(row_ptr[first + node], row_ptr[first + node + 1]):
            if col[slot] != node and 0.0 < float(weight[slot]) < np.inf:
                count[at[col[slot]]] += 1
    return count


@inner
@no_type_check
def two_edge_connected(ptr: Array, near: Array, count: Array) -> tuple[Array, int]:
    """Return the 2-edge-connected component of each node, `[nodes]`, and their number.

    Tarjan's low-link numbers, without recursion. An edge that A lists twice is no bridge.
    """
    nodes = len(ptr) - 1
    found, low = np.full(nodes, -1, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    entry, at = np.full(nodes, -1, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    open_nodes, path = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    component = np.empty(nodes, dtype=np.int64)
    time, components, opened = 0, 0, 0
    for root in range(nodes):
        if found[root] >= 0:
            continue
        depth, path[0], found[root], low[root], at[root] = 0, root, time, time, ptr[root]
        open_nodes[opened] = root
        opened, time = opened + 1, time + 1
        while depth >= 0:
            node = path[depth]
            if at[node] < ptr[node + 1]:
                slot = at[node]
                other, at[node] = np.int64(near[slot]), slot + 1
                if found[other] < 0:
                    depth += 1
                    path[depth], entry[other], at[other] = other, slot, ptr[other]
                    found[other], low[other] = time, time
                    open_nodes[opened] = other
                    opened, time = opened + 1, time + 1
                elif (
                    depth == 0
                    or other != path[depth - 1]
                    or count[slot] > 1
                    or count[entry[node]] > 1
                ):
                    low[node] = min(low[node], found[other])
                continue
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[node])
            if low[node] == found[node]:
                while True:
                    opened -= 1
                    component[open_nodes[opened]] = components
                    if open_nodes[opened] == node:
                        break
                components += 1
    return component, components


@inner
@no_type_check
def cut_around_rings(
    ptr: Array, near: Array, count: Array, member: Array, unit_size: int, sparse: bool
) -> bool:
    """Turn places of modularity into parts by rings; see `PlaceRule.units`.

    Cut are the bridges at a ring unit, and all edges between two places but those inside a
    component of at most `unit_size` nodes. The parts are the components of what is left.

    Args:
        member: `[nodes]`, the place of each node; the part of each node is written to it.
        unit_size: the most nodes of a ring unit.
        sparse: leave graphs with more than `EDGES` edges for `NODES` nodes as they are.

    Returns:
        Whether the graph has ring units; a graph without any is left as it is.
    """
    nodes = len(member)
    if sparse and NODES * len(near) > 2 * EDGES * nodes:
        return False
    component, components = two_edge_connected(ptr, near, count)
    size = np.zeros(components, dtype=np.int64)
    for node in range(nodes):
        size[component[node]] += 1
    units = 0
    for number in range(components):
        units += LEAST <= size[number] <= unit_size
    if units == 0:
        return False
    lead = np.arange(nodes)
    for node in range(nodes):
        inside = size[component[node]]
        for slot in range(ptr[node], ptr[node + 1]):
            other = np.int64(near[slot])
            across = size[component[other]]
            if component[node] != component[other]:
                cut = LEAST <= inside <= unit_size or LEAST <= across <= unit_size
                cut = cut or member[node] != member[other]
            else:
                cut = inside > unit_size and member[node] != member[other]
            if not cut:
                lead[leader(lead, node)] = leader(lead, other)
    for node in range(nodes):
        member[node] = leader(lead, node)
    return True
