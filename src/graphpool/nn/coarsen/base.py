"""What group poolers with a soft assignment share: S from the nodes, X' = Sᵀ X, A' = Sᵀ A S."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.connect import CONNECTIONS
from graphpool.nn.coarsen.losses import Assigned
from graphpool.nn.coarsen.modularity import check_group_weights, group_losses
from graphpool.nn.coarsen.outputs import Coarsened
from graphpool.nn.ops.cluster_mask import Rows
from graphpool.nn.ops.formation import form_clusters


class Grouping(nn.Module, ABC):
    """A coarsening whose nodes are shared out among `clusters` clusters.

    A pooler writes `assign`, S of ragged and of dense nodes, and names its losses. With one
    cluster S is a column of ones, whatever is learned: there are no losses, and `assign` is never
    called.

    Args:
        clusters: nodes of the coarse graph; graphs may have fewer nodes.
        losses: weights by names of `modularity.GROUP_LOSSES`; 0 leaves one out.
        connect: what becomes of Sᵀ A S; see `graphpool.nn.coarsen.connect`.
    """

    def __init__(self, clusters: int, losses: Mapping[str, float], connect: str) -> None:
        super().__init__()
        if clusters < 1:
            raise ConfigError(f"clusters is {clusters}; a coarse graph needs at least 1")
        self.clusters, self.connect = clusters, connect
        self.weights = check_group_weights(losses)

    def forward(
        self,
        x: Tensor,
        adjacency: Tensor | Adjacency,
        batch: Tensor | Segments | Rows | None = None,
    ) -> Coarsened:
        """Coarsen every graph of a batch.

        Args:
            x: `[nodes, channels]`, or dense `[graphs, nodes, channels]`.
            adjacency: for ragged features `edge_index` `[2, edges]` or an `Adjacency`; for dense
                ones weights `[graphs, nodes, nodes]`.
            batch: the graph of each node, sorted, or `Segments`; one graph if absent. For dense
                features the `Rows` that are nodes; all of them if absent.
        """
        level, segments, rows = read_level(x, adjacency, batch)
        if rows is not None:
            x = rows.keep(x)
        if self.clusters == 1:
            share = x.new_ones(*x.shape[:-1], 1)
        else:
            share = self.assign(x, level, segments)
        if rows is not None:
            share = rows.keep(share)
        if isinstance(level, Adjacency):
            assert segments is not None, "ragged nodes have segments"
            coarse_x, coarse_adj = form_clusters(share, x, level, segments)
        else:
            coarse_x, coarse_adj = share.mT @ x, share.mT @ (level @ share)
        losses: dict[str, Tensor] = {}
        if self.clusters > 1:
            losses = group_losses(Assigned(share, coarse_adj, level, segments), self.weights)
        coarse_adj = CONNECTIONS[self.connect](coarse_adj, self.training, None)
        return Coarsened(self.activate(coarse_x), coarse_adj, share, segments, losses)

    @abstractmethod
    def assign(self, x: Tensor, adjacency: Adjacency | Tensor, segments: Segments | None) -> Tensor:
        """S, `[..., clusters]`, whose rows sum to one; `segments` is `None` for dense nodes.

        Dense rows that are no nodes have zeros in `x` and in the adjacency.
        """

    def activate(self, coarse_x: Tensor) -> Tensor:
        """X' from Sᵀ X: the same, unless a method does more."""
        return coarse_x

    def extra_repr(self) -> str:
        """What `print(module)` adds."""
        return f"clusters={self.clusters}, weights={self.weights}"


class Scores(nn.Sequential):
    """A perceptron from node features to one score per cluster.

    Args:
        in_channels: channels of the node features.
        clusters: how many scores.
        hidden: channels of a hidden layer with ReLU; 0: none, a linear map.
    """

    def __init__(self, in_channels: int, clusters: int, hidden: int = 0) -> None:
        if hidden < 0:
            raise ConfigError(f"hidden is {hidden}; give the channels of the layer, or 0 for none")
        if not hidden:
            super().__init__(nn.Linear(in_channels, clusters))
        else:
            super().__init__(nn.Linear(in_channels, hidden), nn.ReLU(), nn.Linear(hidden, clusters))


def read_level(
    x: Tensor, adjacency: Tensor | Adjacency, batch: Tensor | Segments | Rows | None
) -> tuple[Adjacency | Tensor, Segments | None, Rows | None]:
    """A level as its adjacency, the segments of ragged nodes, and the rows of dense ones."""
    if x.ndim == 3:
        expected = (x.shape[0], x.shape[1], x.shape[1])
        if not isinstance(adjacency, Tensor) or tuple(adjacency.shape) != expected:
            raise ValueError(
                f"dense features {tuple(x.shape)} need an adjacency of shape {expected}"
            )
        if batch is not None and not isinstance(batch, Rows):
            raise ValueError(f"features {tuple(x.shape)} are dense and take Rows, not Segments")
        return adjacency, None, batch
    if isinstance(batch, Rows):
        raise ValueError(f"features {tuple(x.shape)} are ragged and need Segments, not Rows")
    if isinstance(adjacency, Tensor):
        weight = x.new_ones(adjacency.shape[1])
        adjacency = Adjacency.from_edge_index(adjacency, x.shape[0], weight)
    if batch is None:
        batch = torch.zeros(x.shape[0], dtype=torch.long, device=x.device)
    segments = batch if isinstance(batch, Segments) else Segments.from_batch(batch)
    return adjacency, segments, None
