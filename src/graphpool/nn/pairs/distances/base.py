"""The base class of distances between the nodes of two graphs: one per level, and their sum."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, cast

import torch
from torch import Tensor, nn

from graphpool.errors import InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.arguments import read_level
from graphpool.nn.level import Level
from graphpool.nn.module import Module
from graphpool.nn.pairs.layout import check_pairs
from graphpool.typing import Float

# The weights of terms differ by orders of magnitude between tasks. Because the steps of Adam have
# about the same size for all parameters, the logarithm of a weight learns this many times as fast.
SPEED = 10.0
# Initial log weight of levels above the nodes where `start_with_nodes` was called.
QUIET = -4.0


class LevelNodes(NamedTuple):
    """The nodes of one level of all graphs; `adjacency` is None if it is not sparse."""

    x: Float[Tensor, "nodes channels"]
    segments: Segments
    adjacency: Adjacency | None


class MultisetDistance(Module, ABC):
    """A distance between multisets of nodes or clusters, level by level, and their sum.

    The nodes of a level first pass a linear map and ReLU, which learn what counts. The distance of
    a level is a weighted sum of terms, and that of two graphs the sum over levels; weights are
    learned and positive.

    The network learns from the sum alone, because one level does not contain all information
    about a graph and should not be trained to predict the whole distance. So that its row is
    still useful by itself, each level has a scale of its own, which is fitted to the distance
    without changing the network.

    Args:
        channels: number of channels of the nodes of each level.
    """

    terms: ClassVar[int] = 1  # largest number of terms of a level

    def __init__(self, channels: tuple[int, ...]) -> None:
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(width, width) for width in channels)
        self.slow_log_weight = nn.Parameter(torch.zeros(len(channels), self.terms, 1))
        self.log_scale = nn.Parameter(torch.zeros(len(channels), 1))
        self._start_above = 0.0  # initial log weight of levels above the nodes

    def start_with_nodes(self) -> None:
        """Set the initial weights of all levels but the first to e^-4.

        The distance then begins as that of the nodes. Use it where two graphs that differ in a few
        edges may be divided into other places, so that distances between places begin as noise.
        """
        self._start_above = QUIET
        self._reset_weights()

    def reset_parameters(self) -> None:
        """Draw the maps again, and set weights and scales to their initial values."""
        super().reset_parameters()
        self._reset_weights()
        nn.init.zeros_(self.log_scale)

    def _reset_weights(self) -> None:
        with torch.no_grad():
            self.slow_log_weight.zero_()
            self.slow_log_weight[1:] = self._start_above / SPEED

    @property
    def weight(self) -> Float[Tensor, "levels terms one"]:
        """The weight of every term, above 0; initially 1, see `start_with_nodes`."""
        return (SPEED * self.slow_log_weight).exp()

    @abstractmethod
    def measure(
        self, level: int, nodes: LevelNodes, left: Tensor, right: Tensor
    ) -> Float[Tensor, "terms pairs"]:
        """Return the terms of the distance between graphs `left` and `right`, at least 0."""

    def forward(
        self, levels: Sequence[Level], left: Tensor, right: Tensor
    ) -> Float[Tensor, "rows pairs"]:
        """Return one row per level, and the sum as the last row."""
        if not isinstance(levels, (list, tuple)):
            raise InputError(f"levels are a {type(levels).__name__}; give a list of Level")
        if len(levels) != len(self.maps):
            raise InputError(f"{len(levels)} levels for the distance of {len(self.maps)}")
        rows = []
        for number, (level, mapped) in enumerate(zip(levels, self.maps, strict=True)):
            x, segments = read_level(level).flat()
            check_pairs(left, right, segments.num_graphs)
            x = cast(nn.Linear, mapped)(x).relu()
            edges = level.adjacency if isinstance(level.adjacency, Adjacency) else None
            terms = self.measure(number, LevelNodes(x, segments, edges), left, right)
            rows.append((self.weight[number, : len(terms)] * terms).sum(0))
        distances = torch.stack(rows)
        alone = self.log_scale.exp() * distances.detach()
        return torch.cat([alone, distances.sum(0, keepdim=True)])
