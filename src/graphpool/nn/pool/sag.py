"""SAGPool, the self-attention graph pooling of Lee, Lee & Kang (ICML 2019)."""

import torch
from torch import Tensor

from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.encoders import GCNLayer
from graphpool.nn.level import Level
from graphpool.nn.pool.topk_base import NodePool


class SAGPool(NodePool):
    """Z = GCN(A, X), one number a node; the ⌈ratio · N⌉ largest stay, X' = X_idx ⊙ tanh(Z_idx).

    A' = A_idx,idx. Unlike gPool's the score of a node knows its neighbours.

    The score is the layer's output and nothing else. PyG multiplies it by one more weight w / |w|:
    that is a sign, drawn at random and without gradient, and where it is negative the nodes with
    the *smallest* scores stay. Nodes are ranked before tanh, which is 1 for all large scores;
    `select_topk` says how ties are broken.

    Args:
        ratio: share of nodes to keep.
    """

    def __init__(self, in_channels: int, ratio: float = 0.5) -> None:
        super().__init__(in_channels, ratio)
        self.attend = GCNLayer(in_channels, 1)

    def pool_level(self, level: Level) -> PoolOutput:
        """The nodes that the convolution scores highest."""
        x, _, _ = level.ragged()
        score: Tensor = self.attend(level).squeeze(-1)
        weight, bias = self.attend.weight.detach(), self.attend.bias.detach()
        scale = x.detach().norm(dim=-1) * weight.norm() + bias.abs()
        return self.keep_gated(level, score, scale, torch.tanh)
