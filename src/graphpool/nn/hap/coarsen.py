"""The graph coarsening module of HAP: the paper's Algorithm 1."""

import math
from collections.abc import Collection, Mapping

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError, nearest
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.places.find import Places, places_of
from graphpool.graphs.places.rule import PlaceRule
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.connect import CONNECTIONS
from graphpool.nn.coarsen.losses import Assigned, auxiliary_losses, check_weights
from graphpool.nn.coarsen.outputs import Coarsened
from graphpool.nn.hap.moa import ASSIGNMENTS, PLACE_ASSIGNMENTS
from graphpool.nn.hap.profile import PlaceProfile
from graphpool.nn.hap.relaxation import RELAXATIONS
from graphpool.nn.ops.cluster_mask import Rows
from graphpool.nn.ops.formation import form_clusters


class HAPCoarsening(nn.Module):
    """GCont, MOA, cluster formation H' = Mᵀ H and A' = Mᵀ A M, then `connect`.

    With one cluster M is a column of ones, whatever is learned: there are no parameters and the
    coarsening is a sum over the nodes.

    Args:
        in_channels: channels of the node features.
        clusters: nodes of the coarse graph, the paper's N'; graphs may have fewer nodes, and with
            places fewer clusters: see the mask of `Coarsened`.
        assignment: `"places"` (default), `"places-only"` (without content), `"content"` or
            `"static"` (the paper's); see `places` and `moa`.
        relaxation: column relaxation of `"static"`; see `relaxation`.
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
        self.losses = check_weights(losses or {})
        _known("connect", connect, CONNECTIONS)
        _known("assignment", assignment, ASSIGNMENTS)
        _known("relaxation", relaxation, RELAXATIONS)
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

    def forward(
        self,
        x: Tensor,
        adjacency: Tensor | Adjacency,
        batch: Tensor | Segments | Rows | None = None,
        places: Places | None = None,
    ) -> Coarsened:
        """Coarsen every graph of a batch.

        Args:
            x: `[nodes, channels]`, or dense `[graphs, nodes, channels]`.
            adjacency: for ragged features `edge_index` `[2, edges]` or an `Adjacency`; for dense
                ones weights `[graphs, nodes, nodes]`.
            batch: the graph of each node, sorted, or `Segments`; one graph if absent. For dense
                features the `Rows` that are nodes, if not all of them are.
            places: of these graphs, by this module's `rule`; found here if absent.
        """
        if x.ndim == 3:
            return self._dense(x, _checked_dense(x, adjacency), batch)
        if isinstance(adjacency, Tensor):
            weight = x.new_ones(adjacency.shape[1])
            adjacency = Adjacency.from_edge_index(adjacency, x.shape[0], weight)
        if isinstance(batch, Rows):
            raise ValueError("rows belong to dense features")
        if batch is None:
            batch = torch.zeros(x.shape[0], dtype=torch.long, device=x.device)
        segments = batch if isinstance(batch, Segments) else Segments.from_batch(batch)
        if self.rule is not None and places is None:
            places = places_of(adjacency, segments, self.rule)
        assignment, rows = self._assigned(x, segments, places)
        counts = None if rows is None else rows.counts
        coarse_x, coarse_adj = form_clusters(assignment, x, adjacency, segments, counts)
        return self._finish(coarse_x, coarse_adj, assignment, adjacency, segments, rows)

    def _dense(self, x: Tensor, adj: Tensor, rows: Tensor | Segments | Rows | None) -> Coarsened:
        if rows is not None and not isinstance(rows, Rows):
            raise ValueError("dense features take the rows that are nodes, not a batch vector")
        if self.assign is None:
            there = x.new_ones(*x.shape[:2], 1) if rows is None else rows.weight.to(x.dtype)
            total = adj.sum((-2, -1), keepdim=True)
            return self._finish(x.sum(-2, keepdim=True), total, there, adj, None, None)
        # Laid flat, every graph is a run of rows.
        if rows is None:
            flat, segments = x.flatten(0, 1), Segments.equal(x.shape[0], x.shape[1], x.device)
        else:
            flat, segments = rows.compact(x), rows.segments
        places = None
        if self.rule is not None:
            places = places_of(_sparse(adj.detach(), rows), segments, self.rule)
        assignment, real = self._assigned(flat, segments, places)
        if rows is None:
            assignment = assignment.unflatten(0, x.shape[:2])
        else:
            assignment = rows.expand(assignment)
        coarse_adj = assignment.mT @ (adj @ assignment)
        return self._finish(assignment.mT @ x, coarse_adj, assignment, adj, None, real)

    def _assigned(
        self, x: Tensor, segments: Segments, places: Places | None
    ) -> tuple[Tensor, Rows | None]:
        """M of flat nodes, and which clusters each graph has, if not all."""
        if self.assign is None:
            return x.new_ones(x.shape[0], 1), None
        if places is None:
            return self.assign(x, segments), None
        if self.fixed:
            places = places.widened(self.clusters)
        return self.assign(x, segments, places), Rows.first(places.counts, places.width)

    def _finish(
        self,
        x: Tensor,
        adj: Tensor,
        assignment: Tensor,
        adjacency: Tensor | Adjacency,
        segments: Segments | None,
        rows: Rows | None,
    ) -> Coarsened:
        mask = None if rows is None else rows.mask
        losses: dict[str, Tensor] = {}
        if self.losses and self.assign is not None:
            assigned = Assigned(assignment, adj, adjacency, segments, mask)
            losses = auxiliary_losses(assigned, self.losses)
        if self.profile is not None:
            x = self.profile(x, adj, assignment, segments, rows)
        adj = CONNECTIONS[self.connect](adj, self.training, mask)
        if self.symmetrise:
            adj = (adj + adj.mT) / 2
        return Coarsened(x, adj, assignment, segments, losses, rows)

    def extra_repr(self) -> str:
        """What `print(module)` adds."""
        return f"clusters={self.clusters}, connect={self.connect!r}"


def _known(what: str, name: str, names: Collection[str]) -> None:
    if name not in names:
        raise ConfigError(f"unknown {what} {name!r}; {nearest(name, names)}")


def _checked_dense(x: Tensor, adjacency: Tensor | Adjacency) -> Tensor:
    expected = (x.shape[0], x.shape[1], x.shape[1])
    if not isinstance(adjacency, Tensor) or tuple(adjacency.shape) != expected:
        raise ValueError(f"dense features {tuple(x.shape)} need an adjacency of shape {expected}")
    return adjacency


def _sparse(adj: Tensor, rows: Rows | None) -> Adjacency:
    """The graphs of a dense level as one sparse matrix over its flat nodes."""
    graph, target, source = adj.nonzero().t()
    weight, width = adj[graph, target, source], adj.shape[-1]
    edges = torch.stack([source, target]) + graph * width
    count = adj.shape[0] * width
    if rows is not None:
        number = edges.new_empty(count)
        number[rows.index] = torch.arange(rows.index.shape[0], device=adj.device)
        edges, count = number[edges], rows.index.shape[0]
    return Adjacency.from_edge_index(edges, count, weight)


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
