"""gPool, the projection pooling of Gao & Ji (Graph U-Nets, ICML 2019)."""

import math

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError, nearest
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.pool.kept import (
    Kept,
    checked_ratio,
    induced,
    keep_segments,
    keep_top,
    ragged_level,
)

GATES = {"sigmoid": torch.sigmoid, "tanh": torch.tanh}


class TopKPool(nn.Module):
    """y = X p / ‖p‖, the k = ⌈ratio · N⌉ largest stay: X' = X_idx ⊙ σ(y_idx), A' = A_idx,idx.

    The gate is what lets p learn: the choice itself has no gradient. Graph U-Nets has σ = sigmoid;
    the same layer in Cangea et al. (2018), and PyG's by default, has tanh.

    Nodes are ranked by y and not by σ(y), which is 1 for all large scores: PyG ranks by the latter
    and then keeps whichever come first. What becomes of equal scores is told in `keep_top`.

    Deviation from the paper: its U-Net squares A before the choice, so that kept nodes stay
    connected; here, as in the works that compare with gPool, edges are those of A.

    Args:
        in_channels: channels of the node features.
        ratio: share of nodes to keep.
        gate: `"sigmoid"` or `"tanh"`.
    """

    def __init__(self, in_channels: int, ratio: float = 0.5, gate: str = "sigmoid") -> None:
        super().__init__()
        if gate not in GATES:
            raise ConfigError(f"unknown gate {gate!r}; {nearest(gate, GATES)}")
        self.in_channels, self.ratio, self.gate = in_channels, checked_ratio(ratio), gate
        self.weight = nn.Parameter(torch.empty(in_channels))
        nn.init.uniform_(self.weight, -1 / math.sqrt(in_channels), 1 / math.sqrt(in_channels))

    def forward(
        self, x: Tensor, adjacency: Tensor | Adjacency, batch: Tensor | Segments | None = None
    ) -> Kept:
        """Keep the best nodes of every graph.

        Args:
            x: `[nodes, channels]`.
            adjacency: `edge_index` `[2, edges]` or an `Adjacency`.
            batch: the graph of each node, sorted, or `Segments`; one graph if absent.
        """
        adjacency, segments = ragged_level(x, adjacency, batch)
        score = x @ nn.functional.normalize(self.weight, dim=0)
        index = keep_top(score, segments, self.ratio, x.detach().norm(dim=-1))
        gate = GATES[self.gate](score[index]).unsqueeze(-1)
        return Kept(
            x=x.index_select(0, index) * gate,
            adjacency=induced(adjacency, index),
            segments=keep_segments(index, segments),
            index=index,
            score=score,
        )

    def extra_repr(self) -> str:
        """What `print(module)` adds."""
        return f"in_channels={self.in_channels}, ratio={self.ratio}, gate={self.gate!r}"
