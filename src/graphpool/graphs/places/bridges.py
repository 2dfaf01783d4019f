"""Compiled search for bridges and rings, in time linear in the edges.

An edge is a bridge if it lies on no cycle. Without its bridges, a graph falls into its
2-edge-connected components: rings, systems of rings that share nodes or edges, and single nodes
that lie on no cycle. None of this depends on the numbering of the nodes.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.graphs.places.kernel import compiled, inner
from graphpool.graphs.places.moves import leader
from graphpool.graphs.places.net import load

Array = Any

LEAST = 3  # nodes of a ring
EDGES, NODES = 4, 3  # a simple graph has at most EDGES edges for NODES nodes
RINGS = 4  # a simple system of rings has at most RINGS independent cycles


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


@compiled
@no_type_check
def find_units(
    row_ptr: Array, col: Array, weight: Array, node_ptr: Array, both: bool,
    unit_size: int, simple: bool, unit: Array, units: Array, ring: Array,
) -> None:  # fmt: skip
    """Find what is kept whole in every graph: the components of at most `unit_size` nodes.

    Args:
        row_ptr, col, weight: A of all graphs; `col` counts from each graph's first node.
        both: whether A is symmetric.
        simple: look for rings only in graphs with at most `EDGES` edges for `NODES` nodes, and
            only for systems of at most `RINGS` rings.
        unit, units: the unit of each node, `[nodes]`, and how many a graph has, `[graphs]`, are
            written to them; a node that is kept with no other is a unit of its own, and so are
            all nodes of a graph without rings.
        ring: whether each node belongs to a ring, `[nodes]`, is written to it.
    """
    for graph in range(len(node_ptr) - 1):
        begin, end = node_ptr[graph], node_ptr[graph + 1]
        ptr, near, _ = load(row_ptr, col, weight, begin, end, both)
        component, components = np.arange(end - begin), end - begin
        if not simple or NODES * len(near) <= 2 * EDGES * (end - begin):
            count = repetitions(row_ptr, col, weight, begin, end, ptr, near)
            component, components = two_edge_connected(ptr, near, count)
        size, slots = np.zeros(components, dtype=np.int64), np.zeros(components, dtype=np.int64)
        for node in range(end - begin):
            at = component[node]
            size[at] += 1
            for slot in range(ptr[node], ptr[node + 1]):
                slots[at] += component[near[slot]] == at
        whole, rings = np.zeros(components, dtype=np.bool_), 0
        for at in range(components):
            cycles = slots[at] // 2 - size[at] + 1
            whole[at] = size[at] <= unit_size and (not simple or cycles <= RINGS)
            rings += whole[at] and size[at] >= LEAST
        number, many = np.full(components, -1, dtype=np.int64), 0
        for node in range(end - begin):
            at = component[node]
            kept = rings > 0 and whole[at]
            if not kept or number[at] < 0:
                number[at] = many
                many += 1
            unit[begin + node], ring[begin + node] = number[at], kept and size[at] >= LEAST
        units[graph] = many


@compiled
@no_type_check
def cut_around_rings(
    row_ptr: Array, col: Array, weight: Array, node_ptr: Array,
    unit: Array, ring: Array, place: Array, unit_ptr: Array, label: Array, counts: Array,
) -> None:  # fmt: skip
    """Write the part of each node to `label` and the number of parts of each graph to `counts`.

    In a graph with rings, the edges that leave a ring, all of which are bridges, and those
    between two places are cut, and the parts are the components that are left. In a graph without
    rings the places are the parts.

    Args:
        unit, ring: from `find_units`.
        place: `[units]`, the place of each unit; `counts` holds how many places a graph has.
        unit_ptr: where each graph's units begin.
    """
    for graph in range(len(node_ptr) - 1):
        begin, end, first = node_ptr[graph], node_ptr[graph + 1], unit_ptr[graph]
        rings = False
        for node in range(begin, end):
            label[node] = place[first + unit[node]]
            rings = rings or ring[node]
        if not rings:
            continue
        lead = np.arange(end - begin)
        for node in range(begin, end):
            for slot in range(row_ptr[node], row_ptr[node + 1]):
                other = begin + col[slot]
                if not 0.0 < float(weight[slot]) < np.inf:
                    continue
                kept = not ring[node] and not ring[other] and label[node] == label[other]
                if kept or unit[node] == unit[other]:
                    lead[leader(lead, node - begin)] = leader(lead, np.int64(col[slot]))
        number, many = np.full(end - begin, -1, dtype=np.int64), 0
        for node in range(end - begin):
            at = leader(lead, node)
            if number[at] < 0:
                number[at] = many
                many += 1
            label[begin + node] = number[at]
        counts[graph] = many
