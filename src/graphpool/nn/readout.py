"""Readouts: from the nodes of a level to one vector per graph."""

import sys

import torch
from torch import Tensor

from graphpool.errors import ConfigError, brief, check_known, check_real
from graphpool.nn.arguments import read_level
from graphpool.nn.level import Level
from graphpool.nn.ops.products import segment_max, segment_mean, segment_sum

REDUCTIONS = {
    "sum": segment_sum,
    "mean": segment_mean,
    "max": segment_max,
    "scaled_sum": segment_sum,  # then divided by the size
}


class Readout:
    """Concatenation of reductions over the nodes of each graph.

    Args:
        reductions: any of `"sum"`, `"mean"`, `"max"`, `"scaled_sum"`, each once. The last is the
            sum divided by `size`: it tells large graphs from small ones, and is about as large as
            a mean.
        size: mean number of nodes of the training graphs.
    """

    def __init__(self, reductions: tuple[str, ...], size: float = 1.0) -> None:
        if not isinstance(reductions, (tuple, list)):
            raise ConfigError(f"reductions are {brief(reductions)}; give a tuple, such as ('sum',)")
        for name in reductions:
            check_known("reduction", name, REDUCTIONS)
            if reductions.count(name) > 1:
                raise ConfigError(f"the reduction {name!r} stands twice in {reductions}")
        if not reductions:
            raise ConfigError("a readout needs at least one of: " + ", ".join(REDUCTIONS))
        check_real("size of a readout", size, sys.float_info.min)
        self.reductions, self.size = reductions, size

    def __call__(self, level: Level, size: Tensor | None = None) -> Tensor:
        """Reduce the nodes or clusters of each graph, `[graphs, width]`.

        Args:
            size: a scalar to use in place of the size of the readout.
        """
        level = read_level(level)
        x, segments = level.x, level.segments
        if level.mask is not None and self.reductions != ("sum",):
            x, segments = level.flat()
        elif segments is None and x.shape[-2] == 1:
            alone = x.squeeze(-2)
            scaled = "scaled_sum" in self.reductions and "sum" not in self.reductions
            return alone / (self.size if size is None else size) if scaled else alone
        made = [
            reduced / (self.size if size is None else size) if name == "scaled_sum" else reduced
            for name in self.reductions
            for reduced in [REDUCTIONS[name](x, segments)]
        ]
        return torch.cat(made, -1) if len(made) > 1 else made[0]

    def width(self, channels: int, nodes: int | None = None) -> int:
        """Channels of the result; a level of one node is its own readout."""
        return channels if nodes == 1 else channels * len(self.reductions)
