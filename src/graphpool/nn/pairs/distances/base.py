"""What distances between the nodes of two graphs share: one per level, and their sum."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, cast

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.level import Level
from graphpool.typing import Float

# How much terms weigh differs by orders of magnitude between tasks: with Adam, whose steps are all
# of one size, the logarithm of a weight moves so many times as fast as other parameters.
SPEED = 10.0


class Laid(NamedTuple):
    """The nodes of one level of all graphs, whatever the level is; edges where they are sparse."""

    x: Float[Tensor, "nodes channels"]
    segments: Segments
    adjacency: Adjacency | None


class LevelDistances(nn.Module, ABC):
    """Distances of multisets of nodes or clusters, level by level, and their sum.

    Before they are compared, the nodes of a level go through a linear map and ReLU, which says
    what counts. The distance of a level is a weighted sum of terms, and that of two graphs the sum
    over levels; weights are learned and positive.

    The network learns from the sum alone. A level by itself does not see all of a graph: were it
    asked for the whole distance, it would be bent to say what another level says better. So that
    its row can be read all the same, it has a scale of its own, which learns to make the most of
    the distance as it is.

    Args:
        channels: of the nodes of each level.
    """

    terms: ClassVar[int] = 1  # at most, of a level

    def __init__(self, channels: tuple[int, ...]) -> None:
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(width, width) for width in channels)
        self.slow_log_weight = nn.Parameter(torch.zeros(len(channels), self.terms, 1))
        self.log_scale = nn.Parameter(torch.zeros(len(channels), 1))

    @property
    def weight(self) -> Float[Tensor, "levels terms one"]:
        """Of every term, above 0 and 1 at first."""
        return (SPEED * self.slow_log_weight).exp()

    @abstractmethod
    def measure(
        self, level: int, nodes: Laid, left: Tensor, right: Tensor
    ) -> Float[Tensor, "terms pairs"]:
        """What graphs `left` and `right` differ in by their nodes; nothing below 0."""

    def forward(
        self, levels: Sequence[Level], left: Tensor, right: Tensor
    ) -> Float[Tensor, "rows pairs"]:
        """One row per level, and the sum as the last."""
        rows = []
        for number, (level, mapped) in enumerate(zip(levels, self.maps, strict=True)):
            x, segments = level.flat()
            x = cast(nn.Linear, mapped)(x).relu()
            edges = level.adjacency if isinstance(level.adjacency, Adjacency) else None
            terms = self.measure(number, Laid(x, segments, edges), left, right)
            rows.append((self.weight[number, : len(terms)] * terms).sum(0))
        distances = torch.stack(rows)
        alone = self.log_scale.exp() * distances.detach()
        return torch.cat([alone, distances.sum(0, keepdim=True)])
