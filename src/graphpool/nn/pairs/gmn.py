"""Graph matching network (Li et al., ICML 2019): embeds nodes with attention to the other graph."""

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.nn.arguments import read_level
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.label_embedding import embed_labels, reset_labels
from graphpool.nn.module import Module, reset
from graphpool.nn.ops.normalise import batch_normalised
from graphpool.nn.ops.products import slot_sum, take_col, take_row
from graphpool.nn.pairs.base import PairDistances, PairModel, euclidean, flat_pooling
from graphpool.nn.pairs.cross_attention import CrossAttention
from graphpool.nn.pairs.layout import PairLayout, repeat_graphs
from graphpool.nn.pairs.score import Score
from graphpool.nn.pool.gated import GatedPool
from graphpool.nn.random import dropout as drop
from graphpool.typing import Float


class Messages(Module):
    """Σ_j A_ij m(h_i, h_j) over the neighbours j of i, m = Linear, ReLU, Linear of [h_i, h_j].

    The first layer splits into a part of i and a part of j, and the second one commutes with the
    sum, so only the ReLU in between is computed for each edge.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.target = nn.Linear(channels, channels)
        self.source = nn.Linear(channels, channels, bias=False)
        self.out = nn.Linear(channels, channels)

    def forward(
        self, h: Float[Tensor, "nodes channels"], adjacency: Adjacency
    ) -> Float[Tensor, "nodes channels"]:
        """Return the sum of the messages to each node."""
        inner = take_row(self.target(h), adjacency) + take_col(self.source(h), adjacency)
        weight = adjacency.weight.to(h.dtype).unsqueeze(-1)
        total, degree = slot_sum(inner.relu() * weight, adjacency), slot_sum(weight, adjacency)
        return total @ self.out.weight.t() + degree * self.out.bias


class Propagation(Module):
    """One round: h_i ← GRU([Σ_j m_ij, μ_i], h_i), with μ_i the difference to the other graph.

    μ_i = Σ_j a_ij (h_i - h_j) over the nodes j of the other graph, a_ij = softmax_j(h_i · h_j).
    The input of the GRU has dropout while training.
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
        attention: CrossAttention,
        norm: nn.BatchNorm1d | None = None,
    ) -> Float[Tensor, "nodes channels"]:
        """Return the new states of the nodes of both graphs; `norm` normalises the GRU input."""
        inputs = torch.cat([self.messages(h, adjacency), h - attention.attend(h)], -1)
        if norm is not None:
            inputs = batch_normalised(norm, inputs)
        if self.dropout:
            inputs = drop(inputs, self.dropout, self.training)
        return self.update(inputs, h)  # type: ignore[no-any-return]


class GMN(PairModel):
    """GMN: node encoder, rounds of `Propagation` over both graphs, pooling, Euclidean distance.

    The vectors of a graph depend on its partner, so a graph is embedded once for each pair.

    Deviations from the source: the pooling is `GatedPool`, with tanh and without a layer after
    the sum; edges have weights, which multiply their messages, and no features.

    Args:
        hidden_channels: number of channels of the node states.
        layers: number of rounds; five in the source.
        pooling: readout of the graphs, level by level: a `Hierarchy` without an encoder before the
            first coarsening. With HAP's coarsenings it is GMN-HAP. By default the gated sum.
        shared: whether all rounds share their weights, as in the source.
        norm: `"batch"` normalises the input of the GRU over the nodes of a batch, with separate
            statistics for each round; the source has none.
        dropout: dropout of `Propagation`.
        score: maps distances to scores.
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
        self.in_channels, self.layers = in_channels, layers
        self.rounds = nn.ModuleList(
            Propagation(hidden_channels, dropout) for _ in range(1 if shared else layers)
        )
        # Even rounds that share their weights have states of different size.
        self.norms = nn.ModuleList(
            nn.BatchNorm1d(2 * hidden_channels) for _ in range(layers if norm == "batch" else 0)
        )
        self.pooling = pooling

    def reset_parameters(self) -> None:
        """Draw the initial weights again, those of the pooling first, as when it was made."""
        reset(self.pooling)
        for part in (self.score, self.encoder, self.rounds, self.norms):
            reset(part)
        reset_labels(self)

    def compare(self, graphs: GraphBatch, left: Tensor, right: Tensor) -> PairDistances:
        """Embed both graphs of every pair together, and return their distances."""
        layout = PairLayout.of(graphs, left, right)
        graphs = embed_labels(self, graphs)
        encoded = graphs.with_x(self.encoder(read_level(graphs, module=self).x))
        both = repeat_graphs(encoded, layout.graphs)
        h, attention = both.x, CrossAttention(layout.sizes, graphs.x.device)
        for number in range(self.layers):
            norm = self.norms[number] if self.norms else None
            h = self.rounds[number % len(self.rounds)](h, both.adjacency, attention, norm)
        trace = self.pooling.trace(both.with_x(h))
        distances = torch.stack([euclidean(*vector.chunk(2)) for vector in trace.vectors])
        return PairDistances(distances.index_select(1, layout.back), trace.losses)
