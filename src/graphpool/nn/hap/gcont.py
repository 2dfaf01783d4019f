"""GCont, the global graph content: equation (global graph content) of the paper."""

import math

import torch
from torch import Tensor, nn

from graphpool.typing import Float


class GCont(nn.Module):
    """`C = H T` with T `[channels, clusters]`: row i is a node, column j a cluster to be."""

    def __init__(self, in_channels: int, clusters: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_channels, clusters))
        nn.init.uniform_(self.weight, -1 / math.sqrt(in_channels), 1 / math.sqrt(in_channels))

    def forward(self, x: Float[Tensor, "*nodes channels"]) -> Float[Tensor, "*nodes clusters"]:
        """`[..., channels]` to `[..., clusters]`."""
        return x @ self.weight
