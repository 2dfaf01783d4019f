"""StructPool, pooling by a conditional random field (Yuan & Ji, ICLR 2020)."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.base import GroupPool
from graphpool.nn.encoders import GCNLayer
from graphpool.nn.level import Level
from graphpool.nn.ops.products import (
    row_mm,
    segment_mm,
    segment_sum,
    slot_sum,
    spmm,
    spread,
    take_col,
    take_row,
)
from graphpool.nn.ops.spgemm import Sparse, sparse_product

# Of the products of one node with all it is compared to; below it they hardly count.
FLOOR = 1e-6

Messages = Callable[[Tensor], Tensor]


class StructPool(GroupPool):
    """S is the mean field of a CRF over the nodes' clusters; X' = Sᵀ X and A' = Sᵀ A S.

    U = GCN(A, X) has the unary energies (as negative costs). A pair of nodes within `hops` of each
    other has the weight W_ij = x_i·x_j / Σ_k x_i·x_k, k over all nodes within `hops` of i but i.
    Beginning with S = softmax(U), each step is S = softmax(U - W S μ): messages from the others, a
    compatibility transform μ `[clusters, clusters]`, the unary energies, normalisation.

    Deviations from the paper: products are those of relu(x), which is x after an encoder that ends
    with ReLU; with negative features a sum of products can be zero or less, and the paper's
    weights infinite or of the wrong sign. A node like no other gets no message. With `hops` 1 a
    weight is multiplied by that of its edge: the same on a graph of plain edges, and at a coarse
    level, where all pairs are joined, what keeps the graph in sight. μ is learned from -I, at
    which the released code fixes it. With one cluster there are no parameters.

    Args:
        clusters: nodes of the coarse graph; graphs may have fewer nodes.
        iterations: steps of the mean field; the released code does 5.
        hops: how far apart, in edges, two nodes may be to be compared; 0: any two nodes of a graph
            (the released code's choice), which takes no list of pairs. More than 1 makes a list of
            all pairs so near.
    """

    shown = ("clusters", "iterations", "hops")

    def __init__(
        self, in_channels: int, clusters: int = 8, iterations: int = 5, hops: int = 1
    ) -> None:
        super().__init__(clusters, losses={}, connect="plain")
        if iterations < 1:
            raise ConfigError(f"iterations is {iterations}; the mean field takes at least 1")
        if hops < 0:
            raise ConfigError(f"hops is {hops}; give a number of edges, or 0 for all pairs")
        self.in_channels, self.iterations, self.hops = in_channels, iterations, hops
        self.unary = GCNLayer(in_channels, clusters) if clusters > 1 else None
        self.compatibility = nn.Parameter(-torch.eye(clusters)) if clusters > 1 else None

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        super().reset_parameters()
        if self.compatibility is not None:
            with torch.no_grad():
                self.compatibility.copy_(-torch.eye(self.clusters))

    def assign(self, level: Level) -> Tensor:
        """The mean field after the given number of steps."""
        assert self.unary is not None, "one cluster takes no energies"
        assert self.compatibility is not None, "nor a compatibility"
        x, adjacency, segments = level.x, level.adjacency, level.segments
        unary: Tensor = self.unary(level)
        if self.hops == 0:
            messages = _from_all(x.relu(), segments)
        elif isinstance(adjacency, Adjacency):
            near = adjacency if self.hops == 1 else within(adjacency, self.hops)
            messages = _from_near(x.relu(), near)
        else:
            assert adjacency is not None, "neighbours are compared along edges"
            joined = adjacency if self.hops == 1 else _dense_within(adjacency, self.hops)
            messages = _from_dense(x.relu(), joined)
        share = unary.softmax(-1)
        for _ in range(self.iterations):
            share = (unary - messages(share) @ self.compatibility).softmax(-1)
        return share


def _from_near(x: Tensor, near: Adjacency) -> Messages:
    """S ↦ W S, W over the slots of a sparse adjacency."""
    edge = near.weight.clamp(min=0).masked_fill(near.diagonal, 0.0)
    weight = edge * (take_row(x, near) * take_col(x, near)).sum(-1)
    total = slot_sum(weight.unsqueeze(-1), near) + FLOOR
    weight = weight * take_row(1 / total, near).squeeze(-1)
    return lambda share: spmm(near, weight, share)


def _from_dense(x: Tensor, near: Tensor) -> Messages:
    """S ↦ W S, W over all pairs of a small dense level."""
    others = 1 - torch.eye(x.shape[-2], dtype=x.dtype, device=x.device)
    weight = near.clamp(min=0) * others * (x @ x.mT)
    weight = weight / (weight.sum(-1, keepdim=True) + FLOOR)
    return lambda share: weight @ share


def _from_all(x: Tensor, segments: Segments | None) -> Messages:
    """S ↦ W S over all pairs of nodes, without W: x_i·Σ_k x_k S_k less the node's own part.

    In double precision, for the own part may be nearly all of it.
    """
    x = x.double()
    own = x.square().sum(-1, keepdim=True)
    others = (x * spread(segment_sum(x, segments), segments)).sum(-1, keepdim=True) - own
    total = others.clamp(min=0) + FLOOR

    def messages(share: Tensor) -> Tensor:
        wide = share.double()
        others = row_mm(x, segment_mm(x, wide, segments), segments) - own * wide
        return (others / total).to(share.dtype)

    return messages


@torch.no_grad()
def within(adjacency: Adjacency, hops: int) -> Adjacency:
    """Which nodes reach which within so many edges, each pair once and with weight 1."""
    step = Sparse(
        adjacency.row_ptr, adjacency.col, torch.ones_like(adjacency.weight), adjacency.num_nodes
    )
    reach = step
    for _ in range(hops - 1):
        reach = sparse_product(reach, step)
        reach = Sparse(reach.ptr, reach.col, torch.ones_like(reach.value), reach.width)
    pairs = torch.stack([reach.col, reach.row])
    return Adjacency.from_edge_index(pairs, adjacency.num_nodes, reach.value)


@torch.no_grad()
def _dense_within(adj: Tensor, hops: int) -> Tensor:
    """The same for a dense level."""
    step = (adj != 0).to(adj.dtype) + torch.eye(adj.shape[-1], dtype=adj.dtype, device=adj.device)
    reach = step
    for _ in range(hops - 1):
        reach = ((reach @ step) > 0).to(adj.dtype)
    return (reach > 0).to(adj.dtype)
