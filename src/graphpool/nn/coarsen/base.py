"""What poolers share: the call, and for group poolers X' = Sᵀ X and A' = Sᵀ A S."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Generic, TypeVar

from torch import Tensor, nn

from graphpool.errors import ConfigError, InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.coarsen.connect import CONNECTIONS
from graphpool.nn.coarsen.losses import LossInputs, auxiliary_losses, check_weights
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.level import Batch, Edges, Features, Level, read_level
from graphpool.nn.module import Module
from graphpool.nn.ops.formation import form_clusters
from graphpool.nn.ops.products import segment_mm, spmm
from graphpool.typing import Float, Int

PoolerNetwork = TypeVar("PoolerNetwork")


class Pooler(Module, ABC, Generic[PoolerNetwork]):
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
    ) -> PoolerNetwork:
        """Pool every graph of a batch.

        Args:
            x: `[nodes, channels]`, or dense `[graphs, nodes, channels]`; or a `Level` or a
                `GraphBatch`, alone.
            edge_index: `[2, edges]`, or an `Adjacency`; of dense features weights
                `[graphs, nodes, nodes]`.
            batch: `[nodes]`, the graph of each node, sorted; one graph if absent. Of dense
                features a mask `[graphs, nodes]`; all rows are nodes if absent.
            edge_weight: `[edges]`; 1 for every edge if absent.
        """
        level = read_level(x, edge_index, batch, edge_weight)
        if self.in_channels is not None and level.x.shape[-1] != self.in_channels:
            raise InputError(
                f"x has {level.x.shape[-1]} channels; this {type(self).__name__} takes "
                f"in_channels={self.in_channels}"
            )
        return self.pool_level(level)

    @abstractmethod
    def pool_level(self, level: Level) -> PoolerNetwork:
        """Pool every graph of a level."""


class GroupPool(Pooler[PoolOutput]):
    """A pooler whose nodes are shared out among `clusters` clusters.

    A subclass writes `assign`, S of ragged and of dense nodes, and names its losses. With one
    cluster S is a column of ones, whatever is learned: there are no losses, and `assign` is never
    called.

    Args:
        clusters: nodes of the coarse graph; graphs may have fewer nodes.
        losses: weights by names of `losses.LOSSES`; 0 leaves one out.
        connect: how Sᵀ A S becomes the coarse adjacency; see `graphpool.nn.coarsen.connect`.
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
        mask = level.mask
        if mask is not None:
            level = level.with_x(mask.keep(level.x))
        if self.clusters == 1:
            share = level.x.new_ones(*level.x.shape[:-1], 1)
        else:
            share = self.assign(level)
        if mask is not None:
            share = mask.keep(share)
        coarse_x, coarse_adj = form(share, level)
        losses: dict[str, Tensor] = {}
        if self.clusters > 1 and self.weights:
            losses = auxiliary_losses(LossInputs.of(share, coarse_adj, level), self.weights)
        coarse_adj = CONNECTIONS[self.connect](coarse_adj, self.training, None)
        coarse = Level(self.activate(coarse_x), coarse_adj)
        return PoolOutput(coarse, share, losses=losses, node_segments=level.segments)

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
        assert adjacency is not None, "clusters are formed of graphs with an adjacency"
        return assignment.mT @ x, assignment.mT @ (adjacency @ assignment)
    assert segments is not None, "ragged nodes have segments"
    if not adjacency.weight.requires_grad:
        return form_clusters(assignment, x, adjacency, segments, counts)
    # Weights that are learned have gradients, which the compiled products leave out.
    reached = spmm(adjacency, adjacency.weight, assignment)
    return segment_mm(assignment, x, segments), segment_mm(assignment, reached, segments)
