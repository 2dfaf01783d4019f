"""DiffPool, the differentiable pooling of Ying et al. (NeurIPS 2018)."""

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsened import Coarsened
from graphpool.nn.encoders import GCNLayer
from graphpool.nn.hap.formation import form_clusters
from graphpool.nn.losses import Assigned, auxiliary_losses, check_weights
from graphpool.nn.rows import Rows


class DiffPool(nn.Module):
    """S = softmax GNN(A, X), X' = Sᵀ X and A' = Sᵀ A S, with two auxiliary losses.

    The assignment's network is one GCN layer. The paper pools what a second network, the embedding
    one, makes of X; here that is the hierarchy's encoder, whose output X is.

    Deviations from the paper: a ragged level is neither padded nor made dense, and the link loss is
    divided by the number of nodes (see `losses.link`). With one cluster S is a column of ones,
    whatever is learned: there are no parameters and no losses.

    Args:
        in_channels: channels of the node features.
        clusters: nodes of the coarse graph; graphs may have fewer nodes.
        link: weight of the link loss ‖A - SSᵀ‖_F / N; 0 leaves it out.
        entropy: weight of the mean entropy of S's rows; 0 leaves it out.
    """

    def __init__(
        self, in_channels: int, clusters: int, link: float = 1.0, entropy: float = 1.0
    ) -> None:
        super().__init__()
        if clusters < 1:
            raise ConfigError(f"clusters is {clusters}; a coarse graph needs at least 1")
        self.clusters = clusters
        self.weights = check_weights({"link": link, "entropy": entropy})
        self.assign = GCNLayer(in_channels, clusters) if clusters > 1 else None

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
        if x.ndim == 3:
            adj = _checked_dense(x, adjacency)
            share = self._assignment(x, adj)
            if isinstance(batch, Rows):
                share = batch.keep(share)
            return self._finish(share.mT @ x, share.mT @ (adj @ share), share, adj, None)
        if isinstance(adjacency, Tensor):
            weight = x.new_ones(adjacency.shape[1])
            adjacency = Adjacency.from_edge_index(adjacency, x.shape[0], weight)
        if batch is None:
            batch = torch.zeros(x.shape[0], dtype=torch.long, device=x.device)
        if isinstance(batch, Rows):
            raise ValueError(f"features {tuple(x.shape)} are ragged and need Segments, not Rows")
        segments = batch if isinstance(batch, Segments) else Segments.from_batch(batch)
        share = self._assignment(x, adjacency)
        coarse_x, coarse_adj = form_clusters(share, x, adjacency, segments)
        return self._finish(coarse_x, coarse_adj, share, adjacency, segments)

    def _assignment(self, x: Tensor, adjacency: Adjacency | Tensor) -> Tensor:
        """S, `[..., clusters]`."""
        if self.assign is None:
            return x.new_ones(*x.shape[:-1], 1)
        scores: Tensor = self.assign(x, adjacency)
        return scores.softmax(-1)

    def _finish(
        self,
        x: Tensor,
        adj: Tensor,
        share: Tensor,
        adjacency: Adjacency | Tensor,
        segments: Segments | None,
    ) -> Coarsened:
        losses = {}
        if self.assign is not None:
            losses = auxiliary_losses(Assigned(share, adj, adjacency, segments), self.weights)
        return Coarsened(x, adj, share, segments, losses)

    def extra_repr(self) -> str:
        """What `print(module)` adds."""
        return f"clusters={self.clusters}, weights={self.weights}"


def _checked_dense(x: Tensor, adjacency: Tensor | Adjacency) -> Tensor:
    expected = (x.shape[0], x.shape[1], x.shape[1])
    if not isinstance(adjacency, Tensor) or tuple(adjacency.shape) != expected:
        raise ValueError(f"dense features {tuple(x.shape)} need an adjacency of shape {expected}")
    return adjacency
