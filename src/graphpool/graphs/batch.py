"""A batch: several graphs as one large graph with no edges between them."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.places.find import Places, places_of
from graphpool.graphs.places.rule import PlaceRule
from graphpool.graphs.segments import Segments


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
        graph_weight: `[num_graphs]`, how much each graph counts in the loss.
        edge_label: `[edges]`, `edge_attr`: `[edges, channels]`; in the order of `edge_index`.
        one_hot_index: `[nodes]`, if `x` is one-hot: the column that holds each node's 1.
        node: `[nodes]`, the positions of the nodes in the set they were taken from.
        places_of_set: the places of that set under a rule.
    """

    x: Tensor
    adjacency: Adjacency
    batch: Tensor
    ptr: Tensor
    index: Tensor
    y: Tensor | None = None
    graph_weight: Tensor | None = None
    edge_label: Tensor | None = None
    edge_attr: Tensor | None = None
    one_hot_index: Tensor | None = None
    node: Tensor | None = None
    places_of_set: Callable[[PlaceRule], Places] | None = field(default=None, repr=False)

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
        return Segments(self.ptr, self.batch)

    @cached_property
    def edge_index(self) -> Tensor:
        """`[2, edges]`, source and target of every edge, as PyG writes it."""
        present = self.adjacency.present
        return torch.stack([self.adjacency.col[present], self.adjacency.row[present]])

    @cached_property
    def edge_weight(self) -> Tensor:
        """`[edges]`, in the order of `edge_index`."""
        return self.adjacency.weight[self.adjacency.present]

    def to(self, device: torch.device | str) -> "GraphBatch":
        """Copy to a device."""
        moved: dict[str, Any] = {
            item.name: value.to(device)
            for item in fields(self)
            if (value := getattr(self, item.name)) is not None and hasattr(value, "to")
        }
        return replace(self, **moved)

    def places(self, rule: PlaceRule | None = None) -> Places:
        """The places of the batch's graphs: those of the set it was taken from, if it was.

        They are worked out once and kept with the batch.
        """
        rule = rule or PlaceRule()
        if rule not in self._places:
            if self.places_of_set is None or self.node is None:
                places = places_of(self.adjacency, self.segments, rule)
            else:
                of_set = self.places_of_set(rule)
                device = of_set.cluster.device
                where = self.node.to(device), self.index.to(device), self.ptr.to(device)
                places = of_set.batch(*where).to(self.x.device)
            self._places[rule] = places
        return self._places[rule]

    @cached_property
    def _places(self) -> dict[PlaceRule, Places]:
        """Places worked out so far."""
        return {}
