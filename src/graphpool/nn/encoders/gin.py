"""Layers that add up neighbours: GIN (Xu et al. 2019) and GraphConv (Morris et al. 2019)."""

from abc import abstractmethod

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.encoders.base import EncoderLayer, Prepared
from graphpool.nn.module import reset
from graphpool.nn.ops.products import spmm


class SumLayer(EncoderLayer):
    """A layer that transforms a node and the plain sum of its neighbours, Σ_j A_ij h_j."""

    def propagate(self, x: Tensor, prepared: Prepared, activate: bool = False) -> Tensor:
        """Sum, then transform."""
        if isinstance(prepared, Adjacency):
            neighbours = spmm(prepared, prepared.weight, x)
        else:
            assert isinstance(prepared, Tensor), "prepared by this layer"
            neighbours = prepared @ x
        out = self.transform(x, neighbours)
        return out.relu() if activate else out

    @abstractmethod
    def transform(self, x: Tensor, neighbours: Tensor) -> Tensor:
        """New features of nodes, given the sums of their neighbours'."""


class GINLayer(SumLayer):
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

    def transform(self, x: Tensor, neighbours: Tensor) -> Tensor:
        """Apply the perceptron to the sum of both."""
        return self.mlp((1 + self.eps) * x + neighbours)  # type: ignore[no-any-return]


class GraphConvLayer(SumLayer):
    """`W₂ ReLU(W h_i + W₁ Σ_j A_ij h_j)`: GIN with weights of its own for the node itself.

    Deviation from the paper: a second linear map follows, as in GIN.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.own = nn.Linear(in_channels, out_channels)
        self.around = nn.Linear(in_channels, out_channels, bias=False)
        self.out = nn.Linear(out_channels, out_channels)

    def transform(self, x: Tensor, neighbours: Tensor) -> Tensor:
        """Weigh both apart."""
        return self.out((self.own(x) + self.around(neighbours)).relu())  # type: ignore[no-any-return]
