"""MeanAttPool, the attention with the mean node of SimGNN (Bai et al., WSDM 2019)."""

import torch
from torch import Tensor, nn

from graphpool.nn.level import Level
from graphpool.nn.ops.products import segment_mean, segment_sum, spread
from graphpool.nn.pool.flat import FlatPool


class MeanAttPool(FlatPool):
    """h_G = Σ_i σ(x_i · c) x_i with the context c = tanh(mean_i(x_i) W).

    A node counts as much as it is like the context. Weights are sigmoids and not a softmax: they
    don't sum to one, so the result grows with the graph, as a sum does.
    """

    shown = ("in_channels",)
    replayable = True

    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.in_channels = self.out_channels = in_channels
        self.weight = nn.Parameter(torch.empty(in_channels, in_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        nn.init.xavier_uniform_(self.weight)

    def pool_level(self, level: Level) -> Tensor:
        """Sum the nodes, each by its likeness to the context."""
        x, segments = level.flat()
        context = (segment_mean(x, segments) @ self.weight).tanh()
        share = (x * spread(context, segments)).sum(-1, keepdim=True).sigmoid()
        return segment_sum(share * x, segments)
