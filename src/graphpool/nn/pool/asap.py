"""ASAP, adaptive structure aware pooling (Ranjan et al., AAAI 2020)."""

from typing import Any

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.encoders import GCNLayer
from graphpool.nn.encoders.gat import attend
from graphpool.nn.pool.kept import Kept, checked_ratio, keep_segments, keep_top, ragged_level
from graphpool.nn.pool.sparse import Sparse, sparse_product
from graphpool.nn.products import slot_max, slot_sum, spmm, take_col, take_row


class ASAP(nn.Module):
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
    many. Weights of A' have gradients, where an encoder reads them.

    Clusters are ranked by φ and not by σ(φ), which is 1 for all that are fit enough (PyG ranks by
    the latter). What becomes of equal ones is told in `keep_top`.

    Deviations from the paper: LeakyReLU stands outside of the product with a, as in PyG. The
    fitness counts the weights of edges, as in the paper; PyG leaves them out. Attention has no
    dropout.

    Args:
        in_channels: channels of the node features.
        ratio: share of clusters to keep.
        encode: whether masters and attention see GCN(A, X), as in the paper, or X.
        slope: of LeakyReLU.
    """

    def __init__(
        self, in_channels: int, ratio: float = 0.5, encode: bool = True, slope: float = 0.2
    ) -> None:
        super().__init__()
        self.in_channels, self.ratio, self.slope = in_channels, checked_ratio(ratio), slope
        self.encoder = GCNLayer(in_channels, in_channels) if encode else None
        self.master = nn.Linear(in_channels, in_channels)
        self.of_master = nn.Linear(in_channels, 1)
        self.of_member = nn.Linear(in_channels, 1, bias=False)
        self.fit_near = nn.Linear(in_channels, 1)
        self.fit_less = nn.Linear(in_channels, 1, bias=False)
        self.fit_own = nn.Linear(in_channels, 1)

    def forward(
        self, x: Tensor, adjacency: Tensor | Adjacency, batch: Tensor | Segments | None = None
    ) -> Kept:
        """Keep the fittest clusters of every graph.

        Args:
            x: `[nodes, channels]`.
            adjacency: `edge_index` `[2, edges]` or an `Adjacency`.
            batch: the graph of each node, sorted, or `Segments`; one graph if absent.
        """
        adjacency, segments = ragged_level(x, adjacency, batch)
        share = self._attention(x, adjacency)
        clusters = attend(x.unsqueeze(1), share, adjacency).squeeze(1)
        weight = torch.where(adjacency.present, adjacency.weight, 1.0)
        fitness, scale = self._fitness(clusters, adjacency, weight)
        index = keep_top(fitness, segments, self.ratio, scale)
        gate = fitness[index].sigmoid().unsqueeze(-1)
        return Kept(
            x=clusters.index_select(0, index) * gate,
            adjacency=_joined(adjacency, weight, share.squeeze(-1), index),
            segments=keep_segments(index, segments),
            index=index,
            score=fitness,
        )

    def _attention(self, x: Tensor, adjacency: Adjacency) -> Tensor:
        """α, `[slots, 1]`: row i has the members of the cluster around i."""
        seen = x if self.encoder is None else self.encoder(x, adjacency)
        master = self.of_master(self.master(_row_max(seen, adjacency)))
        logits = take_row(master, adjacency) + take_col(self.of_member(seen), adjacency)
        logits = nn.functional.leaky_relu(logits, self.slope)
        share = (logits - take_row(slot_max(logits.detach(), adjacency), adjacency)).exp()
        return share / take_row(slot_sum(share, adjacency), adjacency)

    def _fitness(self, x: Tensor, adjacency: Adjacency, weight: Tensor) -> tuple[Tensor, Tensor]:
        """φ, and how large the numbers were that it was made from, `[nodes]` each."""

        def total(near: Tensor, less: Tensor, own: Tensor, weight: Tensor) -> Tensor:
            degree = slot_sum(weight.unsqueeze(-1), adjacency)
            return (spmm(adjacency, weight, near) - degree * less + own).squeeze(-1)

        parts = self.fit_near, self.fit_less, self.fit_own
        with torch.no_grad():
            near, less, own = (_size(part, x) for part in parts)
            scale = total(near, -less, own, weight.abs())
        near, less, own = (part(x) for part in parts)
        return total(near, less, own, weight), scale

    def extra_repr(self) -> str:
        """What `print(module)` adds."""
        return f"in_channels={self.in_channels}, ratio={self.ratio}"


def _size(part: nn.Linear, x: Tensor) -> Tensor:
    """The linear map of absolute values: what its rounding errors are in proportion to."""
    bias = None if part.bias is None else part.bias.abs()
    return nn.functional.linear(x.abs(), part.weight.abs(), bias)


def _joined(adjacency: Adjacency, weight: Tensor, share: Tensor, index: Tensor) -> Adjacency:
    """Sᵀ Â S without its diagonal, over the kept clusters."""
    nodes, kept = adjacency.num_nodes, index.shape[0]
    place = index.new_full((nodes,), -1)
    place[index] = torch.arange(kept, device=index.device)
    slots = (place[adjacency.row] >= 0).nonzero().squeeze(-1)
    sizes = adjacency.row_ptr.diff()[index]
    ptr = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])
    members = Sparse(ptr, adjacency.col[slots], share[slots], nodes)
    whole = Sparse(adjacency.row_ptr, adjacency.col, weight, nodes)
    made = sparse_product(members, sparse_product(whole, members.transposed()))
    row, col, value = made.row, made.col, made.value
    if adjacency.symmetric:
        # So is the result, but for rounding: entry by entry the mean with its mirror image.
        order, mirrored = (row * kept + col).argsort(), (col * kept + row).argsort()
        row, col, value = row[order], col[order], (value[order] + value[mirrored]) / 2
    edges = (row != col).nonzero().squeeze(-1)
    return Adjacency.from_edge_index(torch.stack([col[edges], row[edges]]), kept, value[edges])


class _RowMax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, adjacency: Adjacency) -> Tensor:
        out, _, _, where = torch.embedding_bag(
            x.contiguous(), adjacency.col, adjacency.row_ptr, False, 2, False, None, True
        )
        ctx.save_for_backward(where)
        ctx.shape = x.shape
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (where,) = ctx.saved_tensors
        return grad.new_zeros(ctx.shape).scatter_add(0, where, grad), None


def _row_max(x: Tensor, adjacency: Adjacency) -> Tensor:
    """Maximum over each node and its neighbours, `[nodes, channels]`."""
    return _RowMax.apply(x, adjacency)  # type: ignore[no-any-return]
