"""GAT layer (Veličković et al. 2018), equation GAT of the paper, with several heads."""

import math

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.encoders.base import EncoderLayer, Prepared, edges_of
from graphpool.nn.level import Level
from graphpool.nn.ops.products import slot_max, slot_sum, spmm, take_col, take_row


class GATLayer(EncoderLayer):
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
            raise ConfigError(
                f"out_channels ({out_channels}) must be a multiple of heads ({heads})"
            )
        self.in_channels, self.out_channels, self.heads = in_channels, out_channels, heads
        self.slope = slope
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.source = nn.Parameter(torch.empty(heads, out_channels // heads))
        self.target = nn.Parameter(torch.empty(heads, out_channels // heads))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        nn.init.xavier_uniform_(self.weight)
        limit = math.sqrt(6 / (1 + self.out_channels // self.heads))
        nn.init.uniform_(self.source, -limit, limit)
        nn.init.uniform_(self.target, -limit, limit)
        nn.init.zeros_(self.bias)

    def prepare(self, level: Level) -> Prepared:
        """Logarithms of the weights of a dense adjacency, with self-loops filled in."""
        adjacency = edges_of(level)
        return adjacency if isinstance(adjacency, Adjacency) else log_looped(adjacency)

    def propagate(self, x: Tensor, prepared: Prepared, activate: bool = False) -> Tensor:
        """Attend over neighbours."""
        h = (x @ self.weight).unflatten(-1, (self.heads, -1))
        toward = (h * self.source).sum(-1)
        own = (h * self.target).sum(-1)
        if isinstance(prepared, Adjacency):
            out = self._ragged(h, toward, own, prepared)
        else:
            assert isinstance(prepared, Tensor), "prepared by this layer"
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
        return softmax_sum(h, logits, adjacency)


def softmax_sum(h: Tensor, logits: Tensor, adjacency: Adjacency) -> Tensor:
    """Σ_j α_ij h_j with α = softmax_j(logit_ij + log A_ij), heads side by side.

    Args:
        h: `[nodes, heads, channels]`.
        logits: `[slots, heads]`.
        adjacency: whose slots they are; a self-loop that is none counts with weight 1.
    """
    weight = torch.where(adjacency.present, adjacency.weight, 1.0)
    logits = logits + _log(weight).unsqueeze(-1)
    shifted = logits - take_row(slot_max(logits.detach(), adjacency), adjacency)
    share = shifted.exp()
    total = slot_sum(share, adjacency)
    return (attend(h, share, adjacency) / total.unsqueeze(-1)).flatten(-2)


def log_looped(adjacency: Tensor) -> Tensor:
    """log A of a dense adjacency, with self-loops of weight 1 where there are none."""
    diagonal = adjacency.diagonal(dim1=-2, dim2=-1)
    missing = torch.where(diagonal > 0, 0.0, 1.0)
    return _log(adjacency + torch.diag_embed(missing))


def attend(h: Tensor, share: Tensor, adjacency: Adjacency) -> Tensor:
    """Σ_j share_ij h_j over the slots of row i, `[nodes, heads, channels]`.

    Args:
        h: `[nodes, heads, channels]`.
        share: `[slots, heads]`.
        adjacency: whose slots they are.
    """
    heads = zip(h.unbind(1), share.unbind(1), strict=True)
    return torch.stack([spmm(adjacency, part, x) for x, part in heads], 1)


def _log(weight: Tensor) -> Tensor:
    """log A; an edge of weight 0 or less hardly counts.

    Not log 0: its slope is infinite, and times the gradient 0 of a missing edge NaN.
    """
    return weight.clamp(min=torch.finfo(weight.dtype).tiny).log()
