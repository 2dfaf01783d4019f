"""Readouts: from the nodes of a level to one vector per graph."""

import torch
from torch import Tensor

from graphpool.errors import ConfigError, brief, check_known
from graphpool.nn.arguments import read_level
from graphpool.nn.level import Level
from graphpool.nn.ops.products import segment_max, segment_mean, segment_sum

REDUCTIONS = {"sum": segment_sum, "mean": segment_mean, "max": segment_max}


class Readout:
    """Concatenation of reductions over the nodes of each graph.

    Args:
        reductions: any of `"sum"`, `"mean"`, `"max"`, each once.
    """

    def __init__(self, reductions: tuple[str, ...]) -> None:
        if not isinstance(reductions, (tuple, list)):
            raise ConfigError(f"reductions are {brief(reductions)}; give a tuple, such as ('sum',)")
        for name in reductions:
            check_known("reduction", name, REDUCTIONS)
            if reductions.count(name) > 1:
                raise ConfigError(f"the reduction {name!r} stands twice in {reductions}")
        if not reductions:
            raise ConfigError("a readout needs at least one of: " + ", ".join(REDUCTIONS))
        self.reductions = reductions

    def __call__(self, level: Level) -> Tensor:
        """Reduce the nodes or clusters of each graph, `[graphs, width]`."""
        level = read_level(level)
        x, segments = level.x, level.segments
        if level.mask is not None and self.reductions != ("sum",):
            x, segments = level.flat()
        elif segments is None and x.shape[-2] == 1:
            return x.squeeze(-2)
        made = [REDUCTIONS[name](x, segments) for name in self.reductions]
        return torch.cat(made, -1) if len(made) > 1 else made[0]

    def width(self, channels: int, nodes: int | None = None) -> int:
        """Channels of the result; a level of one node is its own readout."""
        return channels if nodes == 1 else channels * len(self.reductions)
