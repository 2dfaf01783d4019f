"""What a pooler returns, and what a model's forward pass leaves behind."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.checks import trusted
from graphpool.graphs.places.find import Places
from graphpool.graphs.segments import Segments
from graphpool.nn.level import FlatGraphs, Level
from graphpool.typing import Bool, Float, Int


@dataclass(frozen=True, eq=False)
class NodeSelection:
    """The nodes that a Top-K pooler selects.

    Args:
        index: `[selected]`, their positions among the pooled nodes, ascending.
        score: `[nodes]`, what the pooled nodes were ranked by.
    """

    index: Int[Tensor, " selected"]
    score: Float[Tensor, " nodes"]


@dataclass(frozen=True, eq=False)
class PoolOutput:
    """The coarse graphs that a group or a Top-K pooler makes of a level.

    `to_pyg` gives them as PyTorch Geometric's modules take them.

    Args:
        level: the coarse graphs: dense for group poolers, ragged for Top-K poolers.
        assignment: of group poolers, the paper's M: `[nodes, clusters]` from a ragged level,
            `[graphs, nodes, clusters]` from a dense one.
        selection: of Top-K poolers, the nodes that remain.
        losses: auxiliary losses by name, each a scalar, already weighted.
        node_segments: the graphs of the nodes that were pooled; `None` for a dense level.
    """

    level: Level
    assignment: Float[Tensor, "*nodes clusters"] | None = None
    selection: NodeSelection | None = None
    losses: dict[str, Tensor] = field(default_factory=dict)
    node_segments: Segments | None = None

    @property
    def x(self) -> Tensor:
        """Features: `[graphs, clusters, channels]` (the paper's H'), or `[nodes, channels]`."""
        return self.level.x

    @property
    def adjacency(self) -> Adjacency | Tensor:
        """The coarse graph: `[graphs, clusters, clusters]` (the paper's Ã'), or an `Adjacency`."""
        assert self.level.adjacency is not None, "coarse graphs have an adjacency"
        return self.level.adjacency

    @property
    def adj(self) -> Float[Tensor, "graphs clusters clusters"]:
        """The adjacency of a dense level."""
        assert isinstance(self.level.adjacency, Tensor), "a ragged level has a sparse adjacency"
        return self.level.adjacency

    @property
    def batch(self) -> Int[Tensor, " nodes"]:
        """The graph of each coarse node, in the order of `to_pyg`."""
        return self.level.flat()[1].batch

    @property
    def mask(self) -> Bool[Tensor, "graphs clusters"] | None:
        """Which clusters a graph has, `[graphs, clusters]`; `None`: all of them."""
        return None if self.level.mask is None else self.level.mask.mask

    @property
    def clusters(self) -> int:
        """Clusters per graph, the paper's N'; with a mask those of the graph with most."""
        return self.adj.shape[-1]

    @cached_property
    def counts(self) -> Int[Tensor, " graphs"]:
        """How many clusters or selected nodes each graph has, `[graphs]`."""
        if self.level.segments is not None:
            return self.level.segments.ptr.diff()
        if self.level.mask is not None:
            return self.level.mask.counts
        return torch.full((self.level.num_graphs,), self.clusters, device=self.x.device)

    def to_pyg(self) -> FlatGraphs:
        """The coarse graphs as `x`, `edge_index`, `batch` and `edge_weight`; see `Level.to_pyg`."""
        return self.level.to_pyg()


class PlaceOutput(PoolOutput):
    """The coarse graphs of hard places: ragged, however many places a graph has.

    What is dense, `assignment` and `adj`, is made when it is asked for.
    """

    find_places: Callable[[], Places]
    single: bool

    @classmethod
    def of(
        cls,
        level: Level,
        node_segments: Segments,
        find_places: Callable[[], Places],
        single: bool = False,
    ) -> "PlaceOutput":
        """Make the output of a ragged level of places.

        Args:
            node_segments: the graphs of the nodes that the places consist of.
            find_places: returns the places.
            single: whether each graph is one place.
        """
        given = {"level": level, "node_segments": node_segments, "find_places": find_places}
        return trusted(cls, selection=None, losses={}, single=single, **given)

    @cached_property
    def places(self) -> Places:
        """The place of each node, and how many places each graph has."""
        return self.find_places()

    @property
    def assignment(self) -> Float[Tensor, "nodes clusters"]:
        """M, `[nodes, clusters]`, of 0 and 1."""
        return self.places.share

    @property
    def adj(self) -> Float[Tensor, "graphs clusters clusters"]:
        """The coarse graphs as dense matrices; the places that a graph has not are zeros."""
        adjacency, segments = self.level.adjacency, self.level.segments
        assert isinstance(adjacency, Adjacency), "places are ragged"
        assert segments is not None, "places are ragged"
        graph, first = segments.batch[adjacency.row], segments.ptr[segments.batch[adjacency.row]]
        full = adjacency.weight.new_zeros(segments.num_graphs, self.clusters, self.clusters)
        where = graph, adjacency.row - first, adjacency.col - first
        return full.index_put_(where, adjacency.weight, accumulate=True)

    @property
    def clusters(self) -> int:
        """Places of the graph with most."""
        return self.places.width


@dataclass(frozen=True, eq=False)
class Trace:
    """Everything that one forward pass of a model made.

    Args:
        logits: `[graphs, classes]`; without a head no classes.
        embedding: `[graphs, channels]`, the graph vectors h_G.
        levels: one `PoolOutput` per pooling module.
        losses: all auxiliary losses, named `level1/…` and so on.
        vectors: one `[graphs, channels]` for each level that is read out, nodes first; the
            embedding is their concatenation.
        nodes: every `Level`, with the features that its encoder gave; not a last single cluster.
    """

    logits: Float[Tensor, "graphs classes"]
    embedding: Float[Tensor, "graphs channels"]
    levels: tuple[PoolOutput, ...] = ()
    losses: dict[str, Tensor] = field(default_factory=dict)
    vectors: tuple[Tensor, ...] = ()
    nodes: tuple[Level, ...] = ()
