"""`Level`: the graphs that an encoder, a pooler or a readout works on.

A level is *ragged* (nodes of all graphs in one flat tensor, a sparse `Adjacency`, and `Segments`
that say where each graph begins) or *dense* (`[graphs, clusters, channels]` with an adjacency
`[graphs, clusters, clusters]`, and a `ClusterMask` where graphs differ in their clusters).
`read_level` makes one of the arguments that PyTorch Geometric's modules take, and checks them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor, nn

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
        place_source: finds the places of these graphs; by default `places` finds them from the
            adjacency.
    """

    x: Tensor
    adjacency: Adjacency | Tensor | None = None
    segments: Segments | None = None
    mask: ClusterMask | None = None
    one_hot_index: Tensor | None = None
    place_source: Callable[[PlaceRule], Places] | None = field(default=None, repr=False)

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
            place_source=batch.places,
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


Features = Tensor | Level | GraphBatch
Edges = Tensor | Adjacency | None
Batch = Tensor | Segments | ClusterMask | None


def read_level(
    x: Features,
    edge_index: Edges = None,
    batch: Batch = None,
    edge_weight: Tensor | None = None,
    module: object = None,
) -> Level:
    """Make a `Level` of a module's arguments, and check them.

    A `Level` or a `GraphBatch` is taken as it is. So are an `Adjacency`, `Segments` and a
    `ClusterMask`, which checked themselves when they were made.

    Args:
        x: `[nodes, channels]`, or dense `[graphs, nodes, channels]`; a `Level` or `GraphBatch`
            stands for all arguments.
        edge_index: `[2, edges]`, source and target of every edge, or an `Adjacency`; of dense
            features weights `[graphs, nodes, nodes]`. `None`: no edges.
        batch: `[nodes]`, the graph of each node, sorted, or `Segments`; one graph if absent. Of
            dense features a mask `[graphs, nodes]` or `ClusterMask`; all rows are nodes if absent.
        edge_weight: `[edges]`; 1 for every edge if absent.
        module: whose arguments they are; where it has `in_channels`, so must the features.
    """
    if not isinstance(x, Level | GraphBatch):
        level = _level(x, edge_index, batch, edge_weight)
    elif edge_index is not None or batch is not None or edge_weight is not None:
        raise InputError(f"a {type(x).__name__} holds its edges and batch; give it alone")
    else:
        level = x if isinstance(x, Level) else Level.from_batch(x)
    expected = getattr(module, "in_channels", None)
    if expected is not None and level.x.shape[-1] != expected:
        raise InputError(
            f"x has {level.x.shape[-1]} channels; this {type(module).__name__} takes "
            f"in_channels={expected}"
        )
    if isinstance(module, nn.Module):
        _check_weights(level.x, module)
        if isinstance(level.adjacency, Adjacency) and level.adjacency.weight.dtype != level.x.dtype:
            raise InputError(
                f"the adjacency has weights of {level.adjacency.weight.dtype}, x is "
                f"{level.x.dtype}; bring them to one type"
            )
    return level


def _check_weights(x: Tensor, module: nn.Module) -> None:
    """Refuse features of another type or on another device than the weights of a module."""
    weight = next(module.parameters(), None)
    if weight is None or (weight.dtype == x.dtype and weight.device == x.device):
        return
    if weight.device != x.device or not torch.is_autocast_enabled(x.device.type):
        raise InputError(
            f"x is {x.dtype} on {x.device}, the weights of this {type(module).__name__} are "
            f"{weight.dtype} on {weight.device}; bring them to one type and device"
        )


def _level(x: Tensor, edge_index: Edges, batch: Batch, edge_weight: Tensor | None) -> Level:
    if not isinstance(x, Tensor):
        raise InputError(f"x is a {type(x).__name__}; give a tensor [nodes, channels]")
    if not x.is_floating_point():
        raise InputError(f"x has dtype {x.dtype}; give floating point features, such as x.float()")
    if x.ndim == 3:
        if edge_weight is not None:
            raise InputError("a dense adjacency holds its weights; leave out edge_weight")
        if isinstance(batch, Tensor) and batch.dtype == torch.bool:
            batch = ClusterMask(batch)
        if batch is not None and not isinstance(batch, ClusterMask):
            raise InputError(
                f"features {tuple(x.shape)} are dense and take ClusterMask or a boolean mask "
                "[graphs, nodes] as batch"
            )
        if edge_index is not None and not isinstance(edge_index, Tensor):
            raise InputError("dense features need a dense adjacency [graphs, nodes, nodes]")
        return Level(x, edge_index, None, batch)
    if x.ndim != 2 or not x.shape[0]:
        raise InputError(f"x has shape {tuple(x.shape)}; give [nodes, channels] with some nodes")
    segments = _segments(x, batch)
    _check_layout("x", x)
    adjacency = _adjacency(x, edge_index, edge_weight, segments, batch)
    return trusted(Level, x=x, adjacency=adjacency, segments=segments)


