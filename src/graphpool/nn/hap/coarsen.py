"""The graph coarsening module of HAP: the paper's Algorithm 1."""

import math
from collections.abc import Callable, Mapping

from torch import Tensor, nn

from graphpool.errors import ConfigError, check_known
from graphpool.graphs.checks import trusted
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.coarsen.base import CONNECTIONS, Pooler, coarse_edges, form
from graphpool.nn.coarsen.losses import auxiliary_losses, check_weights
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.hap.moa import RELAXATIONS, ContentAttention, StaticAttention
from graphpool.nn.hap.places import PlaceAttention
from graphpool.nn.hap.profile import PlaceProfile
from graphpool.nn.level import Level

PLACE_ASSIGNMENTS = ("places", "places-only")
ASSIGNMENTS: dict[str, Callable[[int, int, str], nn.Module]] = {
    "places": lambda in_channels, clusters, relaxation: PlaceAttention(in_channels),
    "places-only": lambda in_channels, clusters, relaxation: PlaceAttention(
        in_channels, content=False
    ),
    "content": lambda in_channels, clusters, relaxation: ContentAttention(in_channels, clusters),
    "static": StaticAttention,
}


class HAPCoarsening(Pooler[PoolOutput]):
    """GCont, MOA, cluster formation H' = Mᵀ H and A' = Mᵀ A M, then `connect`.

    With one cluster M is a column of ones, whatever is learned: there are no parameters and the
    coarsening is a sum over the nodes.

    Args:
        in_channels: channels of the node features.
        clusters: nodes of the coarse graph, the paper's N'; graphs may have fewer nodes, and with
            places fewer clusters: see `PoolOutput.mask`.
        assignment: `"places"` (default), `"places-only"` (without content), `"content"` or
            `"static"` (the paper's); see `places` and `moa`.
        relaxation: column relaxation of `"static"`; see `moa`.
        connect: `"offdiagonal"` (default), `"gumbel"` (the paper's), `"offdiagonal-gumbel"` or
            `"plain"`; see `connect`.
        symmetrise: average the connected adjacency with its transpose.
        rule: how many places a graph has; without it as many as `clusters`, with it `clusters` is
            not looked at.
        profile: add to each cluster what it is like as a place; `None`: with places.
        losses: weights of auxiliary losses by name; see `graphpool.nn.coarsen.losses`.
    """

    def __init__(
        self,
        in_channels: int,
        clusters: int = 8,
        assignment: str = "places",
        relaxation: str = "gram",
        connect: str = "offdiagonal",
        symmetrise: bool = False,
        rule: PlaceRule | None = None,
        profile: bool | None = None,
        losses: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__()
        self.in_channels, self.losses = in_channels, check_weights(losses or {})
        check_known("connect", connect, CONNECTIONS)
        check_known("assignment", assignment, ASSIGNMENTS)
        check_known("relaxation", relaxation, RELAXATIONS)
        if clusters < 1:
            raise ConfigError(f"clusters is {clusters}; a coarse graph needs at least 1")
        by_place = assignment in PLACE_ASSIGNMENTS
        # A single cluster needs no place, unless each graph has its own number.
        self.rule: PlaceRule | None = None
        self.fixed = rule is None or not by_place
        if by_place and (rule is not None or clusters > 1):
            self.rule = rule or PlaceRule(count="given", clusters=clusters, most=clusters)
        self.clusters = clusters if self.fixed or rule is None else rule.most
        self.connect, self.symmetrise = connect, symmetrise
        self.assign: nn.Module | None = None
        self.profile: PlaceProfile | None = None
        if self.clusters > 1:
            self.assign = ASSIGNMENTS[assignment](in_channels, self.clusters, relaxation)
            if profile or (profile is None and by_place):
                self.profile = PlaceProfile(in_channels)
        self.replayable = self.rule is None and self.profile is None and not self.losses

    def pool_level(self, level: Level) -> PoolOutput:
        """Assign, form, connect."""
        if self.assign is None:
            return self._sum(level)
        x, segments = level.flat()
        mask: ClusterMask | None = None
        if self.rule is None:
            assignment = self.assign(x, segments)
        else:
            places = level.places(self.rule)
            if self.fixed:
                places = places.widened(self.clusters)
            assignment = self.assign(x, segments, places)
            mask = places.mask
        if level.mask is not None:
            assignment = level.mask.expand(assignment)
        elif level.is_dense:
            assignment = assignment.unflatten(0, level.x.shape[:2])
        coarse_x, coarse_adj = form(assignment, level, None if mask is None else mask.counts)
        return self._connected(coarse_x, coarse_adj, assignment, level, mask)

    def _sum(self, level: Level) -> PoolOutput:
        """One cluster, which every node belongs to wholly."""
        x, adj = level.x, level.adjacency
        if level.mask is not None:
            share = level.mask.weight.to(x.dtype)
        else:
            share = x.new_ones(*x.shape[:-1], 1)
        if isinstance(adj, Tensor):
            # Of an A' of one entry, other connections read the shape alone.
            if self.connect == "plain":
                total = adj.sum((-2, -1), keepdim=True)
            else:
                total = adj.new_zeros(adj.shape[0], 1, 1)
            return self._connected(x.sum(-2, keepdim=True), total, share, level, None)
        return self._connected(*form(share, level), share, level, None)

    def _connected(
        self,
        x: Tensor,
        adj: Tensor,
        assignment: Tensor,
        level: Level,
        clusters: ClusterMask | None,
    ) -> PoolOutput:
        mask = None if clusters is None else clusters.mask
        wanted = self.losses and self.assign is not None
        losses = auxiliary_losses(self.losses, assignment, adj, level, mask) if wanted else {}
        edges = coarse_edges(assignment, level, adj)
        if self.profile is not None:
            x = self.profile(x, adj, assignment, level.segments, clusters)
        adj = CONNECTIONS[self.connect](adj, self.training, mask)
        if self.symmetrise:
            adj = (adj + adj.mT) / 2
        coarse = trusted(Level, x=x, adjacency=adj, mask=clusters, edges=edges)
        return PoolOutput(coarse, assignment, losses=losses, node_segments=level.segments)

    def coarse_edge_channels(self, channels: int) -> int:
        """How many edges there are, and a mean of every feature."""
        return channels + 1

    def extra_repr(self) -> str:
        """What `print(module)` adds."""
        return f"clusters={self.clusters}, connect={self.connect!r}"


def clusters_from_ratio(ratio: float, mean_nodes: float, levels: int) -> tuple[int, ...]:
    """Cluster numbers from the data: max(2, ceil(ratio · mean nodes)) level by level, then 1.

    A single level is not that 1, which would be a sum over the nodes whatever the ratio.
    """
    counts: list[int] = []
    nodes = mean_nodes
    for _ in range(max(1, levels - 1)):
        nodes = max(2, math.ceil(ratio * nodes))
        counts.append(int(nodes))
    return (*counts, 1) if levels > 1 else tuple(counts)
