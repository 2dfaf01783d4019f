"""What every network that compares two graphs offers: a distance per level, and scores of it."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from torch import Tensor, nn

from graphpool.graphs.batch import GraphBatch
from graphpool.nn.pairs.score import ExpScore, Score
from graphpool.typing import Float, Int

# Inside the root of a distance, whose gradient has no value at 0 without it.
EPSILON = 1e-8


@dataclass(frozen=True, eq=False)
class Compared:
    """What a comparison of pairs of graphs gave.

    Args:
        distances: `[levels, pairs]`, none below 0.
        losses: auxiliary losses by name, each a scalar, already weighted.
    """

    distances: Float[Tensor, "levels pairs"]
    losses: dict[str, Tensor] = field(default_factory=dict)


class PairModel(nn.Module, ABC):
    """A network over pairs of graphs.

    Args:
        levels: rows of the distances that it gives.
        score: from distances to scores; by default the paper's exp(-d / 2).
    """

    def __init__(self, levels: int, score: Score | None = None) -> None:
        super().__init__()
        self.levels, self.score = levels, score or ExpScore()

    @abstractmethod
    def compare(
        self, graphs: GraphBatch, left: Int[Tensor, " pairs"], right: Int[Tensor, " pairs"]
    ) -> Compared:
        """Compare graph `left[p]` of the batch with graph `right[p]`, for every p.

        In eval mode swapping `left` and `right` changes no bit of the result.
        """

    def log_scores(
        self, compared: Compared
    ) -> tuple[Float[Tensor, "levels pairs"], Float[Tensor, "levels pairs"]]:
        """log s and log(1 - s) of every level."""
        return self.score(compared.distances)  # type: ignore[no-any-return]

    def scores(self, compared: Compared) -> Float[Tensor, "levels pairs"]:
        """How likely each pair matches, at every level: s, between 0 and 1."""
        return self.log_scores(compared)[0].exp()

    def overall(self, rows: Float[Tensor, "levels pairs"]) -> Float[Tensor, " pairs"]:
        """One number per pair from the distances, scores or losses of all levels: their mean."""
        return rows.mean(0)

    def forward(
        self, graphs: GraphBatch, left: Int[Tensor, " pairs"], right: Int[Tensor, " pairs"]
    ) -> Float[Tensor, " pairs"]:
        """How likely each pair matches, `[pairs]`."""
        return self.overall(self.scores(self.compare(graphs, left, right)))


def euclidean(
    one: Float[Tensor, "pairs channels"], other: Float[Tensor, "pairs channels"]
) -> Float[Tensor, " pairs"]:
    """√(|one - other|² + ε) - √ε, `[pairs]`: 0 for equal vectors, and finite gradients there."""
    square = (one - other).square().sum(-1)
    # The same number without the difference of two roots, in which small distances would drown.
    return square / ((square + EPSILON).sqrt() + math.sqrt(EPSILON))
