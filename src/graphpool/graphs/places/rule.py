"""What a user can choose about places: how many clusters, how fine, how soft."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from graphpool.errors import ConfigError, nearest

Count = Literal["auto", "given", "ratio", "eigengap"]

# Gains are whole numbers below FINEST · SIXTEENTHS · (2 · MOST_EDGES)², and fit into 64 bits.
FINEST = 64  # largest resolution
SIXTEENTHS = 16  # resolutions are taken in these
MOST_EDGES = 1 << 25  # of one graph, counted in both directions


@dataclass(frozen=True)
class PlaceRule:
    """How the clusters of a graph are found; a key, too, under which they are kept.

    Args:
        count: how many clusters a graph gets. `"auto"`: as many as modularity wants; `"given"`:
            `clusters`; `"ratio"`: `ratio` times its nodes, rounded up, and at least 2;
            `"eigengap"`: where the spectrum of the normalised adjacency has its largest gap.
            The last three are aimed at: clusters that a symmetry maps to each other are merged
            together or not at all, so a symmetric graph may get fewer.
        clusters: for `"given"`.
        ratio: for `"ratio"`.
        resolution: of modularity; larger gives more and smaller clusters. Taken in sixteenths.
        most: no graph gets more clusters than this.
        steps: lazy random-walk steps that soften the clusters into shares; 0 leaves them hard.
    """

    count: Count = "auto"
    clusters: int = 8
    ratio: float = 0.0
    resolution: float = 1.5
    most: int = 16
    steps: int = 2

    def __post_init__(self) -> None:
        if self.count not in get_args(Count):
            hint = nearest(str(self.count), get_args(Count))
            raise ConfigError(f"count of places is {self.count!r}; {hint}")
        if self.clusters < 1:
            raise ConfigError(f"clusters={self.clusters}; a graph has at least 1 place")
        if self.most < 1:
            raise ConfigError(f"most={self.most}; a graph has at least 1 place")
        if self.steps < 0:
            raise ConfigError(f"steps={self.steps}; give 0 for hard places, or more")
        if not 1 / 16 <= self.resolution <= FINEST:
            raise ConfigError(
                f"resolution={self.resolution}; give a number from 0.0625 to {FINEST}"
            )
        if not 0 <= self.ratio <= 1:
            raise ConfigError(f"ratio={self.ratio}; give a share of the nodes, from 0 to 1")
        if self.count == "ratio" and self.ratio == 0:
            raise ConfigError("count='ratio' needs a ratio above 0, such as ratio=0.1")

    def wanted(self, nodes: int) -> int:
        """Clusters that a graph of so many nodes should get by `"given"` or `"ratio"`."""
        if self.count == "ratio":
            return min(self.most, max(2, math.ceil(self.ratio * nodes)))
        return min(self.most, self.clusters)
