"""GAT layer (Veličković et al. 2018), equation GAT of the paper, with several heads."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.encoders.base import EncoderLayer
from graphpool.nn.ops.compiled import compilable, slot_products
from graphpool.nn.ops.products import (
    bag_sum,
    refuse_second_order,
    slot_max,
    slot_sum,
    spmm,
    take_col,
    take_row,
)
from graphpool.nn.ops.switch import enabled


class GATLayer(EncoderLayer[Adjacency | Tensor]):
    """`h_i' = ‖_heads Σ_j α_ij W h_j + b` over the neighbours j of i and i itself.

    α_ij is the softmax over j of LeakyReLU(u·W h_j + v·W h_i) + log A_ij; a self-loop that the
    graph does not have counts with weight 1. With 0/1 edges log A_ij is 0 or -∞ and this is GAT
    as published; with the weights of a coarsened graph, whose entries are all positive, it is
    what keeps attention from ignoring them.

    Deviation from the paper: it writes the product A O_att, which is meant elementwise.
    """

    def __init__(
        self, in_channels: int, out_channels: int, heads: int = 4, slope: float = 0.2
    ) -> None:
        super().__init__()
        if out_channels % heads:
            raise ValueError(f"out_channels ({out_channels}) must be a multiple of heads ({heads})")
        self.in_channels, self.out_channels, self.heads = in_channels, out_channels, heads
        self.slope = slope
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.source = nn.Parameter(torch.empty(heads, out_channels // heads))
        self.target = nn.Parameter(torch.empty(heads, out_channels // heads))
        self.bias = nn.Parameter(torch.zeros(out_channels))
        nn.init.xavier_uniform_(self.weight)
        limit = math.sqrt(6 / (1 + out_channels // heads))
        nn.init.uniform_(self.source, -limit, limit)
        nn.init.uniform_(self.target, -limit, limit)

    def prepare(self, adjacency: Adjacency | Tensor) -> Adjacency | Tensor:
        """Logarithms of the weights of a dense adjacency, with self-loops filled in."""
        if isinstance(adjacency, Adjacency):
            return adjacency
        diagonal = adjacency.diagonal(dim1=-2, dim2=-1)
        missing = torch.where(diagonal > 0, 0.0, 1.0)
        looped = adjacency + torch.diag_embed(missing)
        return _log(looped)

    def propagate(self, x: Tensor, prepared: Adjacency | Tensor, activate: bool = False) -> Tensor:
        """Attend over neighbours."""
        h = (x @ self.weight).unflatten(-1, (self.heads, -1))
        toward = (h * self.source).sum(-1)
        own = (h * self.target).sum(-1)
        if isinstance(prepared, Adjacency):
            out = self._ragged(h, toward, own, prepared)
        else:
            out = self._dense(h, toward, own, prepared)
        out = out + self.bias
        return out.relu() if activate else out

    def _dense(self, h: Tensor, toward: Tensor, own: Tensor, log_weight: Tensor) -> Tensor:
        # [graphs, heads, i, j]
        logits = own.mT.unsqueeze(-1) + toward.mT.unsqueeze(-2)
        logits = nn.functional.leaky_relu(logits, self.slope) + log_weight.unsqueeze(-3)
        out = logits.softmax(-1) @ h.transpose(-2, -3)
        return out.transpose(-2, -3).flatten(-2)

    def _ragged(self, h: Tensor, toward: Tensor, own: Tensor, adjacency: Adjacency) -> Tensor:
        logits = take_col(toward, adjacency) + take_row(own, adjacency)
        logits = nn.functional.leaky_relu(logits, self.slope)
        weight = torch.where(adjacency.present, adjacency.weight, 1.0)
        logits = logits + _log(weight).unsqueeze(-1)
        shifted = logits - take_row(slot_max(logits.detach(), adjacency), adjacency)
        share = shifted.exp()
        total = slot_sum(share, adjacency)
        return (attend(h, share, adjacency) / total.unsqueeze(-1)).flatten(-2)


class _Attend(torch.autograd.Function):
    """Σ_j share_ij h_j for all heads as one bag sum over `[heads · nodes, channels]`."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, share: Tensor, adjacency: Adjacency) -> Tensor:
        ctx.save_for_backward(h, share)
        ctx.adjacency = adjacency
        return _bag(h, share, adjacency.col, adjacency.row_ptr)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("GAT")
        h, share = ctx.saved_tensors
        adjacency = ctx.adjacency
        back = adjacency.reverse
        dh = _bag(
            grad, share.index_select(0, back), adjacency.row.index_select(0, back),
            adjacency.reverse_ptr,
        )  # fmt: skip
        return dh, _slot_products(grad, h, adjacency), None


def _slot_products(left: Tensor, right: Tensor, adjacency: Adjacency) -> Tensor:
    """⟨left_i, right_j⟩ of each head for every slot (i, j), `[slots, heads]`."""
    if not compilable(left):
        pairs = left.index_select(0, adjacency.row) * right.index_select(0, adjacency.col)
        return pairs.sum(-1)
    out = left.new_empty(adjacency.col.shape[0], left.shape[1])
    slot_products(
        left.contiguous().numpy(), right.contiguous().numpy(),
        adjacency.row.numpy(), adjacency.col.numpy(), out.numpy(),
    )  # fmt: skip
    return out


def _bag(h: Tensor, share: Tensor, index: Tensor, ptr: Tensor) -> Tensor:
    """Sum the rows `index` of `h` `[nodes, heads, channels]` with weights `[slots, heads]`."""
    nodes, heads, channels = h.shape
    lanes = torch.arange(heads, device=h.device).unsqueeze(-1)
    table = h.transpose(0, 1).reshape(-1, channels)
    offsets = torch.cat([(lanes * share.shape[0] + ptr[:-1]).flatten(), ptr[-1:] * heads])
    out = bag_sum(table, (lanes * nodes + index).flatten(), offsets, share.t().reshape(-1))
    return out.view(heads, -1, channels).transpose(0, 1)


def attend(h: Tensor, share: Tensor, adjacency: Adjacency) -> Tensor:
    """Σ_j share_ij h_j over the slots of row i, `[nodes, heads, channels]`.

    Args:
        h: `[nodes, heads, channels]`.
        share: `[slots, heads]`.
        adjacency: whose slots they are.
    """
    if enabled("gat"):
        return _Attend.apply(h, share, adjacency)  # type: ignore[no-any-return]
    heads = zip(h.unbind(1), share.unbind(1), strict=True)
    return torch.stack([spmm(adjacency, part, x) for x, part in heads], 1)


def _log(weight: Tensor) -> Tensor:
    """log A; an edge of weight 0 or less hardly counts.

    Not log 0: its slope is infinite, and times the gradient 0 of a missing edge NaN.
    """
    return weight.clamp(min=torch.finfo(weight.dtype).tiny).log()
