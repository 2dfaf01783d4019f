"""Graph matching network (Li et al., ICML 2019): nodes see the other graph while embedded."""

from dataclasses import replace

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.ops.cluster_mask import batch_normalised
from graphpool.nn.pairs.base import Compared, PairModel, euclidean
from graphpool.nn.pairs.cross_attention import Crossing
from graphpool.nn.pairs.embedded import flat_pooling
from graphpool.nn.pairs.layout import Paired
from graphpool.nn.pairs.messages import Messages
from graphpool.nn.pairs.score import Score
from graphpool.nn.pool.gated import GatedPool
from graphpool.typing import Float


class Propagation(nn.Module):
    """One round: h_i ← GRU([Σ_j m_ij, μ_i], h_i), with μ_i what the other graph has no match for.

    μ_i = Σ_j a_ij (h_i - h_j) over the nodes j of the other graph, a_ij = softmax_j(h_i · h_j).

    Args:
        channels: of the node states.
        dropout: of what the GRU is fed with, while training.
    """

    def __init__(self, channels: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.messages = Messages(channels)
        self.update = nn.GRUCell(2 * channels, channels)
        self.dropout = dropout

    def forward(
        self,
        h: Float[Tensor, "nodes channels"],
        adjacency: Adjacency,
        crossing: Crossing,
        norm: nn.BatchNorm1d | None = None,
    ) -> Float[Tensor, "nodes channels"]:
        """New states of the nodes of both graphs; `norm` is of what the GRU is fed with."""
        seen = torch.cat([self.messages(h, adjacency), h - crossing.attend(h)], -1)
        if norm is not None:
            seen = batch_normalised(norm, seen)
        if self.dropout:
            seen = nn.functional.dropout(seen, self.dropout, self.training)
        return self.update(seen, h)  # type: ignore[no-any-return]


class GMN(PairModel):
    """Node encoder, rounds of `Propagation` over both graphs, pooling, Euclidean distance.

    The vectors of a graph depend on its partner, so a graph is embedded once for each pair.

    Deviations from the source: the pooling is our `GatedPool`, with tanh in it and no further
    layer after the sum; edges have weights, which multiply their messages, and no features.

    Args:
        in_channels: channels of the node features.
        hidden_channels: of the node states.
        layers: rounds; the source has five.
        pooling: what reads the graphs out, level by level, a `Hierarchy` of no encoder before the
            first coarsening: with HAP's coarsenings it is GMN-HAP. By default the gated sum.
        shared: whether all rounds have the same weights, as in the source.
        norm: `"batch"` normalises what the GRU is fed with over the nodes of a batch, in every
            round by statistics of its own; the source has none.
        dropout: of `Propagation`.
        score: from distances to scores.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        layers: int = 5,
        pooling: Hierarchy | None = None,
        *,
        shared: bool = True,
        norm: str = "none",
        dropout: float = 0.0,
        score: Score | None = None,
    ) -> None:
        pooling = pooling or flat_pooling(GatedPool(hidden_channels))
        super().__init__(len(pooling.vector_channels), score)
        self.encoder = nn.Sequential(
            nn.Linear(in_channels, hidden_channels),
            nn.ReLU(),
            nn.Linear(hidden_channels, hidden_channels),
        )
        self.layers = layers
        self.rounds = nn.ModuleList(
            Propagation(hidden_channels, dropout) for _ in range(1 if shared else layers)
        )
        # Rounds that share their weights have states of different sizes all the same.
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(2 * hidden_channels) for _ in range(layers if norm == "batch" else 0)
        )
        self.pooling = pooling

    def compare(self, graphs: GraphBatch, left: Tensor, right: Tensor) -> Compared:
        """Embed both graphs of every pair together, then measure."""
        paired = Paired.of(graphs, left, right)
        both = paired.copies(replace(graphs, x=self.encoder(graphs.x), one_hot_index=None))
        h, crossing = both.x, paired.crossing()
        for number in range(self.layers):
            norm = self.norms[number] if self.norms else None
            h = self.rounds[number % len(self.rounds)](h, both.adjacency, crossing, norm)
        trace = self.pooling.trace(replace(both, x=h))
        distances = torch.stack([euclidean(*vector.chunk(2)) for vector in trace.vectors])
        return Compared(distances.index_select(1, paired.back), trace.losses)
