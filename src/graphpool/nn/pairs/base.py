"""The base class of networks that compare two graphs: distances per level, and scores of them."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from torch import Tensor

from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.encoders import Encoder
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.level import Level
from graphpool.nn.module import Module
from graphpool.nn.pairs.score import ExpScore, Score
from graphpool.nn.pool.flat import FlatPool
from graphpool.typing import Float, Int

# Inside the root of a distance, which has no gradient at 0 without it.
EPSILON = 1e-8


@dataclass(frozen=True, eq=False)
class PairDistances:
    """Distances between pairs of graphs at each level, with auxiliary losses.

    Args:
        distances: `[levels, pairs]`, at least 0.
        losses: auxiliary losses by name, each a scalar, already weighted.
    """

    distances: Float[Tensor, "levels pairs"]
    losses: dict[str, Tensor] = field(default_factory=dict)


class PairModel(Module, ABC):
    """A network over pairs of graphs.

    Args:
        levels: number of rows of the distances.
        score: maps distances to scores; by default exp(-d / 2), as in the paper.
    """

    def __init__(self, levels: int, score: Score | None = None) -> None:
        super().__init__()
        self.levels, self.score = levels, score or ExpScore()

    @abstractmethod
    def compare(
        self, graphs: GraphBatch, left: Int[Tensor, " pairs"], right: Int[Tensor, " pairs"]
    ) -> PairDistances:
        """Compare graph `left[p]` of the batch with graph `right[p]`, for every p.

        In eval mode swapping `left` and `right` changes no bit of the result.
        """

    def measure(self, graphs: GraphSet) -> None:
        """Set constants that depend on the training graphs; see `GraphNetwork.measure`."""

    def log_scores(
        self, result: PairDistances
    ) -> tuple[Float[Tensor, "levels pairs"], Float[Tensor, "levels pairs"]]:
        """Return log s and log(1 - s) of every level."""
        return self.score(result.distances)  # type: ignore[no-any-return]

    def scores(self, result: PairDistances) -> Float[Tensor, "levels pairs"]:
        """Return the probability s that each pair matches, at every level."""
        return self.log_scores(result)[0].exp()

    def overall(self, rows: Float[Tensor, "levels pairs"]) -> Float[Tensor, " pairs"]:
        """Reduce the distances, scores or losses of all levels to one number per pair: the mean."""
        return rows.mean(0)

    def forward(
        self, graphs: GraphBatch, left: Int[Tensor, " pairs"], right: Int[Tensor, " pairs"]
    ) -> Float[Tensor, " pairs"]:
        """Return the probability that each pair matches, `[pairs]`."""
        return self.overall(self.scores(self.compare(graphs, left, right)))


def euclidean(
    one: Float[Tensor, "pairs channels"], other: Float[Tensor, "pairs channels"]
) -> Float[Tensor, " pairs"]:
    """Return √(|one - other|² + ε) - √ε, `[pairs]`: 0 for equal vectors, with finite gradients."""
    square = (one - other).square().sum(-1)
    # The same number without the difference of two roots, which would cancel small distances.
    return square / ((square + EPSILON).sqrt() + math.sqrt(EPSILON))


class IdentityEncoder(Encoder):
    """Returns its input: for the pooling of a network that has embedded the nodes already."""

    def __init__(self, channels: int) -> None:
        super().__init__("gcn", channels, channels, layers=0)

    def encode(self, level: Level) -> Tensor:
        """The features as they are."""
        return level.x


def flat_pooling(pool: FlatPool) -> Hierarchy:
    """Make a hierarchy with one readout of the nodes."""
    return Hierarchy([IdentityEncoder(pool.in_channels)], [], [pool], out_channels=0)


def without_encoder(network: Hierarchy, channels: int) -> Hierarchy:
    """Replace the first encoder of the network by the identity."""
    network.encoders[0] = IdentityEncoder(channels)
    return network
