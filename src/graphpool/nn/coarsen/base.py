"""What poolers share: the call, and for group poolers to assign, form and connect.

Form: X' = Sᵀ X and A' = Sᵀ A S. Connect: from A' to the adjacency that the next level's encoder
sees; `CONNECTIONS` has the ways by name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Generic, TypeVar

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError, InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.checks import trusted
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.nn.arguments import Batch, Edges, Features, read_level
from graphpool.nn.coarsen.losses import auxiliary_losses, check_weights
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.level import Level
from graphpool.nn.module import Module
from graphpool.nn.ops.formation import form_clusters
from graphpool.nn.ops.normalise import normalise
from graphpool.nn.ops.products import segment_mm, spmm
from graphpool.nn.random import uniform_like
from graphpool.typing import Float, Int

Pooled = TypeVar("Pooled")
# Of the paper's soft sampling.
TEMPERATURE = 0.1


class Pooler(Module, ABC, Generic[Pooled]):
    """A pooler: called with a `Level`, or as PyTorch Geometric's modules are called.

    A pooler writes `pool_level`. Where it sets `in_channels`, features of another width are an
    error.
    """

    in_channels: int | None = None

    def forward(
        self,
        x: Features,
        edge_index: Edges = None,
        batch: Batch = None,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | EdgeFeatures | None = None,
    ) -> Pooled:
        """Pool every graph of a batch.

        Args:
            x: `[nodes, channels]`, or dense `[graphs, nodes, channels]`; or a `Level` or a
                `GraphBatch`, alone.
            edge_index: `[2, edges]`, or an `Adjacency`; of dense features weights
                `[graphs, nodes, nodes]`.
            batch: `[nodes]`, the graph of each node, sorted; one graph if absent. Of dense
                features a mask `[graphs, nodes]`; all rows are nodes if absent.
            edge_weight: `[edges]`; 1 for every edge if absent.
            edge_attr: `[edges, edge_channels]`, features of edges, which those of coarse edges are
                made of; of dense features `[graphs, nodes, nodes, edge_channels]`.
        """
        return self.pool_level(read_level(x, edge_index, batch, edge_weight, self, edge_attr))

    @abstractmethod
    def pool_level(self, level: Level) -> Pooled:
        """Pool every graph of a level."""

    def coarse_edge_channels(self, channels: int) -> int:
        """How many features coarse edges have, made of so many of edges; by default none."""
        return 0


class GroupPool(Pooler[PoolOutput]):
    """A pooler whose nodes are shared out among `clusters` clusters.

    A subclass writes `assign`, S of ragged and of dense nodes, and names its losses. With one
    cluster S is a column of ones, whatever is learned: there are no losses, and `assign` is never
    called.

    Args:
        clusters: nodes of the coarse graph; graphs may have fewer nodes.
        losses: weights by names of `losses.LOSSES`; 0 leaves one out.
        connect: how Sᵀ A S becomes the coarse adjacency; a name of `CONNECTIONS`.
    """

    shown: ClassVar[tuple[str, ...]] = ("clusters", "weights")

    def __init__(self, clusters: int, losses: Mapping[str, float], connect: str) -> None:
        super().__init__()
        if clusters < 1:
            raise ConfigError(f"clusters is {clusters}; a coarse graph needs at least 1")
        self.clusters, self.connect = clusters, connect
        self.weights = check_weights(losses)

    def pool_level(self, level: Level) -> PoolOutput:
        """Assign, form, connect."""
        if level.mask is not None:
            level = level.with_x(level.keep(level.x))
        if self.clusters == 1:
            share = level.x.new_ones(*level.x.shape[:-1], 1)
        else:
            share = self.assign(level)
        share = level.keep(share)
        coarse_x, coarse_adj = form(share, level)
        edges = coarse_edges(share, level, coarse_adj)
        wanted = self.weights and self.clusters > 1
        losses = auxiliary_losses(self.weights, share, coarse_adj, level) if wanted else {}
        coarse_adj = CONNECTIONS[self.connect](coarse_adj, self.training, None)
        x = self.activate(coarse_x)
        coarse = trusted(Level, x=x, adjacency=coarse_adj, edges=edges)
        return PoolOutput(coarse, share, losses=losses, node_segments=level.segments)

    def coarse_edge_channels(self, channels: int) -> int:
        """How many edges there are, and a mean of every feature."""
        return channels + 1

    @abstractmethod
    def assign(self, level: Level) -> Tensor:
        """S, `[..., clusters]`, whose rows sum to one.

        Dense rows that are no nodes have zeros in the features and in the adjacency.
        """

    def activate(self, coarse_x: Tensor) -> Tensor:
        """X' from Sᵀ X: the same, unless a method does more."""
        return coarse_x


