"""GIN layer (Xu et al. 2019): sums of neighbours through a two-layer perceptron."""

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.encoders.base import EncoderLayer
from graphpool.nn.module import reset
from graphpool.nn.ops.products import spmm


class GINLayer(EncoderLayer[Adjacency | Tensor]):
    """`MLP((1 + ε) h_i + Σ_j A_ij h_j)` with ε learned and MLP = Linear, ReLU, Linear."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.eps = nn.Parameter(torch.zeros(()))
        self.mlp = nn.Sequential(
            nn.Linear(in_channels, out_channels), nn.ReLU(), nn.Linear(out_channels, out_channels)
        )

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        nn.init.zeros_(self.eps)
        reset(self.mlp)

    def prepare(self, adjacency: Adjacency | Tensor) -> Adjacency | Tensor:
        """Plain sums need nothing."""
        return adjacency

    def propagate(self, x: Tensor, prepared: Adjacency | Tensor, activate: bool = False) -> Tensor:
        """Sum, then transform."""
        if isinstance(prepared, Adjacency):
            neighbours = spmm(prepared, prepared.weight, x)
        else:
            neighbours = prepared @ x
        out: Tensor = self.mlp((1 + self.eps) * x + neighbours)
        return out.relu() if activate else out
