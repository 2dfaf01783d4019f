"""What distances between the nodes of two graphs share: one per level, and their sum."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from graphpool.graphs.segments import Segments
from graphpool.nn.coarsened import Nodes
from graphpool.shapes import Float


class LevelDistances(nn.Module, ABC):
    """Distances of multisets of nodes or clusters, level by level, and their weighted sum.

    Before they are compared, the nodes of a level go through a linear map and ReLU, which says
    what counts. Weights of the sum are learned and positive.

    Args:
        channels: of the nodes of each level.
    """

    def __init__(self, channels: tuple[int, ...]) -> None:
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(width, width) for width in channels)
        self.weight = nn.Parameter(torch.zeros(len(channels), 1))

    @abstractmethod
    def measure(
        self, level: int, x: Tensor, segments: Segments, left: Tensor, right: Tensor
    ) -> Float[Tensor, " pairs"]:
        """The distance of graphs `left` and `right` by their nodes `x`, none of them below 0."""

    def forward(
        self, levels: Sequence[Nodes], left: Tensor, right: Tensor
    ) -> Float[Tensor, "rows pairs"]:
        """One row per level, and the sum as the last."""
        rows = []
        for number, (level, mapped) in enumerate(zip(levels, self.maps, strict=True)):
            x, segments = level.flat()
            x = cast(nn.Linear, mapped)(x).relu()
            rows.append(self.measure(number, x, segments, left, right))
        distances = torch.stack(rows)
        total = (nn.functional.softplus(self.weight) * distances).sum(0, keepdim=True)
        return torch.cat([distances, total])
