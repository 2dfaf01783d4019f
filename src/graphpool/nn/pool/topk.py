"""gPool, the projection pooling of Gao & Ji (Graph U-Nets, ICML 2019)."""

import torch
from torch import nn

from graphpool.errors import ConfigError, nearest
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.level import Level
from graphpool.nn.pool.topk_base import ProjectionPool

GATES = {"sigmoid": torch.sigmoid, "tanh": torch.tanh}


class TopKPool(ProjectionPool):
    """y = X p / ‖p‖, the k = ⌈ratio · N⌉ largest stay: X' = X_idx ⊙ σ(y_idx), A' = A_idx,idx.

    The gate is what lets p learn: the choice itself has no gradient. Graph U-Nets has σ = sigmoid;
    the same layer in Cangea et al. (2018), and PyG's by default, has tanh.

    Nodes are ranked by y and not by σ(y), which is 1 for all large scores: PyG ranks by the latter
    and then keeps whichever come first. `select_topk` says how ties are broken.

    Deviation from the paper: its U-Net squares A before the choice, so that kept nodes stay
    connected; here, as in the works that compare with gPool, edges are those of A.

    Args:
        ratio: share of nodes to keep.
        gate: `"sigmoid"` or `"tanh"`.
    """

    shown = (*ProjectionPool.shown, "gate")

    def __init__(self, in_channels: int, ratio: float = 0.5, gate: str = "sigmoid") -> None:
        super().__init__(in_channels, ratio)
        if gate not in GATES:
            raise ConfigError(f"unknown gate {gate!r}; {nearest(gate, GATES)}")
        self.gate = gate

    def pool_level(self, level: Level) -> PoolOutput:
        """The nodes furthest along p."""
        x, _, _ = level.ragged()
        score = x @ nn.functional.normalize(self.weight, dim=0)
        return self.keep_gated(level, score, x.detach().norm(dim=-1), GATES[self.gate])
