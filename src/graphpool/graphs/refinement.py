"""Colour refinement (1-WL) of all graphs of a set at once, in integer arithmetic.

A node's new colour is a hash of its colour and the multiset of its neighbours' colours. Hashes
are sums of mixed 64-bit numbers, so no neighbourhood has to be sorted and there is no loop over
graphs. After each round colours are renumbered 0, 1, 2, …, so that chance collisions (about 1 in
10^19 for a pair) don't accumulate.
"""

from collections.abc import Iterator

import numpy as np

from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.hashing import Array, mix, numbered

_OWN = np.uint64(0xD1B54A32D192ED03)


class Rounds:
    """Rounds of refinement over the edges of graphs on the CPU; `edge` `[edges]` mixed numbers."""

    def __init__(self, graphs: GraphSet, edge: Array) -> None:
        self.edge = edge
        self.source, self.target = graphs.flat_edges.numpy()
        self.starts = np.flatnonzero(np.diff(self.target, prepend=-1))
        self.order = None if graphs.undirected else np.argsort(self.source, kind="stable")

    def refine(self, colours: Array) -> tuple[Array, int]:
        """Return the next colours, `[nodes]`, numbered from 0, and how many there are."""
        return numbered(self.hashes(colours))

    def hashes(self, colours: Array) -> Array:
        """Return the next colours, `[nodes]`, as hashes that depend on the node's graph alone."""
        source, target, edge = self.source, self.target, self.edge
        spread = mix(colours)
        # Hash a node's own colour differently from those of its neighbours.
        fresh = mix(spread ^ _OWN)
        if len(target):
            arriving = mix(spread[source] ^ edge)
            fresh[target[self.starts]] += np.add.reduceat(arriving, self.starts)
        if self.order is not None and len(source):
            leaving = source[self.order]
            ends = np.flatnonzero(np.diff(leaving, prepend=-1))
            out = np.add.reduceat(mix(~(spread[target] ^ edge))[self.order], ends)
            fresh[leaving[ends]] += out
        return fresh


def node_colours(graphs: GraphSet, attributes: bool = False) -> Array:
    """Return stable 1-WL colours of all nodes, `[nodes]`; see `refined_colours`."""
    return refined_colours(graphs, attributes)[0]


def refined_colours(
    graphs: GraphSet, attributes: bool = False, most: int | None = None
) -> tuple[Array, int | None]:
    """Return 1-WL colours of all nodes, `[nodes]`, comparable between the set's graphs.

    Node labels, edge labels, edge weights, directions and self-loops count.

    Args:
        attributes: whether attributes of nodes and edges, and features `x` that the graphs
            brought, count too.
        most: number of rounds after which to stop, though colours still change. A path of n nodes
            takes n / 2 rounds.

    Returns:
        The colours, and `most` if that many rounds did not make them stable, else None.
    """
    graphs = graphs.to("cpu")
    edge = np.zeros(graphs.num_edges, dtype=np.uint64)
    for values in (graphs.edge_label, graphs.edge_weight, graphs.edge_attr if attributes else None):
        if values is not None:
            edge = mix(edge ^ mix(_rows(values.numpy())))
    rounds = Rounds(graphs, edge)
    label = np.zeros(graphs.num_nodes, dtype=np.int64)
    if graphs.node_label is not None:
        label = graphs.node_label.numpy().astype(np.int64)
    # Refinement can't distinguish a self-loop from an edge to a node of the same colour.
    loop = np.zeros(graphs.num_nodes, dtype=np.int64)
    loop[rounds.target[rounds.source == rounds.target]] = 1
    start = mix(label) + mix(loop + (1 << 32))
    # Features that were computed from the graphs tell nothing new.
    given = (graphs.node_attr, None if graphs.x_from else graphs.x)
    for values in given if attributes else ():
        if values is not None:
            start = mix(start ^ mix(_rows(values.numpy())))
    colours, number = numbered(start)
    done = 0
    while most is None or done < most:
        finer, count = rounds.refine(colours)
        if count == number:
            return finer, None
        colours, number, done = finer, count, done + 1
    return colours, most


def _rows(values: Array) -> Array:
    """Number the distinct rows of an array, `[rows]` or `[rows, columns]`."""
    if values.ndim == 1:
        return numbered(values)[0]
    code = np.zeros(len(values), dtype=np.uint64)
    for column in values.T:
        code = mix(code ^ mix(numbered(column)[0]))
    return numbered(code)[0]


def colour_rounds(graphs: GraphSet, start: Array) -> Iterator[tuple[Array, int]]:
    """Yield the colours of all nodes, `[nodes]`, and their number, after 0, 1, 2, … rounds.

    Round 0 numbers `start`, `[nodes]` integers such as labels. Only the directions of edges count,
    not their labels and weights.
    """
    graphs = graphs.to("cpu")
    rounds = Rounds(graphs, np.zeros(graphs.num_edges, dtype=np.uint64))
    colours, number = numbered(start)
    while True:
        yield colours, number
        colours, number = rounds.refine(colours)


def graph_colours(graphs: GraphSet, attributes: bool = False) -> Array:
    """Return a 64-bit colour for each graph, equal for graphs that 1-WL can't distinguish."""
    return gathered(graphs, node_colours(graphs, attributes))


def gathered(graphs: GraphSet, colours: Array) -> Array:
    """Return a 64-bit colour for each graph from the colours of its nodes."""
    counts = graphs.node_counts.cpu().numpy()
    total = np.zeros(len(graphs), dtype=np.uint64)
    if graphs.num_nodes:
        begin = graphs.node_ptr[:-1].cpu().numpy()[counts > 0]
        total[counts > 0] = np.add.reduceat(mix(colours), begin)
    return mix(total) + mix(counts.astype(np.uint64))