class PerceptronPool(GroupPool):
    """S = softmax MLP(X), and A' = Sᵀ A S without its diagonal, normalised: MinCutPool and DMoN.

    Args:
        losses: weights by names of `losses.LOSSES`; 0 leaves one out.
        hidden: channels of the perceptron's hidden layer with ReLU; 0: none, a linear map.
    """

    def __init__(
        self, in_channels: int, clusters: int, losses: Mapping[str, float], hidden: int
    ) -> None:
        super().__init__(clusters, losses, connect="offdiagonal")
        if hidden < 0:
            raise ConfigError(f"hidden is {hidden}; give the channels of the layer, or 0 for none")
        self.in_channels = in_channels
        self.scores = _perceptron(in_channels, hidden, clusters) if clusters > 1 else None

    def assign(self, level: Level) -> Tensor:
        """softmax MLP(X): edges count through the losses and through what X is made of."""
        assert self.scores is not None, "one cluster takes no scores"
        scores: Tensor = self.scores(level.x)
        return scores.softmax(-1)


def _perceptron(in_channels: int, hidden: int, out_channels: int) -> nn.Sequential:
    if not hidden:
        return nn.Sequential(nn.Linear(in_channels, out_channels))
    return nn.Sequential(nn.Linear(in_channels, hidden), nn.ReLU(), nn.Linear(hidden, out_channels))


def form(
    assignment: Float[Tensor, "*nodes clusters"],
    level: Level,
    counts: Int[Tensor, " graphs"] | None = None,
) -> tuple[Float[Tensor, "graphs clusters channels"], Float[Tensor, "graphs clusters clusters"]]:
    """X' = Sᵀ X and A' = Sᵀ A S of a level; see `form_clusters` for `counts`."""
    x, adjacency, segments = level.x, level.adjacency, level.segments
    if not isinstance(adjacency, Adjacency):
        if adjacency is None:
            raise InputError("clusters are formed of graphs with edges; give a dense adjacency")
        return assignment.mT @ x, assignment.mT @ (adjacency @ assignment)
    assert segments is not None, "ragged nodes have segments"
    if not adjacency.weight.requires_grad:
        return form_clusters(assignment, x, adjacency, segments, counts)
    # Weights that are learned have gradients, which the compiled products leave out.
    reached = spmm(adjacency, adjacency.weight, assignment)
    return segment_mm(assignment, x, segments), segment_mm(assignment, reached, segments)


def coarse_edges(
    assignment: Float[Tensor, "*nodes clusters"],
    level: Level,
    coarse_adj: Float[Tensor, "graphs clusters clusters"],
) -> Float[Tensor, "graphs clusters clusters features"] | None:
    """Features of coarse edges: log(1 + A'), and Sᵀ (A ⊙ E_c) S / (1 + A') of every feature c.

    The second is the mean feature of the edges that a coarse edge stands for, less where these
    are few: it needs no limit at A' = 0. A negative A' counts as 0.
    """
    edges, adjacency, segments = level.edges, level.adjacency, level.segments
    if edges is None:
        return None
    if isinstance(edges, Tensor):
        assert isinstance(adjacency, Tensor), "a dense level has a dense adjacency"
        weighted = (edges * adjacency.unsqueeze(-1)).movedim(-1, 1)
        totals = assignment.mT.unsqueeze(1) @ weighted @ assignment.unsqueeze(1)
        total = totals.movedim(1, -1)
    else:
        assert isinstance(adjacency, Adjacency), "a ragged level has an Adjacency"
        values = edges.rows() * adjacency.weight.unsqueeze(-1)
        columns = [segment_mm(assignment, spmm(adjacency, value, assignment), segments)
                   for value in values.t().contiguous()]  # fmt: skip
        total = torch.stack(columns, -1)
    count = coarse_adj.clamp(min=0).unsqueeze(-1)
    return torch.cat([count.log1p(), total / (1 + count)], -1)


