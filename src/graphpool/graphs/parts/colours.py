"""Colours of nodes and types of edges, from the names of labels and what is near.

A colour is a 64-bit hash of names, so that two sets with other codes for the same labels have the
same colours.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from torch import Tensor

from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.hashing import Array, mix
from graphpool.graphs.parts.loops import both_ways, edge_types, on_short_cycle, refine
from graphpool.graphs.vocabulary import Name

DEPTHS = (-1, 0, 1, 2)  # of edge types: rings alone, labels, one and two rounds of refinement
LONGEST_RING = 8  # nodes of a cycle whose edges are never cut


@dataclass(frozen=True, eq=False)
class ColouredGraphs:
    """The graphs of a set as parts that recur see them: undirected, with hashes of labels.

    Args:
        node_ptr: `[graphs + 1]`, where each graph's nodes begin.
        row_ptr: `[nodes + 1]`, where each node's slots begin.
        col: `[slots]`, the neighbour; `edge` `[slots]`, the edge, which has two slots.
        side: `[slots]`, a hash of the labels that lead to the neighbour and back.
        label: `[nodes]`, a hash of the node's label.
        edges: number of edges; self-loops are none.
    """

    node_ptr: Array
    row_ptr: Array
    col: Array
    edge: Array
    side: Array
    label: Array
    edges: int

    @classmethod
    def of(cls, graphs: GraphSet) -> "ColouredGraphs":
        """Read the structure and the labels of a set."""
        graphs = graphs.to("cpu")
        source, target = graphs.flat_edges.numpy()
        label = _hashes(graphs.edge_label, graphs.edge_label_names, len(source))
        row_ptr, col, edge, side, edges = both_ways(source, target, label, graphs.num_nodes)
        label = _hashes(graphs.node_label, graphs.node_label_names, graphs.num_nodes)
        node_ptr = graphs.node_ptr.numpy()
        return cls(node_ptr, row_ptr, col, edge, side, label, int(edges[0]))

    @property
    def slots(self) -> tuple[Array, Array, Array, Array]:
        """Where the slots of a node begin, and what each of them holds."""
        return self.row_ptr, self.col, self.edge, self.side

    @cached_property
    def free(self) -> Array:
        """Whether each edge may be cut, `[edges]`: it is on no cycle of at most 8 nodes."""
        short = np.zeros(self.edges, dtype=np.bool_)
        on_short_cycle(self.row_ptr, self.col, self.edge, LONGEST_RING, short)
        return ~short

    @cached_property
    def in_ring(self) -> Array:
        """Whether each node has an edge that is not free, `[nodes]`."""
        ring = np.zeros(len(self.label), dtype=np.bool_)
        ring[self.ends[:, ~self.free].reshape(-1)] = True
        return ring

    @cached_property
    def ends(self) -> Array:
        """The two nodes of each edge, `[2, edges]`, the lower number first."""
        row = np.repeat(np.arange(len(self.label)), np.diff(self.row_ptr))
        first = row < self.col
        return np.stack([row[first], self.col[first]]).astype(np.int64)

    @cached_property
    def colours(self) -> list[Array]:
        """The colour of each node at every depth, `[nodes]` each."""
        ring = mix(self.in_ring)
        found = [ring, mix(self.label ^ ring)]
        while len(found) < len(DEPTHS):
            found.append(refine(self.row_ptr, self.col, self.side, found[-1]))
        return found

    @cached_property
    def types(self) -> list[Array]:
        """The type of each edge at every depth, `[edges]` each."""
        found = []
        for depth, colour in zip(DEPTHS, self.colours, strict=True):
            total = np.empty(self.edges, dtype=np.uint64)
            edge_types(*self.slots, colour, total)
            found.append(mix(total ^ mix(np.array([depth + 2]))))
        return found

    @cached_property
    def edge_label(self) -> Array:
        """A hash of the labels of each edge, `[edges]`, the same from both ends."""
        total = np.zeros(self.edges, dtype=np.uint64)
        edge_types(*self.slots, np.zeros_like(self.label), total)
        return total


def _hashes(codes: Tensor | None, names: Sequence[Name], count: int) -> Array:
    """Return a hash of each name, `[count]`; 0 for those without a label."""
    if codes is None:
        return np.zeros(count, dtype=np.uint64)
    values = codes.cpu().numpy()
    if not names:
        names = range(int(values.max(initial=-1)) + 1)
    table = np.array([*map(name_hash, names), 0], dtype=np.uint64)  # code -1 takes the last
    return np.asarray(table[values])


def name_hash(name: Name) -> int:
    """Return 64 bits for a label, the same on every machine; 6 and "6" are the same label."""
    return int.from_bytes(hashlib.blake2b(str(name).encode(), digest_size=8).digest(), "little")
