"""Return probabilities of random walks on all graphs of a set, in bounded memory.

diag(P^(a+b)) holds for each node c the product of column c of P^a with row c of P^b, so walks of
K steps need only K/2 products. Those are made for many graphs together: column c of a tall
matrix belongs to the c-th node of *every* graph in it, since graphs don't touch each other. Graphs
of like size share such a matrix, and a large graph is cut into several of few columns; dense
graphs are multiplied as stacks of small dense matrices instead. An N × N matrix of the whole set
never exists, and which way a graph goes depends on that graph alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array

from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.ragged import gather

Array = NDArray[Any]

ENTRIES = 1 << 20
"""Numbers in one working matrix (8 MB); there are at most five of them at a time."""


def return_probabilities(graphs: GraphSet, steps: int) -> Array:
    """Diagonal of (D^-1 A)^k, `[nodes, steps]` in float64, k = 1 … steps."""
    graphs = graphs.to("cpu")
    value = _transitions(graphs)
    found = np.zeros((graphs.num_nodes, steps))
    count, edges = graphs.node_counts.numpy(), graphs.edge_counts.numpy()
    # A stack of dense matrices does n³ quick operations where a sparse product does n·e slow ones.
    dense = (count**2 <= 16 * edges) | (count <= 24)
    for members in _buckets(count, dense & (edges > 0)):
        part = _Part(graphs, value, members)
        found[part.rows] = _dense(part, steps)
    for members in _buckets(count, ~dense & (edges > 0)):
        part = _Part(graphs, value, members)
        lanes = max(1, ENTRIES // len(part.rows))
        for first in range(0, part.width, lanes):
            chosen = np.flatnonzero((part.local >= first) & (part.local < first + lanes))
            found[part.rows[chosen]] = _sparse(part, chosen, first, steps)
    return found


def _transitions(graphs: GraphSet) -> Array:
    """A matrix entry for each edge, `[edges]`, such that powers have the diagonals of D^-1 A."""
    source, target = graphs.flat_edges.numpy()
    weight = np.ones(graphs.num_edges)
    if graphs.edge_weight is not None:
        weight = graphs.edge_weight.numpy().astype(np.float64)
    out = np.bincount(source, weights=weight, minlength=graphs.num_nodes).astype(np.float64)
    share = np.divide(1.0, out, out=np.zeros_like(out), where=out > 0)
    if graphs.undirected:
        # D^-½ A D^-½ has the same diagonals, and equals its transpose: half the work.
        return np.asarray(np.sqrt(share[source] * share[target]) * weight)
    return np.asarray(share[source] * weight)


def _buckets(count: Array, chosen: Array) -> Iterator[Array]:
    """Positions of graphs of like size, as many at a time as fit into the working matrices."""
    positions = np.flatnonzero(chosen)
    # Six classes for each doubling: a matrix is at most an eighth wider than a graph needs.
    classes = np.ceil(6 * np.log2(count[positions]))
    for value in np.unique(classes):
        members = positions[classes == value]
        share = max(1, ENTRIES // int(count[members].max()) ** 2)
        for first in range(0, len(members), share):
            yield members[first : first + share]


@dataclass(frozen=True)
class _Part:
    """Some graphs of a set, concatenated."""

    graphs: GraphSet
    value: Array
    members: Array

    @cached_property
    def width(self) -> int:
        """Nodes of the largest graph."""
        return int(self.graphs.node_counts.numpy()[self.members].max())

    @cached_property
    def _nodes(self) -> tuple[Array, Array]:
        rows, ptr = gather(self.graphs.node_ptr, torch.from_numpy(self.members))
        return rows.numpy(), ptr.numpy()

    @property
    def rows(self) -> Array:
        """Positions of the nodes in the set."""
        return self._nodes[0]

    @property
    def begin(self) -> Array:
        """Where each graph begins."""
        return self._nodes[1][:-1]

    @cached_property
    def graph(self) -> Array:
        """The graph of each node, numbered within the part."""
        return np.repeat(np.arange(len(self.members)), np.diff(self._nodes[1]))

    @cached_property
    def local(self) -> Array:
        """Each node's id within its graph."""
        return np.asarray(np.arange(len(self.rows)) - self.begin[self.graph])

    @cached_property
    def edges(self) -> tuple[Array, Array, Array, Array]:
        """Graph, target and source within the graph, and matrix entry of every edge."""
        edge, ptr = gather(self.graphs.edge_ptr, torch.from_numpy(self.members))
        source, target = self.graphs.edge_index[:, edge].numpy()
        owner = np.repeat(np.arange(len(self.members)), ptr.diff().numpy())
        return owner, target, source, self.value[edge.numpy()]

    @cached_property
    def matrix(self) -> csr_array:
        """The transition matrix, block by block along the diagonal."""
        owner, target, source, value = self.edges
        shape = (len(self.rows), len(self.rows))
        index = (target + self.begin[owner], source + self.begin[owner])
        return csr_array((value, index), shape=shape)


def _sparse(part: _Part, chosen: Array, first: int, steps: int) -> Array:
    """Returns of the chosen nodes, `[chosen, steps]`; lane 0 is for local node `first`."""
    symmetric = part.graphs.undirected
    lane = part.local[chosen] - first
    forth = part.matrix
    back = forth if symmetric else forth.T.tocsr()
    ahead = np.zeros((len(part.rows), int(lane.max()) + 1))
    ahead[chosen, lane] = 1.0
    behind = ahead
    found = np.empty((len(chosen), steps))
    for step in range(steps):
        if step % 2 == 0:
            ahead = forth @ ahead
        else:
            behind = ahead if symmetric else back @ behind
        sums = np.add.reduceat(ahead * behind, part.begin, axis=0)
        found[:, step] = sums[part.graph[chosen], lane]
    return found


def _dense(part: _Part, steps: int) -> Array:
    """Returns of all nodes of the part, `[nodes, steps]`."""
    owner, target, source, value = part.edges
    forth = np.zeros((len(part.members), part.width, part.width))
    forth[owner, target, source] = value
    ahead, behind = forth, np.broadcast_to(np.eye(part.width), forth.shape)
    found = np.empty((len(part.rows), steps))
    for step in range(steps):
        if step % 2 == 1:
            behind = ahead
        elif step:
            ahead = forth @ ahead
        found[:, step] = np.einsum("gij,gji->gi", ahead, behind)[part.graph, part.local]
    return found