def coarse_edge_channels(pooler: object, channels: int) -> int:
    """Features of the coarse edges that a pooler makes of edges with so many; 0 without any."""
    after = getattr(pooler, "coarse_edge_channels", None)
    return after(channels) if channels and after is not None else 0


def gumbel(adj: Tensor, training: bool, mask: Tensor | None = None) -> Tensor:
    """The paper's soft sampling: softmax_j((log A'_ij + g_ij) / 0.1); `connect="gumbel"`.

    Where clusters are parts of a graph it switches the coarse graph off: the diagonal of A' (edges
    inside a cluster) dominates every row, and a softmax of log A' at temperature 0.1 is the
    row-normalised tenth power of A', the identity.

    Deviations from the paper: it samples from A' (the equation prints A); the logarithm is
    clamped where A' is 0; the Gumbel noise g is drawn only while training. Rows sum to one, so
    the result is a directed graph.
    """
    if adj.shape[-1] == 1:
        return torch.ones_like(adj)
    logits = _sampling_logits(adj, training)
    return logits.softmax(-1) if mask is None else _softmax_among(logits, _pairs(mask))


def offdiagonal(adj: Tensor, training: bool, mask: Tensor | None = None) -> Tensor:
    """Zero diagonal, then D^-½ A' D^-½: only edges between clusters; `connect="offdiagonal"`."""
    if adj.shape[-1] == 1:
        return torch.zeros_like(adj)
    return normalise(adj, keep=0.0, floor=1e-6)


def offdiagonal_gumbel(adj: Tensor, training: bool, mask: Tensor | None = None) -> Tensor:
    """Soft sampling among the other clusters only; `connect="offdiagonal-gumbel"`."""
    if adj.shape[-1] == 1:
        return torch.zeros_like(adj)
    others = ~torch.eye(adj.shape[-1], dtype=torch.bool, device=adj.device)
    allowed = others.expand_as(adj) if mask is None else others & _pairs(mask)
    return _softmax_among(_sampling_logits(adj, training), allowed)


def plain(adj: Tensor, training: bool, mask: Tensor | None = None) -> Tensor:
    """A' itself; `connect="plain"`."""
    return adj


def _sampling_logits(adj: Tensor, training: bool) -> Tensor:
    """(log A' + g) / 0.1, with Gumbel noise g while training."""
    logits = adj.clamp(min=1e-12).log()
    if training:
        uniform = uniform_like(logits).clamp(min=1e-20)
        logits = logits - (-uniform.log()).clamp(min=1e-20).log()
    return logits / TEMPERATURE


def _pairs(mask: Tensor) -> Tensor:
    """Pairs of clusters that a graph has, `[graphs, clusters, clusters]`."""
    return mask.unsqueeze(-1) & mask.unsqueeze(-2)


def _softmax_among(logits: Tensor, allowed: Tensor) -> Tensor:
    """Row softmax over the allowed entries; a row without any is zero."""
    # Not -inf: a row of nothing else would be NaN.
    share = logits.masked_fill(~allowed, torch.finfo(logits.dtype).min).softmax(-1)
    return share * allowed.to(share.dtype)


# Each takes A', whether the model trains, and `mask` `[graphs, clusters]` where graphs differ in
# their number of clusters: A' is zero outside of it, and so is the result.
CONNECTIONS: dict[str, Callable[[Tensor, bool, Tensor | None], Tensor]] = {
    "offdiagonal": offdiagonal,
    "gumbel": gumbel,
    "offdiagonal-gumbel": offdiagonal_gumbel,
    "plain": plain,
}
