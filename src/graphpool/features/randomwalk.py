"""Random-walk structural encoding: the probability that a walk returns to its start.

diag(P^(a+b)) holds for each node c the product of column c of P^a with row c of P^b, so walks of
K steps need only K/2 products. Those are made for many graphs together: column c of a tall
matrix belongs to the c-th node of *every* graph in it, since graphs don't touch each other. Graphs
of like size share such a matrix, and a large graph is cut into several of few columns; dense
graphs are multiplied as stacks of small dense matrices instead. An N × N matrix of the whole set
never exists, and which way a graph goes depends on that graph alone.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array

from graphpool.features.base import Feature, refuse_negative_weights
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.ragged import gather
from graphpool.typing import Float, Tensor

Array = NDArray[Any]

ENTRIES = 1 << 20
"""Numbers in one working matrix (8 MB); there are at most five of them at a time."""


class RandomWalk(Feature):
    """The diagonal of (D^-1 A)^k for k = 1 … steps, one column each.

    The walk follows edges in their direction, in proportion to their weights; self-loops are
    edges like others. A node without edges gets zeros.

    Args:
        steps: the longest walk.
    """

    kind = "rw"
    summary = "return probabilities of random walks of 1 … K steps: rw:K"
    stored = ("steps",)
    least = 1

    def __init__(self, steps: int = 8) -> None:
        self.steps = steps

    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Compute the return probabilities."""
        refuse_negative_weights(graphs, "which are not probabilities of a walk")
        found = torch.from_numpy(_return_probabilities(graphs, self.steps))
        return found.float().to(graphs.device)

    @property
    def names(self) -> tuple[str, ...]:
        """`return in 1`, `return in 2` and so on."""
        return tuple(f"return in {step}" for step in range(1, self.steps + 1))


def _return_probabilities(graphs: GraphSet, steps: int) -> Array:
    """Diagonal of (D^-1 A)^k, `[nodes, steps]` in float64, k = 1 … steps."""
    graphs = graphs.to("cpu")
    symmetric = graphs.undirected
    found = np.zeros((graphs.num_nodes, steps))
    count, edges = graphs.node_counts.numpy(), graphs.edge_counts.numpy()
    # A stack of dense matrices does n³ quick operations where a sparse product does n·e slow ones.
    dense = (count**2 <= 16 * edges) | (count <= 24)
    for chosen, returns in ((dense, _dense), (~dense, _sparse)):
        for members in _buckets(count, chosen & (edges > 0)):
            rows = gather(graphs.node_ptr, torch.from_numpy(members))[0].numpy()
            found[rows] = returns(graphs.select(members), symmetric, steps)
    return found


def _transitions(graphs: GraphSet, symmetric: bool) -> Array:
    """A matrix entry for each edge, `[edges]`, such that powers have the diagonals of D^-1 A."""
    source, target = graphs.flat_edges.numpy()
    weight = np.ones(graphs.num_edges)
    if graphs.edge_weight is not None:
        weight = graphs.edge_weight.numpy().astype(np.float64)
    out = np.bincount(source, weights=weight, minlength=graphs.num_nodes).astype(np.float64)
    share = np.divide(1.0, out, out=np.zeros_like(out), where=out > 0)
    if symmetric:
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


def _local(part: GraphSet) -> Array:
    """Each node's id within its graph, `[nodes]`."""
    return (torch.arange(part.num_nodes) - part.node_ptr[part.node_graph]).numpy()


def _sparse(part: GraphSet, symmetric: bool, steps: int) -> Array:
    """Returns of all nodes, `[nodes, steps]`; as many columns at a time as fit into memory."""
    source, target = part.flat_edges.numpy()
    shape = (part.num_nodes, part.num_nodes)
    forth = csr_array((_transitions(part, symmetric), (target, source)), shape=shape)
    back = forth if symmetric else forth.T.tocsr()
    local, graph, begin = _local(part), part.node_graph.numpy(), part.node_ptr.numpy()[:-1]
    found = np.empty((part.num_nodes, steps))
    lanes = max(1, ENTRIES // part.num_nodes)
    for first in range(0, int(part.node_counts.max()), lanes):
        chosen = np.flatnonzero((local >= first) & (local < first + lanes))
        lane = local[chosen] - first
        ahead = np.zeros((part.num_nodes, int(lane.max()) + 1))
        ahead[chosen, lane] = 1.0
        behind = ahead
        for step in range(steps):
            if step % 2 == 0:
                ahead = forth @ ahead
            else:
                behind = ahead if symmetric else back @ behind
            sums = np.add.reduceat(ahead * behind, begin, axis=0)
            found[chosen, step] = sums[graph[chosen], lane]
    return found


def _dense(part: GraphSet, symmetric: bool, steps: int) -> Array:
    """Returns of all nodes, `[nodes, steps]`."""
    source, target = part.edge_index.numpy()
    width = int(part.node_counts.max())
    forth = np.zeros((len(part), width, width))
    forth[part.edge_graph.numpy(), target, source] = _transitions(part, symmetric)
    ahead, behind = forth, np.broadcast_to(np.eye(width), forth.shape)
    graph, local = part.node_graph.numpy(), _local(part)
    found = np.empty((part.num_nodes, steps))
    for step in range(steps):
        if step % 2 == 1:
            behind = ahead
        elif step:
            ahead = forth @ ahead
        found[:, step] = np.einsum("gij,gji->gi", ahead, behind)[graph, local]
    return found
