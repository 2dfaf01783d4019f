"""What a pooler returns, and what a model's forward pass leaves behind."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.ops.cluster_mask import Rows
from graphpool.typing import Bool, Float, Int


@dataclass(frozen=True, eq=False)
class Coarsened:
    """One level of the hierarchy.

    Args:
        x: `[graphs, clusters, channels]`, the paper's H'.
        adj: `[graphs, clusters, clusters]`, the paper's Ã', after `connect`.
        assignment: `[nodes, clusters]` from a ragged level, `[graphs, nodes, clusters]` from a
            dense one: the paper's M.
        segments: the graphs of the ragged level's nodes; `None` for a dense one.
        losses: auxiliary losses by name, each a scalar, already weighted.
        rows: which clusters a graph has, where graphs differ in their number; the others have
            zeros everywhere. `None`: all of them.
    """

    x: Float[Tensor, "graphs clusters channels"]
    adj: Float[Tensor, "graphs clusters clusters"]
    assignment: Float[Tensor, "*nodes clusters"]
    segments: Segments | None = None
    losses: dict[str, Tensor] = field(default_factory=dict)
    rows: Rows | None = None

    @property
    def clusters(self) -> int:
        """Clusters per graph, the paper's N'; with a mask those of the graph with most."""
        return self.adj.shape[-1]

    @cached_property
    def counts(self) -> Int[Tensor, " graphs"]:
        """How many clusters each graph has, `[graphs]`."""
        if self.rows is None:
            return torch.full((self.adj.shape[0],), self.clusters, device=self.adj.device)
        return self.rows.counts

    @property
    def mask(self) -> Bool[Tensor, "graphs clusters"] | None:
        """Which clusters a graph has, `[graphs, clusters]`; `None`: all of them."""
        return None if self.rows is None else self.rows.mask


@dataclass(frozen=True, eq=False)
class Kept:
    """One level of a hierarchy that keeps nodes; it is ragged like the level before it.

    Args:
        x: `[kept, channels]`, features of the kept nodes.
        adjacency: edges among the kept nodes.
        segments: the graphs of the kept nodes; each has at least one.
        index: `[kept]`, the kept nodes among the old ones, in their old order.
        score: `[nodes]`, what the old nodes were ranked by.
        losses: auxiliary losses by name, each a scalar, already weighted.
    """

    x: Float[Tensor, "kept channels"]
    adjacency: Adjacency
    segments: Segments
    index: Int[Tensor, " kept"]
    score: Float[Tensor, " nodes"]
    losses: dict[str, Tensor] = field(default_factory=dict)

    @property
    def counts(self) -> Int[Tensor, " graphs"]:
        """How many nodes each graph has left, `[graphs]`."""
        return self.segments.ptr.diff()


Level = Coarsened | Kept


class Nodes(NamedTuple):
    """The nodes or clusters of a level, as its encoder left them.

    Attributes:
        x: `[nodes, channels]`, or `[graphs, clusters, channels]` of a dense level.
        segments: the graphs of a ragged level's nodes; `None` for a dense one.
        rows: which clusters a dense level's graphs have; `None`: all of them.
        adjacency: of the nodes, or `[graphs, clusters, clusters]` of a dense level.
    """

    x: Tensor
    segments: Segments | None
    rows: Rows | None
    adjacency: Adjacency | Tensor | None = None

    def flat(self) -> tuple[Float[Tensor, "nodes channels"], Segments]:
        """Ragged nodes and their graphs, whatever the level is."""
        if self.segments is not None:
            return self.x, self.segments
        if self.rows is not None:
            return self.rows.compact(self.x), self.rows.segments
        graphs, clusters = self.x.shape[:2]
        return self.x.flatten(0, 1), Segments.equal(graphs, clusters, self.x.device)


@dataclass(frozen=True, eq=False)
class Trace:
    """Everything that one forward pass of a model made.

    Args:
        logits: `[graphs, classes]`; without a head no classes.
        embedding: `[graphs, channels]`, the graph vectors h_G.
        levels: one `Coarsened` or `Kept` per pooling module.
        losses: all auxiliary losses, named `level1/…` and so on.
        vectors: one `[graphs, channels]` for each level that is read out, nodes first; the
            embedding is their concatenation.
        nodes: those of every level, as its encoder left them; not of a last single cluster.
    """

    logits: Float[Tensor, "graphs classes"]
    embedding: Float[Tensor, "graphs channels"]
    levels: tuple[Level, ...] = ()
    losses: dict[str, Tensor] = field(default_factory=dict)
    vectors: tuple[Tensor, ...] = ()
    nodes: tuple[Nodes, ...] = ()
