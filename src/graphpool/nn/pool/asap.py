"""ASAP, adaptive structure aware pooling (Ranjan et al., AAAI 2020)."""

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.ragged import gather
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.encoders import GCNLayer
from graphpool.nn.encoders.gat import attend
from graphpool.nn.level import Level
from graphpool.nn.ops.products import slot_max, slot_sum, spmm, take_col, take_row
from graphpool.nn.ops.spgemm import Sparse, sparse_product
from graphpool.nn.pool.topk_base import NodePool, gathered_edges, select_topk, selected


class ASAP(NodePool):
    """A cluster around every node, of which the ⌈ratio · N⌉ fittest stay.

    The cluster c(i) of node i is i and its neighbours. Its master m_i is the maximum, channel by
    channel, of their x' = GCN(A, X); members count by the attention
    α_ij = softmax_j LeakyReLU(a·[W m_i ‖ x'_j]), and the cluster's features are
    x^c_i = Σ_j α_ij x_j. The fitness, by the paper's LEConv, is
    φ_i = Σ_j Â_ij (x^c_j w₁ + b₁ - x^c_i w₂) + x^c_i w₃ + b₃ with Â = A and a loop of weight 1 at
    every node without one. What stays is x^c_i σ(φ_i) and A' = Sᵀ Â S without its diagonal, where
    the column of S of a cluster has its α.

    A level comes in ragged and goes out ragged, and A' is sparse: an edge joins clusters whose
    members are joined or shared, that is centres at most 3 edges apart. Through a hub those are
    many. Weights of A' have gradients, where an encoder reads them. Features of edges, where an
    encoder after it reads them, become those of the coarse edges: their number and the mean of
    each, weighted by α.

    Clusters are ranked by φ and not by σ(φ), which is 1 for all that are fit enough (PyG ranks by
    the latter). `select_topk` says how ties are broken.

    Deviations from the paper: LeakyReLU stands outside of the product with a, as in PyG. The
    fitness counts the weights of edges, as in the paper; PyG leaves them out. Attention has no
    dropout.

    Args:
        ratio: share of clusters to keep.
        encode: whether masters and attention see GCN(A, X), as in the paper, or X.
        slope: of LeakyReLU.
    """

    def __init__(
        self, in_channels: int, ratio: float = 0.5, encode: bool = True, slope: float = 0.2
    ) -> None:
        super().__init__(in_channels, ratio)
        self.slope = slope
        self.encoder = GCNLayer(in_channels, in_channels) if encode else None
        self.master = nn.Linear(in_channels, in_channels)
        self.of_master = nn.Linear(in_channels, 1)
        self.of_member = nn.Linear(in_channels, 1, bias=False)
        self.fit_near = nn.Linear(in_channels, 1)
        self.fit_less = nn.Linear(in_channels, 1, bias=False)
        self.fit_own = nn.Linear(in_channels, 1)

    def pool_level(self, level: Level) -> PoolOutput:
        """The fittest clusters."""
        _, adjacency, segments = level.ragged()
        share, made = self._clusters(level, adjacency)
        weight = torch.where(adjacency.present, adjacency.weight, 1.0)
        score, scale = self._fitness(made, adjacency, weight)
        index = select_topk(score, segments, self.ratio, scale)
        gate = score[index].sigmoid().unsqueeze(-1)
        slots, ptr = gather(adjacency.row_ptr, index)
        members = Sparse(ptr, adjacency.col[slots], share[slots], adjacency.num_nodes)
        coarse = _joined(adjacency, weight, members)
        edges = gathered_edges(level, members, coarse)
        return selected(level, made.index_select(0, index) * gate, coarse, edges, index, score)

    def coarse_edge_channels(self, channels: int) -> int:
        """How many edges there are, and a mean of every feature."""
        return channels + 1

    def _clusters(self, level: Level, adjacency: Adjacency) -> tuple[Tensor, Tensor]:
        """α, `[slots]`: row i has the members of the cluster around i; and x^c."""
        x = level.x
        seen = x if self.encoder is None else self.encoder(level)
        # The maximum times W and then a is the maximum times W a.
        count = self.of_master.weight @ self.master.weight
        bias = self.of_master(self.master.bias)
        master = nn.functional.linear(_row_max(seen, adjacency), count, bias)
        logits = take_row(master, adjacency) + take_col(self.of_member(seen), adjacency)
        logits = nn.functional.leaky_relu(logits, self.slope)
        share = (logits - take_row(slot_max(logits.detach(), adjacency), adjacency)).exp()
        share = share / take_row(slot_sum(share, adjacency), adjacency)
        return share.squeeze(-1), attend(x.unsqueeze(1), share, adjacency).squeeze(1)

    def _fitness(self, x: Tensor, adjacency: Adjacency, weight: Tensor) -> tuple[Tensor, Tensor]:
        """φ, and how large the numbers were that it was made from, `[nodes]` each."""
        parts = self.fit_near, self.fit_less, self.fit_own
        weights = torch.cat([part.weight for part in parts])
        bias = torch.cat([self.fit_near.bias, x.new_zeros(1), self.fit_own.bias])
        made = nn.functional.linear(x, weights, bias)
        with torch.no_grad():
            # What rounding errors are in proportion to: the same of absolute values.
            sizes = nn.functional.linear(x.abs(), weights.abs(), bias.abs())

        def total(near: Tensor, less: Tensor, own: Tensor, weight: Tensor) -> Tensor:
            degree = slot_sum(weight.unsqueeze(-1), adjacency)
            return (spmm(adjacency, weight, near) - degree * less + own).squeeze(-1)

        with torch.no_grad():
            near, less, own = sizes.split(1, -1)
            scale = total(near, -less, own, weight.abs())
        near, less, own = made.split(1, -1)
        return total(near, less, own, weight), scale


def _row_max(x: Tensor, adjacency: Adjacency) -> Tensor:
    """Maximum over each node and its neighbours; equal values share its gradient."""
    around = take_col(x, adjacency)
    row = adjacency.row.unsqueeze(-1).expand_as(around)
    return torch.zeros_like(x).scatter_reduce(0, row, around, "amax", include_self=False)


def _joined(adjacency: Adjacency, weight: Tensor, members: Sparse) -> Adjacency:
    """Sᵀ Â S over the clusters that stay, whose members are rows of `members`.

    Â comes in the slots of `adjacency`.
    """
    whole = Sparse(adjacency.row_ptr, adjacency.col, weight, adjacency.num_nodes)
    product = sparse_product(members, sparse_product(whole, members.transposed()))
    return as_adjacency(product, adjacency.symmetric)


def as_adjacency(product: Sparse, symmetric: bool) -> Adjacency:
    """A product as an adjacency without its diagonal; a symmetric one is so to the last bit."""
    row, col, value, nodes = product.row, product.col, product.value, product.width
    if symmetric:
        # So is the result, but for rounding: entry by entry the mean with its mirror image.
        order, mirrored = (row * nodes + col).argsort(), (col * nodes + row).argsort()
        row, col, value = row[order], col[order], (value[order] + value[mirrored]) / 2
    edges = (row != col).nonzero().squeeze(-1)
    return Adjacency.from_edge_index(torch.stack([col[edges], row[edges]]), nodes, value[edges])
