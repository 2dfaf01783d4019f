"""The graph coarsening module of HAP: the paper's Algorithm 1."""

import math

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError, nearest
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsened import Coarsened
from graphpool.nn.hap.connect import CONNECTIONS
from graphpool.nn.hap.formation import form_clusters
from graphpool.nn.hap.moa import ASSIGNMENTS
from graphpool.nn.hap.relaxation import RELAXATIONS


class HAPCoarsening(nn.Module):
    """GCont, MOA, cluster formation H' = Mᵀ H and A' = Mᵀ A M, then `connect`.

    With one cluster M is a column of ones, whatever is learned: there are no parameters and the
    coarsening is a sum over the nodes.

    Args:
        in_channels: channels of the node features.
        clusters: nodes of the coarse graph, the paper's N'; graphs may have fewer nodes.
        assignment: `"content"` (default) or `"static"` (the paper's); see `moa`.
        relaxation: column relaxation of `"static"`; see `relaxation`.
        connect: `"offdiagonal"` (default), `"gumbel"` (the paper's), `"offdiagonal-gumbel"` or
            `"plain"`; see `connect`.
        symmetrise: average the connected adjacency with its transpose.
    """

    def __init__(
        self,
        in_channels: int,
        clusters: int,
        assignment: str = "content",
        relaxation: str = "gram",
        connect: str = "offdiagonal",
        symmetrise: bool = False,
    ) -> None:
        super().__init__()
        if connect not in CONNECTIONS:
            raise ConfigError(f"unknown connect {connect!r}; {nearest(connect, CONNECTIONS)}")
        if assignment not in ASSIGNMENTS:
            raise ConfigError(
                f"unknown assignment {assignment!r}; {nearest(assignment, ASSIGNMENTS)}"
            )
        if relaxation not in RELAXATIONS:
            raise ConfigError(
                f"unknown relaxation {relaxation!r}; {nearest(relaxation, RELAXATIONS)}"
            )
        if clusters < 1:
            raise ConfigError(f"clusters is {clusters}; a coarse graph needs at least 1")
        self.clusters, self.connect, self.symmetrise = clusters, connect, symmetrise
        self.assign: nn.Module | None = None
        if clusters > 1:
            self.assign = ASSIGNMENTS[assignment](in_channels, clusters, relaxation)

    def forward(
        self,
        x: Tensor,
        adjacency: Tensor | Adjacency,
        batch: Tensor | Segments | None = None,
    ) -> Coarsened:
        """Coarsen every graph of a batch.

        Args:
            x: `[nodes, channels]`, or dense `[graphs, nodes, channels]`.
            adjacency: for ragged features `edge_index` `[2, edges]` or an `Adjacency`; for dense
                ones weights `[graphs, nodes, nodes]`.
            batch: the graph of each node, sorted, or `Segments`; one graph if absent.
        """
        if x.ndim == 3:
            return self._dense(x, _checked_dense(x, adjacency))
        if isinstance(adjacency, Tensor):
            weight = x.new_ones(adjacency.shape[1])
            adjacency = Adjacency.from_edge_index(adjacency, x.shape[0], weight)
        if batch is None:
            batch = torch.zeros(x.shape[0], dtype=torch.long, device=x.device)
        segments = batch if isinstance(batch, Segments) else Segments.from_batch(batch)
        return self._ragged(x, adjacency, segments)

    def _ragged(self, x: Tensor, adjacency: Adjacency, segments: Segments) -> Coarsened:
        assignment = x.new_ones(x.shape[0], 1) if self.assign is None else self.assign(x, segments)
        coarse_x, coarse_adj = form_clusters(assignment, x, adjacency, segments)
        return self._finish(coarse_x, coarse_adj, assignment, segments)

    def _dense(self, x: Tensor, adj: Tensor) -> Coarsened:
        if self.assign is None:
            ones = x.new_ones(*x.shape[:2], 1)
            total = adj.sum((-2, -1), keepdim=True)
            return self._finish(x.sum(-2, keepdim=True), total, ones, None)
        # Laid flat, every graph is a run of equal length.
        segments = Segments.equal(x.shape[0], x.shape[1], x.device)
        assignment = self.assign(x.flatten(0, 1), segments).unflatten(0, x.shape[:2])
        coarse_adj = assignment.mT @ (adj @ assignment)
        return self._finish(assignment.mT @ x, coarse_adj, assignment, None)

    def _finish(
        self, x: Tensor, adj: Tensor, assignment: Tensor, segments: Segments | None
    ) -> Coarsened:
        adj = CONNECTIONS[self.connect](adj, self.training)
        if self.symmetrise:
            adj = (adj + adj.mT) / 2
        return Coarsened(x, adj, assignment, segments)

    def extra_repr(self) -> str:
        """What `print(module)` adds."""
        return f"clusters={self.clusters}, connect={self.connect!r}"


def _checked_dense(x: Tensor, adjacency: Tensor | Adjacency) -> Tensor:
    expected = (x.shape[0], x.shape[1], x.shape[1])
    if not isinstance(adjacency, Tensor) or tuple(adjacency.shape) != expected:
        raise ValueError(f"dense features {tuple(x.shape)} need an adjacency of shape {expected}")
    return adjacency


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