def _segments(x: Tensor, batch: Batch) -> Segments:
    if isinstance(batch, Segments):
        if int(batch.ptr[-1]) != x.shape[0] or batch.ptr.device != x.device:
            raise InputError(
                f"Segments of {int(batch.ptr[-1])} nodes on {batch.ptr.device} for {x.shape[0]} "
                f"nodes on {x.device}"
            )
        if int(batch.ptr.diff().min()) < 1:
            raise InputError("the segments have a graph without nodes; leave that graph out")
        return batch
    if batch is None:
        return Segments.trusted(torch.tensor([0, x.shape[0]], device=x.device))
    if isinstance(batch, ClusterMask):
        raise InputError(
            f"features {tuple(x.shape)} are ragged and need a batch vector or Segments, "
            "not ClusterMask"
        )
    _check_index("batch", batch, x)
    if batch.shape != (x.shape[0],):
        raise InputError(
            f"batch has shape {tuple(batch.shape)} for {x.shape[0]} nodes; give one graph a node"
        )
    batch = batch.long()
    step = batch.diff(prepend=batch[:1])
    if int(batch[0]) or bool(((step < 0) | (step > 1)).any()):
        raise InputError(
            "batch must be sorted and number the graphs 0, 1, 2, …, as PyTorch Geometric's batches "
            "do; sort the nodes by graph, and leave out graphs without nodes"
        )
    return Segments.from_batch(batch)


def _adjacency(
    x: Tensor, edge_index: Edges, edge_weight: Tensor | None, segments: Segments, batch: Batch
) -> Adjacency:
    nodes = x.shape[0]
    if isinstance(edge_index, Adjacency):
        if edge_weight is not None:
            raise InputError("an Adjacency holds its weights; leave out edge_weight")
        if edge_index.num_nodes != nodes:
            raise InputError(f"an adjacency of {edge_index.num_nodes} nodes for {nodes} nodes")
        check_inside(edge_index, segments)
        return edge_index
    if edge_index is None:
        if edge_weight is not None:
            raise InputError("edge_weight needs edge_index")
        edge_index = torch.zeros(2, 0, dtype=torch.long, device=x.device)
    _check_index("edge_index", edge_index, x)
    if edge_index.ndim != 2 or edge_index.shape[0] != 2:
        raise InputError(f"edge_index has shape {tuple(edge_index.shape)}; give [2, edges]")
    edges = edge_index.shape[1]
    if edge_weight is None:
        edge_weight = x.new_ones(edges)
    else:
        edge_weight = _checked_weight(edge_weight, edges, x)
    if edges and not 0 <= int(edge_index.min()) <= int(edge_index.max()) < nodes:
        raise InputError(
            f"edge_index names nodes {int(edge_index.min())} … {int(edge_index.max())} of {nodes}; "
            f"number them from 0 to {nodes - 1}"
        )
    if batch is not None and edges:
        source, target = segments.batch[edge_index.long()]
        if bool((source != target).any()):
            raise InputError("edge_index joins nodes of different graphs; check batch")
    return Adjacency.from_edge_index(edge_index, nodes, edge_weight)


def _checked_weight(edge_weight: Tensor, edges: int, x: Tensor) -> Tensor:
    if not isinstance(edge_weight, Tensor) or edge_weight.is_complex():
        raise InputError("edge_weight must be a tensor of real numbers, one an edge")
    if edge_weight.shape not in ((edges,), (edges, 1)):
        raise InputError(
            f"edge_weight has shape {tuple(edge_weight.shape)} for {edges} edges; give one an edge"
        )
    if edge_weight.device != x.device:
        raise InputError(f"edge_weight is on {edge_weight.device}, x on {x.device}")
    _check_layout("edge_weight", edge_weight)
    return edge_weight.reshape(edges).to(x.dtype)


def _check_index(name: str, index: Tensor, x: Tensor) -> None:
    if not isinstance(index, Tensor):
        raise InputError(f"{name} is a {type(index).__name__}; give a tensor of integers")
    if index.is_floating_point() or index.is_complex() or index.dtype == torch.bool:
        raise InputError(f"{name} has dtype {index.dtype}; give integers, such as {name}.long()")
    if index.device != x.device:
        raise InputError(f"{name} is on {index.device}, x on {x.device}; move one to the other")
    _check_layout(name, index)


def _check_layout(name: str, value: Tensor) -> None:
    if value.is_meta or value.layout is not torch.strided:
        raise InputError(f"{name} is {value.layout} on {value.device}; give a plain tensor")
