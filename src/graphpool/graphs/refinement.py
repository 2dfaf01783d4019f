"""Colour refinement (1-WL) of all graphs of a set at once, in integer arithmetic.

A node's new colour is a hash of its colour and the multiset of its neighbours' colours. Hashes
are sums of mixed 64-bit numbers, so nothing is sorted within a neighbourhood and no loop runs
over graphs; after each round colours are renumbered 0, 1, 2, …, which keeps chance collisions
(about 1 in 10^19 for a pair) from building up.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.graphs.graphset import GraphSet

Array = NDArray[Any]
_OWN = np.uint64(0xD1B54A32D192ED03)


def _mix(values: Array) -> Array:
    """Spread 64-bit numbers over their range (the finaliser of splitmix64)."""
    mixed = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _numbered(values: Array) -> tuple[Array, int]:
    """Equal values get equal numbers 0, 1, 2, …; also how many there are."""
    distinct, numbers = np.unique(values, return_inverse=True)
    return numbers.reshape(-1), len(distinct)


def node_colours(graphs: GraphSet) -> Array:
    """Stable 1-WL colours of all nodes, `[nodes]`, comparable between the set's graphs.

    Node labels, edge labels, edge weights, directions and self-loops count; attributes don't.
    """
    graphs = graphs.to("cpu")
    source, target = graphs.flat_edges.numpy()
    edge = _edge_colours(graphs)
    label = np.zeros(graphs.num_nodes, dtype=np.int64)
    if graphs.node_label is not None:
        label = graphs.node_label.numpy().astype(np.int64)
    # A neighbour's colour can't say whether the neighbour is the node itself.
    loop = np.zeros(graphs.num_nodes, dtype=np.int64)
    loop[target[source == target]] = 1
    colours, number = _numbered(_mix(label) + _mix(loop + (1 << 32)))
    starts = np.flatnonzero(np.diff(target, prepend=-1))
    reached = target[starts]
    order = None if graphs.undirected else np.argsort(source, kind="stable")
    while True:
        spread = _mix(colours)
        # A node's own colour must not count like a neighbour's.
        fresh = _mix(spread ^ _OWN)
        if len(target):
            fresh[reached] += np.add.reduceat(_mix(spread[source] ^ edge), starts)
        if order is not None and len(source):
            leaving = source[order]
            ends = np.flatnonzero(np.diff(leaving, prepend=-1))
            out = np.add.reduceat(_mix(~(spread[target] ^ edge))[order], ends)
            fresh[leaving[ends]] += out
        finer, count = _numbered(fresh)
        if count == number:
            return finer
        colours, number = finer, count


def graph_colours(graphs: GraphSet) -> Array:
    """A 64-bit colour for each graph, `[graphs]`: equal for graphs that 1-WL can't tell apart."""
    counts = graphs.node_counts.cpu().numpy()
    total = np.zeros(len(graphs), dtype=np.uint64)
    if graphs.num_nodes:
        begin = graphs.node_ptr[:-1].cpu().numpy()[counts > 0]
        total[counts > 0] = np.add.reduceat(_mix(node_colours(graphs)), begin)
    return _mix(total) + _mix(counts.astype(np.uint64))


def _edge_colours(graphs: GraphSet) -> Array:
    """A mixed 64-bit number for each edge, `[edges]`."""
    parts = [part for part in (graphs.edge_label, graphs.edge_weight) if part is not None]
    colour = np.zeros(graphs.num_edges, dtype=np.uint64)
    for part in parts:
        colour = _mix(colour ^ _mix(_numbered(part.numpy())[0]))
    return colour
