"""GCN layer (Kipf & Welling 2017), equation GCN of the paper."""

import math
from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.encoders.base import EncoderLayer
from graphpool.nn.encoders.gcn_compiled import rows_gcn
from graphpool.nn.ops.normalise import normalise
from graphpool.nn.ops.products import constant, spmm
from graphpool.nn.ops.switch import use_compiled


class GCNLayer(EncoderLayer[Adjacency | Tensor]):
    """`D̃^-½ (A + I) D̃^-½ H W + b`, with D̃ the row sums of A + I.

    Deviation from the paper: it takes D̃ from A by a slip of the pen; D̃ belongs to Ã = A + I.
    The nonlinearity is the encoder's. Edge weights count, but have no gradient over a sparse
    adjacency.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        limit = math.sqrt(6 / (self.in_channels + self.out_channels))
        nn.init.uniform_(self.weight, -limit, limit)
        nn.init.zeros_(self.bias)

    def prepare(self, adjacency: Adjacency | Tensor) -> Adjacency | Tensor:
        """Normalise a dense adjacency; a sparse one carries its normalised values."""
        if isinstance(adjacency, Adjacency):
            return adjacency
        return normalise(adjacency, loop=1.0)

    def propagate(self, x: Tensor, prepared: Adjacency | Tensor, activate: bool = False) -> Tensor:
        """Aggregate on the narrower side of the weight matrix."""
        out = self._aggregate(x, prepared)
        return out.relu_() if activate else out

    def _aggregate(
        self, x: Tensor, prepared: Adjacency | Tensor, column: Tensor | None = None
    ) -> Tensor:
        """S x W + b; a sparse S gets no gradient."""
        if isinstance(prepared, Tensor):
            return prepared @ (x @ self.weight) + self.bias
        value = constant(prepared.gcn)
        if self.in_channels < self.out_channels:
            return torch.addmm(self.bias, spmm(prepared, value, x), self.weight)
        # A one-hot row times W is a row of W, to the bit.
        moved = x @ self.weight if column is None else self.weight.index_select(0, column)
        return spmm(prepared, value, moved).add_(self.bias)

    @classmethod
    def run_stack(
        cls,
        layers: Sequence[nn.Module],
        x: Tensor,
        prepared: Adjacency | Tensor,
        column: Tensor | None = None,
        rows: ClusterMask | None = None,
    ) -> Tensor:
        """All layers, each with ReLU; over clusters of different numbers as one compiled step."""
        stack = cast("Sequence[GCNLayer]", layers)
        if rows is not None and isinstance(prepared, Tensor) and use_compiled("cluster gcn", x):
            parameters = [value for layer in stack for value in (layer.weight, layer.bias)]
            return rows_gcn(x, prepared, rows, *parameters)
        for layer in stack:
            x, column = layer._aggregate(x, prepared, column).relu_(), None
        return x if rows is None else rows.keep(x)
