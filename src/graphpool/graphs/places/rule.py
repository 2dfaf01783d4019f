"""Options of the search for places: number, resolution and softness of the clusters."""

import math
from dataclasses import dataclass, fields
from typing import Literal, get_args

from graphpool.errors import ConfigError, brief, check_type, check_whole, nearest

Count = Literal["auto", "given", "ratio", "eigengap"]
Units = Literal["none", "rings", "auto", "recurring"]

# Gains are integers below FINEST · SIXTEENTHS · (2 · MOST_EDGES)², and fit into 64 bits.
FINEST = 64  # largest resolution
SIXTEENTHS = 16  # resolutions are rounded to sixteenths
MOST_EDGES = 1 << 25  # of one graph, counted in both directions


@dataclass(frozen=True)
class PlaceRule:
    """How the clusters of a graph are found; also part of the key they are cached under.

    Args:
        count: how many clusters a graph gets. `"auto"`: chosen by modularity; `"given"`:
            `clusters`; `"ratio"`: `ratio` times its nodes, rounded up, and at least 2;
            `"eigengap"`: where the spectrum of the normalised adjacency has its largest gap.
            The last three are targets: clusters that a symmetry maps to each other are merged
            together or not at all, so a symmetric graph may get fewer.
        clusters: number of clusters for `"given"`.
        ratio: clusters per node for `"ratio"`.
        resolution: resolution of modularity, rounded to sixteenths; larger values give more and
            smaller clusters.
        most: the largest number of clusters of a graph.
        steps: lazy random-walk steps that soften the clusters into shares; 0 keeps them hard.
        units: what is never cut. `"none"`: nothing, clusters are those of modularity. `"rings"`:
            rings and systems of rings (2-edge-connected components) of 3 to `unit_size` nodes
            are clusters of their own; every bridge at one is cut, and so are edges between
            clusters of modularity elsewhere. `"auto"`: the same for systems of at most 4 rings in
            graphs with at most 4 edges for 3 nodes, such as molecules; clusters of modularity in
            denser graphs. `"recurring"`: parts that were learned from training graphs;
            `RecurringParts.attach` gives them to graphs, and no other option counts.
        unit_size: the most nodes of a ring or system of rings; larger ones are divided by
            modularity.
        learned: the digest of the `RecurringParts` of `"recurring"`, else empty.
    """

    count: Count = "auto"
    clusters: int = 8
    ratio: float = 0.0
    resolution: float = 1.5
    most: int = 16
    steps: int = 2
    units: Units = "none"
    unit_size: int = 32
    learned: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.count, str) or self.count not in get_args(Count):
            hint = nearest(self.count, get_args(Count))
            raise ConfigError(f"count of places is {brief(self.count)}; {hint}")
        if not isinstance(self.units, str) or self.units not in get_args(Units):
            hint = nearest(self.units, get_args(Units))
            raise ConfigError(f"units of places is {brief(self.units)}; {hint}")
        for name in ("clusters", "most", "steps", "unit_size"):
            check_whole(f"{name} of places", getattr(self, name), -MOST_EDGES, MOST_EDGES)
        for name in ("ratio", "resolution"):
            check_type(f"{name} of places", getattr(self, name), (int, float), "a number")
        if self.clusters < 1:
            raise ConfigError(f"clusters={self.clusters}; a graph has at least 1 place")
        if self.most < 1:
            raise ConfigError(f"most={self.most}; a graph has at least 1 place")
        if self.count == "given" and self.clusters > self.most:
            raise ConfigError(
                f"clusters={self.clusters} of places are more than most={self.most}; raise most"
            )
        if self.steps < 0:
            raise ConfigError(f"steps={self.steps}; give 0 for hard places, or more")
        check_type("learned of places", self.learned, str, "the digest of RecurringParts")
        if (self.units == "recurring") != bool(self.learned):
            raise ConfigError(
                "units='recurring' of places needs learned=DIGEST; take the rule of RecurringParts"
            )
        if self.learned:
            for item in fields(self):
                if item.name not in ("units", "learned"):
                    value = 0 if item.name == "steps" else item.default
                    object.__setattr__(self, item.name, value)
        if self.unit_size < 3:
            raise ConfigError(f"unit_size={self.unit_size}; a ring has at least 3 nodes")
        if not 1 / 16 <= self.resolution <= FINEST:
            raise ConfigError(
                f"resolution={brief(self.resolution)}; give a number from 0.0625 to {FINEST}"
            )
        if not 0 <= self.ratio <= 1:
            raise ConfigError(f"ratio={brief(self.ratio)}; give a share of the nodes, from 0 to 1")
        if self.count == "ratio" and self.ratio == 0:
            raise ConfigError("count='ratio' needs a ratio above 0, such as ratio=0.1")

    def wanted(self, nodes: int) -> int:
        """Return the number of clusters for a graph of this size, by `"given"` or `"ratio"`."""
        if self.count == "ratio":
            return min(self.most, max(2, math.ceil(self.ratio * nodes)))
        return min(self.most, self.clusters)
