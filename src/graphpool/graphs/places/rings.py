"""Parts by rings: rings are kept whole, and modularity divides the rest.

1. Find the bridges. The 2-edge-connected components of 3 to `PlaceRule.unit_size` nodes are the
   rings and systems of rings.
2. Contract each of them to one node, and find the places of that graph by modularity.
3. Cut every bridge at a ring, and every other edge between two places. The parts are the
   components that are left. If they are too many, those whose merge gains most modularity, or
   costs least, are merged.

A graph without such rings has the places of modularity. All three steps are independent of the
numbering of the nodes. Rings that share a node or an edge are one part.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.graphs.places.cache import Graphs
from graphpool.graphs.places.rule import PlaceRule

Array = NDArray[Any]


def ring_parts(
    graphs: Graphs, rule: PlaceRule, symmetric: bool, resolution: int, wanted: Array
) -> tuple[Array, Array]:
    """Return the part of each node, `[nodes]`, and the number of parts of each graph, `[graphs]`.

    Args:
        symmetric: whether A is.
        resolution: resolution of modularity, in sixteenths.
        wanted: `[graphs]`, how many parts a graph should have at most; 0 stands for `rule.most`.
    """
    from graphpool.graphs.places.bridges import cut_around_rings, find_units
    from graphpool.graphs.places.compiled import find_places, merge_places

    nodes = np.diff(graphs.node_ptr)
    unit, units = np.zeros(int(nodes.sum()), dtype=np.int64), np.zeros_like(wanted)
    ring = np.zeros(len(unit), dtype=np.bool_)
    find_units(*graphs, symmetric, rule.unit_size, rule.units == "auto", unit, units, ring)
    small = contracted(graphs, unit, units)
    rings = units < nodes
    place, counts = np.zeros(int(units.sum()), dtype=np.int64), np.zeros_like(wanted)
    free, most = np.where(rings, 0, wanted), np.where(rings, nodes, rule.most)
    find_places(*small, symmetric, resolution, free, most, place, counts)
    label = np.zeros_like(unit)
    cut_around_rings(*graphs, unit, ring, place, small.node_ptr, label, counts)
    limits = np.where(rings, np.where(wanted > 0, wanted, rule.most), nodes)
    if (counts > limits).any():
        merge_places(*graphs, symmetric, resolution, limits, label, counts)
    return label, counts


def contracted(graphs: Graphs, unit: Array, units: Array) -> Graphs:
    """Return the graphs whose nodes are units, without edges inside units.

    Args:
        unit: `[nodes]`, counted from each graph's first unit.
        units: `[graphs]`, how many units a graph has.
    """
    row_ptr, col, weight, node_ptr = graphs
    unit_ptr = np.concatenate([[0], units.cumsum()])
    owner = np.repeat(np.arange(len(units)), np.diff(node_ptr))
    row = np.repeat(np.arange(len(unit)), np.diff(row_ptr))
    source, target = unit[node_ptr[owner[row]] + col], unit[row]
    kept = np.flatnonzero(source != target)
    target = target[kept] + unit_ptr[owner[row[kept]]]
    kept = kept[np.argsort(target, kind="stable")]
    degree = np.bincount(target, minlength=int(unit_ptr[-1]))
    return Graphs(
        np.concatenate([[0], degree.cumsum()]).astype(row_ptr.dtype),
        source[kept].astype(col.dtype),
        weight[kept],
        unit_ptr.astype(node_ptr.dtype),
    )
