"""`Level`: the graphs that an encoder, a pooler or a readout works on.

A level is *ragged* (nodes of all graphs in one flat tensor, a sparse `Adjacency`, and `Segments`
that say where each graph begins) or *dense* (`[graphs, clusters, channels]` with an adjacency
`[graphs, clusters, clusters]`, and a `ClusterMask` where graphs differ in their clusters).
`graphpool.nn.arguments` makes one of the arguments that PyTorch Geometric's modules take.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from graphpool.errors import InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch, check_inside
from graphpool.graphs.checks import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    check_range,
    check_tensor,
    derived,
    trusted,
)
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.graphs.places.find import Places, places_of
from graphpool.graphs.places.rule import PlaceRule
from graphpool.graphs.segments import Segments
from graphpool.typing import Float, Int


class FlatGraphs(NamedTuple):
    """Graphs as PyTorch Geometric's modules take them, in the order of a pooler's arguments.

    Attributes:
        x: `[nodes, channels]`, node features.
        edge_index: `[2, edges]`, source and target of every edge.
        batch: `[nodes]`, the graph of each node.
        edge_weight: `[edges]`.
    """

    x: Float[Tensor, "nodes channels"]
    edge_index: Int[Tensor, "2 edges"]
    batch: Int[Tensor, " nodes"]
    edge_weight: Float[Tensor, " edges"]


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes or clusters of a batch of graphs, at one level of a hierarchy.

    Args:
        x: features, `[nodes, channels]`, or `[graphs, clusters, channels]` of a dense level.
        adjacency: an `Adjacency`, or `[graphs, clusters, clusters]` of a dense level, where entry
            (i, j) is the weight of the edge from j to i. `None` where no edge is looked at.
        segments: the graphs of a ragged level's nodes; `None` for a dense one.
        mask: the clusters that each graph of a dense level has; `None`: all of them.
        one_hot_index: `[nodes]`, where `x` is one-hot: the column of each node's 1.
        edges: features of edges: `EdgeFeatures`, or `[graphs, clusters, clusters, channels]` of a
            dense level. `None` where there are none, or no layer looks at them.
        place_source: finds the places of these graphs; by default `places` finds them from the
            adjacency.
        real_nodes: of a padded ragged level, `[nodes, 1]`: 0 for the nodes of the padding.
    """

    x: Tensor
    adjacency: Adjacency | Tensor | None = None
    segments: Segments | None = None
    mask: ClusterMask | None = None
    one_hot_index: Tensor | None = None
    edges: EdgeFeatures | Tensor | None = None
    place_source: Callable[[PlaceRule], Places] | None = field(default=None, repr=False)
    real_nodes: Tensor | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.segments is None:
            self._check_dense()
        else:
            self._check_ragged(self.segments)
        if self.place_source is not None and not callable(self.place_source):
            raise InputError("place_source must be a function, such as GraphBatch.places")
        if self.one_hot_index is not None:
            check_tensor("one_hot_index", self.one_hot_index, INTEGERS, self.x.shape[:1])
            check_range("one_hot_index", self.one_hot_index, 0, self.x.shape[-1] - 1)
        if self.edges is not None:
            self._check_edges(self.edges)

    def _check_edges(self, edges: EdgeFeatures | Tensor) -> None:
        if self.segments is None:
            graphs, nodes = self.x.shape[:2]
            check_tensor("edges", edges, FLOATS, (graphs, nodes, nodes, None), self.x.device)
        elif not isinstance(edges, EdgeFeatures) or not isinstance(self.adjacency, Adjacency):
            raise InputError("a ragged level has EdgeFeatures of its Adjacency; see Level")
        else:
            edges.check(self.adjacency.col.shape[0], self.x.device)

    def _check_ragged(self, segments: Segments) -> None:
        if not isinstance(segments, Segments) or self.mask is not None:
            raise InputError("a ragged level has Segments and no mask; see Level")
        check_tensor("x", self.x, FLOATS, (int(segments.ptr[-1]), None), segments.ptr.device)
        if self.adjacency is not None:
            if not isinstance(self.adjacency, Adjacency):
                raise InputError("a ragged level has an Adjacency; see Adjacency.from_edge_index")
            check_inside(self.adjacency, segments)

    def _check_dense(self) -> None:
        check_tensor("x", self.x, FLOATS, (None, None, None))
        shape = tuple(self.x.shape)
        if not shape[0] or not shape[1]:
            raise InputError(f"x has shape {shape}; give [graphs, nodes, channels] with some nodes")
        adjacency, expected = self.adjacency, (shape[0], shape[1], shape[1])
        if adjacency is not None:
            if not isinstance(adjacency, Tensor) or tuple(adjacency.shape) != expected:
                raise InputError(f"dense features {shape} need an adjacency of shape {expected}")
            check_tensor("the adjacency", adjacency, NUMBERS, expected)
            if adjacency.dtype != self.x.dtype or adjacency.device != self.x.device:
                raise InputError(
                    f"the adjacency is {adjacency.dtype} on {adjacency.device}, x is "
                    f"{self.x.dtype} on {self.x.device}; bring them to one type and device"
                )
        if self.mask is not None:
            if not isinstance(self.mask, ClusterMask):
                raise InputError("the mask of a dense level must be a ClusterMask")
            if self.mask.mask.shape != shape[:2] or self.mask.mask.device != self.x.device:
                raise InputError(
                    f"a mask of shape {tuple(self.mask.mask.shape)} on {self.mask.mask.device} for "
                    f"features {shape} on {self.x.device}"
                )
            if isinstance(adjacency, Tensor):  # edges of rows that are no nodes are none
                real = self.mask.mask.unsqueeze(-1) & self.mask.mask.unsqueeze(-2)
                object.__setattr__(self, "adjacency", adjacency.masked_fill(~real, 0.0))

    @classmethod
    def from_batch(cls, batch: GraphBatch) -> "Level":
        """The level of input graphs."""
        if not isinstance(batch, GraphBatch):
            raise InputError(f"the graphs are a {type(batch).__name__}; give GraphSet.batch(...)")
        return trusted(
            cls,
            x=batch.x,
            adjacency=batch.adjacency,
            segments=batch.segments,
            one_hot_index=batch.one_hot_index,
            edges=batch.edges,
            place_source=batch.places,
            real_nodes=batch.real_nodes,
        )

    @property
    def is_dense(self) -> bool:
        """Whether features are `[graphs, clusters, channels]`."""
        return self.segments is None

    @property
    def num_graphs(self) -> int:
        """Number of graphs."""
        return self.x.shape[0] if self.segments is None else self.segments.num_graphs

    def with_x(self, x: Tensor) -> "Level":
        """The same graphs with other features."""
        if not isinstance(x, Tensor) or x.shape[:-1] != self.x.shape[:-1] or x.is_meta:
            raise InputError(f"x must be a tensor of shape {[*self.x.shape[:-1], 'channels']}")
        return derived(self, x=x, one_hot_index=None)

    def without_edge_features(self) -> "Level":
        """The same graphs without features of edges."""
        return self if self.edges is None else derived(self, edges=None)

    @property
    def edge_channels(self) -> int:
        """Channels of the features of edges; 0 without."""
        if self.edges is None:
            return 0
        return self.edges.shape[-1] if isinstance(self.edges, Tensor) else self.edges.channels

    @property
    def normalised_rows(self) -> ClusterMask | Tensor | None:
        """The rows that batch normalisation is over: a mask, `real_nodes`, or None for all."""
        return self.mask if self.real_nodes is None else self.real_nodes

    def keep(self, x: Tensor) -> Tensor:
        """`x` with zeros in the rows of a dense level that are no clusters."""
        return x if self.mask is None else self.mask.keep(x)

    def flat(self) -> tuple[Float[Tensor, "nodes channels"], Segments]:
        """Features of the nodes one graph after the other, and whose they are."""
        if self.segments is not None:
            return self.x, self.segments
        if self.mask is not None:
            return self.mask.compact(self.x), self.mask.segments
        graphs, clusters = self.x.shape[:2]
        return self.x.flatten(0, 1), Segments.equal(graphs, clusters, self.x.device)

    def ragged(self) -> tuple[Tensor, Adjacency, Segments]:
        """Features, adjacency and segments of a ragged level; a dense one is an error."""
        if self.segments is None or not isinstance(self.adjacency, Adjacency):
            raise InputError(
                f"features {tuple(self.x.shape)} are dense; nodes are selected from ragged graphs: "
                "give x [nodes, channels] and edge_index"
            )
        return self.x, self.adjacency, self.segments

    def places(self, rule: PlaceRule) -> Places:
        """The places of the graphs by `rule`."""
        if self.place_source is not None:
            places = self.place_source(rule)
            x, segments = self.flat()
            places.check(x.shape[0], segments.num_graphs)
            return places
        if isinstance(self.adjacency, Adjacency) and self.segments is not None:
            return places_of(self.adjacency, self.segments, rule)
        _, segments = self.flat()
        edge_index, weight = self._dense_edges()
        nodes = segments.batch.shape[0]
        sparse = Adjacency.from_edge_index(edge_index, nodes, weight.detach())
        return places_of(sparse, segments, rule)

    def to_pyg(self) -> FlatGraphs:
        """The graphs as `x`, `edge_index`, `batch` and `edge_weight`.

        `x` and `edge_weight` have gradients. A dense level has an edge for every entry of its
        adjacency that is not 0, those of the diagonal as self-loops.
        """
        x, segments = self.flat()
        if isinstance(self.adjacency, Adjacency):
            present = self.adjacency.present
            edges = torch.stack([self.adjacency.col[present], self.adjacency.row[present]])
            return FlatGraphs(x, edges, segments.batch, self.adjacency.weight[present])
        edges, weight = self._dense_edges()
        return FlatGraphs(x, edges, segments.batch, weight)

    def _dense_edges(self) -> tuple[Tensor, Tensor]:
        """`edge_index` and weights of a dense level over its flat nodes."""
        adj = self.adjacency
        assert isinstance(adj, Tensor), "a dense level has a dense adjacency"
        graph, target, source = adj.nonzero().t()
        weight, width = adj[graph, target, source], adj.shape[-1]
        edges = torch.stack([source, target]) + graph * width
        if self.mask is not None:
            number = edges.new_zeros(adj.shape[0] * width)
            index = self.mask.index
            number[index] = torch.arange(index.shape[0], device=adj.device)
            edges = number[edges]
        return edges, weight
