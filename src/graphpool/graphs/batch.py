"""A batch: several graphs as one large graph with no edges between them."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from graphpool.errors import InputError, check_type
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.checks import FLOATS, INTEGERS, NUMBERS, check_range, check_tensor, derived
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.graphs.places.find import Places, places_of
from graphpool.graphs.places.rule import PlaceRule
from graphpool.graphs.segments import Groups, Segments


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """Concatenated graphs: flat nodes, one adjacency, and where each graph begins.

    Args:
        x: `[nodes, channels]` node features.
        adjacency: the edges of all graphs, in CSR order.
        batch: `[nodes]`, the graph of each node (0 … num_graphs - 1).
        ptr: `[num_graphs + 1]`, where each graph's nodes begin.
        index: `[num_graphs]`, the positions of the graphs in the set they were taken from.
        y: `[num_graphs]` classes, if known.
        target: `[num_graphs, targets]` numbers to predict, NaN where unknown.
        graph_weight: `[num_graphs]`, how much each graph counts in the loss.
        edge_label: `[edges]`, `edge_attr`: `[edges, channels]`; in the order of `edge_index`.
        one_hot_index: `[nodes]`, if `x` is one-hot: the column that holds each node's 1.
        node: `[nodes]`, the positions of the nodes in the set they were taken from.
        places_of_set: the places of that set under a rule.
        coarse_of_set: the coarse graphs of these graphs, from that set.
        edges: features of edges, which networks read.
        real_nodes: `[nodes, 1]`, of a padded batch: 1 for its nodes and 0 for those of the padding,
            which batch normalisation leaves out.
    """

    x: Tensor
    adjacency: Adjacency
    batch: Tensor
    ptr: Tensor
    index: Tensor
    y: Tensor | None = None
    target: Tensor | None = None
    graph_weight: Tensor | None = None
    edge_label: Tensor | None = None
    edge_attr: Tensor | None = None
    one_hot_index: Tensor | None = None
    node: Tensor | None = None
    places_of_set: Callable[[PlaceRule], Places] | None = field(default=None, repr=False)
    edges: EdgeFeatures | None = None
    coarse_of_set: Callable[[PlaceRule], "GraphBatch"] | None = field(default=None, repr=False)
    real_nodes: Tensor | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.adjacency, Adjacency):
            raise InputError(f"adjacency is a {type(self.adjacency).__name__}, not an Adjacency")
        nodes = self.adjacency.num_nodes
        check_tensor("x", self.x, FLOATS, (nodes, None), self.adjacency.col.device)
        check_inside(self.adjacency, Segments(self.ptr, self.batch))
        graphs, edges = self.num_graphs, self.edge_index.shape[1]
        lengths = {"index": graphs, "y": graphs, "one_hot_index": nodes, "node": nodes}
        for name, length in {**lengths, "edge_label": edges}.items():
            if (value := getattr(self, name)) is not None or name == "index":
                check_tensor(name, value, INTEGERS, (length,), self.x.device)
        if self.edge_attr is not None:
            check_tensor("edge_attr", self.edge_attr, NUMBERS, (edges, None), self.x.device)
        if self.target is not None:
            check_tensor("target", self.target, FLOATS, (graphs, None), self.x.device)
        if self.graph_weight is not None:
            check_tensor("graph_weight", self.graph_weight, FLOATS, (graphs,), self.x.device)
        if self.real_nodes is not None:
            check_tensor("real_nodes", self.real_nodes, FLOATS, (nodes, 1), self.x.device)
        if self.edges is not None:
            check_type("edges", self.edges, EdgeFeatures, "EdgeFeatures(table, kind)")
            self.edges.check(self.adjacency.col.shape[0], self.x.device)
        if self.places_of_set is not None and not callable(self.places_of_set):
            raise InputError("places_of_set must be a function, such as GraphSet.places")
        if self.coarse_of_set is not None and not callable(self.coarse_of_set):
            raise InputError("coarse_of_set must be a function; GraphSet.batch gives one")
        if self.one_hot_index is not None:
            check_range("one_hot_index", self.one_hot_index, 0, self.x.shape[1] - 1)

    def __repr__(self) -> str:
        features, edges = self.x.shape[1], self.edge_index.shape[1]
        return (
            f"GraphBatch(graphs={self.num_graphs}, nodes={self.num_nodes}, edges={edges}, "
            f"features={features}, device={str(self.x.device)!r})"
        )

    @property
    def num_graphs(self) -> int:
        """Number of graphs."""
        return self.ptr.shape[0] - 1

    @property
    def num_nodes(self) -> int:
        """Number of nodes of all graphs together."""
        return self.x.shape[0]

    @property
    def graphs(self) -> "GraphBatch":
        """The batch itself; in batches of pairs and triplets, the graphs that they contain."""
        return self

    def examples_of(self, flags: Tensor) -> Tensor:
        """Return which examples contain a flagged graph, `[num_graphs]`: here each graph is one."""
        return flags

    @cached_property
    def segments(self) -> Segments:
        """Where each graph's nodes begin and end."""
        return Segments.trusted(self.ptr, self.batch)

    @cached_property
    def edge_index(self) -> Tensor:
        """`[2, edges]`, source and target of every edge, as PyG writes it."""
        present = self.adjacency.present
        return torch.stack([self.adjacency.col[present], self.adjacency.row[present]])

    @cached_property
    def edge_weight(self) -> Tensor:
        """`[edges]`, in the order of `edge_index`."""
        return self.adjacency.weight[self.adjacency.present]

    def with_x(self, x: Tensor) -> "GraphBatch":
        """The same graphs with other features."""
        check_tensor("x", x, FLOATS, (self.num_nodes, None), self.x.device)
        return derived(self, x=x, one_hot_index=None)

    def to(self, device: torch.device | str) -> "GraphBatch":
        """Copy to a device."""
        moved: dict[str, Any] = {
            item.name: value.to(device)
            for item in fields(self)
            if (value := getattr(self, item.name)) is not None and hasattr(value, "to")
        }
        return derived(self, **moved)

    def places(self, rule: PlaceRule | None = None) -> Places:
        """The places of the batch's graphs: those of the set it was taken from, if it was.

        They are worked out once and kept with the batch.
        """
        rule = PlaceRule() if rule is None else rule
        if rule not in self._places:
            if self.places_of_set is None or self.node is None:
                places = places_of(self.adjacency, self.segments, rule)
            else:
                of_set = self.places_of_set(rule)
                device = of_set.cluster.device
                where = self.node.to(device), self.index.to(device), self.ptr.to(device)
                try:
                    places = of_set.batch(*where).to(self.x.device)
                except IndexError:
                    raise InputError("node and index are no positions in the set") from None
            self._places[rule] = places
        return self._places[rule]

    def coarse(self, rule: PlaceRule | None = None) -> "GraphBatch":
        """The coarse graphs of the batch's graphs, whose nodes are their places, in order.

        They are taken from those of the set that the batch was taken from, if it was; see
        `GraphSet.coarse`.
        """
        rule = PlaceRule() if rule is None else rule
        if self.coarse_of_set is not None:
            coarse = self.coarse_of_set(rule)
            return coarse if coarse.x.device == self.x.device else coarse.to(self.x.device)
        from graphpool.graphs.coarse import coarse_batch

        return coarse_batch(self, self.places(rule))

    def members(self, rule: PlaceRule, coarse: "GraphBatch") -> Groups:
        """The nodes of each place: of each node of `coarse`, which is `self.coarse(rule)`."""
        return Groups.of(self.place_of_nodes(rule, coarse), coarse.num_nodes)

    def place_of_nodes(self, rule: PlaceRule, coarse: "GraphBatch") -> Tensor:
        """The node of `coarse`, which is `self.coarse(rule)`, that each node belongs to."""
        if self.places_of_set is None or self.node is None:
            cluster = self.places(rule).cluster
        else:  # not by `places`, which asks the device for the largest number of places
            of_set = self.places_of_set(rule).cluster
            cluster = of_set.index_select(0, self.node.to(of_set.device)).to(self.x.device)
        return coarse.ptr.index_select(0, self.batch) + cluster

    @cached_property
    def _places(self) -> dict[PlaceRule, Places]:
        """Places worked out so far."""
        return {}


def check_inside(adjacency: Adjacency, segments: Segments) -> None:
    """Refuse segments of other nodes, graphs without nodes, and edges between graphs."""
    nodes, ptr = adjacency.num_nodes, segments.ptr
    if int(ptr[-1]) != nodes or ptr.device != adjacency.col.device:
        raise InputError(
            f"the graphs have {int(ptr[-1])} nodes on {ptr.device}, the adjacency has {nodes} on "
            f"{adjacency.col.device}; give both of the same nodes"
        )
    if ptr.shape[0] > 1 and int(ptr.diff().min()) < 1:
        raise InputError("a graph has no nodes; leave it out")
    batch = segments.batch
    if not torch.equal(batch[adjacency.row], batch[adjacency.col]):
        raise InputError("the adjacency joins nodes of different graphs")
