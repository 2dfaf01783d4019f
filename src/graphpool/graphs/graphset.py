"""`GraphSet`: a collection of graphs in a few flat tensors, which everything else takes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.errors import check_type
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.checks import (
    FLOATS,
    UNITS,
    check_edges,
    check_given,
    check_lengths,
    check_set,
    check_tensor,
    checked_target,
    derived,
    find_device,
    trusted,
)
from graphpool.graphs.columns import Columns, take_columns
from graphpool.graphs.edge_features import EdgeFeatures, edge_kinds
from graphpool.graphs.edge_order import csr_order
from graphpool.graphs.gather import gather_batch
from graphpool.graphs.graph import TRUE_COMMUNITIES, graph_at
from graphpool.graphs.graph import Graph as Graph
from graphpool.graphs.places.find import Places, places_of
from graphpool.graphs.places.rule import PlaceRule
from graphpool.graphs.ragged import SetCSR, gather, one_hot_index, take
from graphpool.graphs.segments import Segments, pointer
from graphpool.graphs.selection import Selection, positions
from graphpool.graphs.vocabulary import Name as Name
from graphpool.graphs.vocabulary import named


@dataclass(frozen=True, eq=False)
class GraphSet:
    """A set of graphs in flat tensors, one graph after the other.

    Edges are in CSR order: by target, and within a target the self-loop first, then by
    source; each edge once, and no self-loop of weight 0. An undirected edge is stored in both
    directions. `GraphSet.build` brings any edges into this form; the constructor refuses others,
    and every length, code and pointer that does not fit.

    Args:
        name: what users call the set.
        node_ptr: `[graphs + 1]`, where each graph's nodes begin.
        edge_ptr: `[graphs + 1]`, where each graph's edges begin.
        edge_index: `[2, edges]` int32, source and target, numbered from 0 within each graph.
        ids: one name per graph.
        edge_weight: `[edges]`, 1 everywhere if absent.
        node_label: `[nodes]` codes into `node_label_names`, -1 for none; `edge_label` likewise.
        node_attr: `[nodes, channels]`, `edge_attr` `[edges, channels]`, `graph_attr`
            `[graphs, channels]`: raw numbers as the file has them.
        x: `[nodes, channels]`, features that the graphs bring, or made by `graphpool.features`.
        x_from: the feature string that `x` was made from; empty for an `x` that the graphs bring.
        edge_x: `[edges, channels]`, features of edges, made by `graphpool.features`.
        y: `[graphs]` codes into `classes`.
        target: `[graphs, targets]`, numbers to predict, NaN where unknown; `target_names` has a
            name for each.
        graph_weight: `[graphs]`, how much each graph counts in the loss; 1 everywhere if absent.
        columns: text by name, one value for each graph, such as its SMILES or its split.
    """

    name: str
    node_ptr: Tensor
    edge_ptr: Tensor
    edge_index: Tensor
    ids: tuple[str, ...]
    edge_weight: Tensor | None = None
    node_label: Tensor | None = None
    node_attr: Tensor | None = None
    edge_label: Tensor | None = None
    edge_attr: Tensor | None = None
    graph_attr: Tensor | None = None
    x: Tensor | None = None
    edge_x: Tensor | None = None
    y: Tensor | None = None
    target: Tensor | None = None
    graph_weight: Tensor | None = None
    classes: tuple[Name, ...] = ()
    target_names: tuple[str, ...] = ()
    node_label_names: tuple[Name, ...] = ()
    edge_label_names: tuple[Name, ...] = ()
    notes: tuple[str, ...] = field(default=(), repr=False)
    x_from: str = ""
    columns: Columns = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        check_set(self)

    @classmethod
    def build(
        cls,
        name: str,
        node_counts: Tensor,
        edge_counts: Tensor,
        edge_index: Tensor,
        *,
        ids: Sequence[str] | None = None,
        undirected: bool = False,
        edge_weight: Tensor | None = None,
        edge_label: Tensor | None = None,
        edge_attr: Tensor | None = None,
        edge_x: Tensor | None = None,
        **other: object,
    ) -> "GraphSet":
        """Bring edges (local ids, grouped by graph, any order within it) into CSR order.

        A repeated edge is kept once, with the attributes of its first occurrence, and a self-loop
        of weight 0 is no edge; `notes` says how many were dropped. With `undirected`, each edge
        is also added in the other direction.

        Args:
            node_counts: `[graphs]`; edge_counts: `[graphs]`, edges of each graph as given.
            edge_index: `[2, edges]`, source and target.
            other: further fields of `GraphSet`.
        """
        edges = {"edge_weight": edge_weight, "edge_label": edge_label, "edge_attr": edge_attr,
                 "edge_x": edge_x}  # fmt: skip
        if isinstance(edge_index, Tensor) and not edge_index.numel():  # of any type
            edge_index = edge_index.long()
        check_type("undirected", undirected, bool, "True or False")
        check_given(name, node_counts, edge_counts, edge_index, edges)
        node_counts, edge_counts = node_counts.long(), edge_counts.long()
        node_ptr, graphs, device = pointer(node_counts), len(node_counts), node_counts.device
        if edge_weight is not None and not edge_weight.is_floating_point():
            edges["edge_weight"] = edge_weight = edge_weight.float()
        counts = {"graphs": graphs, "nodes": int(node_ptr[-1]), "edges": edge_index.shape[1]}
        check_lengths(name, counts, {"ids": ids, "edge_counts": edge_counts, **edges, **other})
        owner = torch.repeat_interleave(torch.arange(graphs, device=device), edge_counts)
        source, target = edge_index.long()
        check_edges(name, ids, owner, source, target, node_counts)
        notes = other.pop("notes", ())
        check_type("notes", notes, (list, tuple), "a list of words")
        (owner, source, target, given), said = csr_order(
            owner, source, target, edge_weight, node_counts, undirected
        )
        fields_ = {**other, **{key: take(value, given) for key, value in edges.items()}}
        return cls(
            name=name,
            node_ptr=node_ptr,
            edge_ptr=pointer(torch.bincount(owner, minlength=graphs)),
            edge_index=torch.stack([source, target]).int(),
            ids=tuple(ids) if ids is not None else tuple(str(i) for i in range(graphs)),
            notes=(*notes, *said),
            **fields_,  # type: ignore[arg-type]
        )

    def __len__(self) -> int:
        return self.node_ptr.shape[0] - 1

    def __repr__(self) -> str:
        about = f"targets={len(self.target_names)}, " if self.target_names else ""
        return (
            f"GraphSet({self.name!r}, graphs={len(self)}, nodes={self.num_nodes}, "
            f"edges={self.num_edges}, classes={len(self.classes)}, {about}"
            f"features={None if self.x is None else self.x.shape[1]})"
        )

    @property
    def shape(self) -> tuple[int]:
        """Number of graphs; with it scikit-learn cuts a set as it cuts an array."""
        return (len(self),)

    @property
    def num_nodes(self) -> int:
        """Nodes of all graphs together."""
        return int(self.node_ptr[-1])

    @property
    def num_edges(self) -> int:
        """Directed edges of all graphs together: an undirected edge counts twice."""
        return self.edge_index.shape[1]

    @property
    def class_labels(self) -> NDArray[Any] | None:
        """The class of each graph by its name, not its code, `[graphs]`; None without classes."""
        return None if self.y is None else named(self.y.cpu().numpy(), self.classes)

    @property
    def attr_is_truth(self) -> bool:
        """Whether the node attribute is the truth about communities, which `auto` must not see."""
        return any(TRUE_COMMUNITIES in note for note in self.notes)

    @property
    def device(self) -> torch.device:
        """Where the tensors lie."""
        return self.node_ptr.device

    @cached_property
    def node_counts(self) -> Tensor:
        """Nodes of each graph, `[graphs]`."""
        return self.node_ptr.diff()

    @cached_property
    def edge_counts(self) -> Tensor:
        """Directed edges of each graph, `[graphs]`."""
        return self.edge_ptr.diff()

    @cached_property
    def node_graph(self) -> Tensor:
        """The graph of each node, `[nodes]`."""
        graphs = torch.arange(len(self), device=self.device)
        return torch.repeat_interleave(graphs, self.node_counts, output_size=self.num_nodes)

    @cached_property
    def edge_graph(self) -> Tensor:
        """The graph of each edge, `[edges]`."""
        graphs = torch.arange(len(self), device=self.device)
        return torch.repeat_interleave(graphs, self.edge_counts, output_size=self.num_edges)

    @property
    def flat_edges(self) -> Tensor:
        """`edge_index` with nodes numbered through the whole set, `[2, edges]`."""
        return self.edge_index + self.node_ptr[self.edge_graph]

    @cached_property
    def degree(self) -> Tensor:
        """In-degree of each node without self-loops, `[nodes]`."""
        source, target = self.flat_edges
        return torch.bincount(target[source != target], minlength=self.num_nodes)

    @cached_property
    def undirected(self) -> bool:
        """Whether every edge is there in both directions, with the same weight."""
        return self._csr.symmetric

    @cached_property
    def _csr(self) -> SetCSR:
        return SetCSR.of(self)

    # ------------------------------------------------------------------ parts of a set

    @overload
    def __getitem__(self, item: int | np.int32 | np.int64) -> Graph: ...
    @overload
    def __getitem__(self, item: Selection) -> "GraphSet": ...
    def __getitem__(self, item: int | np.int32 | np.int64 | Selection) -> "Graph | GraphSet":
        """One graph for an int, a new set for a slice, a list, an index or mask tensor."""
        if isinstance(item, (int, np.integer)):
            return graph_at(self, int(item))
        return self.select(item)

    def __iter__(self) -> Iterator[Graph]:
        return (graph_at(self, position) for position in range(len(self)))

    def select(self, item: Selection) -> "GraphSet":
        """Return the chosen graphs, in the chosen order, as a new set."""
        index = torch.from_numpy(positions(item, len(self), "graph")).to(self.device)
        node, node_ptr = gather(self.node_ptr, index)
        edge, edge_ptr = gather(self.edge_ptr, index)
        rows = {"graphs": index, "nodes": node, "edges": edge}
        taken: dict[str, Any] = {
            key: take(getattr(self, key), rows[unit]) for key, unit in UNITS.items()
        }
        chosen = derived(
            self,
            node_ptr=node_ptr,
            edge_ptr=edge_ptr,
            edge_index=self.edge_index[:, edge],
            ids=tuple(self.ids[position] for position in index.tolist()),
            columns=take_columns(self.columns, index.tolist()),
            **taken,
        )
        for rule, places in self._places.items():
            chosen._places[rule] = places.take(node, index)
        if (known := self.__dict__.get("_edge_kinds")) is not None:
            chosen.__dict__["_edge_kinds"] = known.select(self._csr.choose(index.cpu().numpy())[1])
        return chosen

    @cached_property
    def _edge_kinds(self) -> EdgeFeatures | None:
        """The distinct rows of `edge_x`, and which of them each slot of `_csr` has."""
        return None if self.edge_x is None else edge_kinds(self, self.edge_x)

    @cached_property
    def _one_hot_index(self) -> Tensor | None:
        """The column of each node's 1, `[nodes]`, if all rows of `x` are one-hot."""
        return None if self.x is None else one_hot_index(self.x)

    def with_x(self, x: Tensor, x_from: str = "") -> "GraphSet":
        """Return the same graphs with features `x`, `[nodes, channels]`."""
        check_tensor(f"{self.name}: features x", x, FLOATS, (self.num_nodes, None), self.device)
        return self._same_structure(x=x, x_from=x_from)

    def with_edge_x(self, edge_x: Tensor | None) -> "GraphSet":
        """Return the same graphs with features of edges `edge_x`, `[edges, channels]`."""
        if edge_x is not None:
            check_tensor("edge_x", edge_x, FLOATS, (self.num_edges, None), self.device)
        return self._same_structure(edge_x=edge_x)

    def with_weight(self, weight: Tensor | None) -> "GraphSet":
        """Return the same graphs with `graph_weight`, `[graphs]`."""
        if weight is not None:
            check_tensor("graph_weight", weight, FLOATS, (len(self),), self.device)
        return self._same_structure(graph_weight=weight)

    def with_target(self, target: Tensor | None, names: Sequence[str] = ()) -> "GraphSet":
        """Return the same graphs with numbers to predict, `[graphs, targets]`, and their names."""
        return self._same_structure(**checked_target(self, target, names))

    def _same_structure(self, **values: Any) -> "GraphSet":
        """Return a copy that keeps what was already computed from the edges."""
        changed, kinds = derived(self, **values), () if "edge_x" in values else ("_edge_kinds",)
        for known in ("_csr", "degree", "node_counts", "node_graph", "edge_graph", *kinds):
            if known in self.__dict__:
                changed.__dict__[known] = self.__dict__[known]
        changed.__dict__["_places"], changed.__dict__["_coarse"] = self._places, self._coarse
        return changed

    def to(self, device: torch.device | str) -> "GraphSet":
        """Copy to a device, if the set is elsewhere; batches are then made there."""
        if find_device(device) == self.device:
            return self
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        moved = {key: each.to(device) for key, each in values.items() if isinstance(each, Tensor)}
        copy = derived(self, **moved)
        for rule, places in self._places.items():
            copy._places[rule] = places.to(device)
        for rule, coarse in self._coarse.items():
            copy._coarse[rule] = coarse.to(device)
        return copy

    # ------------------------------------------------------------------ places

    @cached_property
    def _places(self) -> dict[PlaceRule, Places]:
        """Places worked out so far; they depend on the structure alone."""
        return {}

    def places(self, rule: PlaceRule | None = None) -> Places:
        """The places of all graphs, worked out once and kept with the set.

        Parts and copies of the set made afterwards (`select`, `with_x`, `to`) have them too, and
        so does what `concatenate` makes of sets that all have them.
        """
        rule = PlaceRule() if rule is None else rule
        check_type("rule", rule, PlaceRule, "PlaceRule(...)")
        if rule not in self._places:
            csr = self._csr
            slots = {"col": csr.col, "weight": csr.weight, "symmetric": csr.symmetric}
            edges = trusted(Adjacency, row_ptr=pointer(csr.count), **slots)
            self._places[rule] = places_of(edges, Segments.trusted(self.node_ptr), rule, local=True)
        return self._places[rule]

    def with_places(self, known: Mapping[PlaceRule, Places]) -> "GraphSet":
        """The same set with places that were found elsewhere."""
        for places in known.values():
            places.check(self.num_nodes, len(self))
        copy = derived(self)
        copy.__dict__["_places"] = {**self._places, **known}
        return copy

    @cached_property
    def _coarse(self) -> dict[PlaceRule, "GraphSet"]:
        """Coarse graphs made so far; they depend on the structure and the places alone."""
        return {}

    def coarse(self, rule: PlaceRule | None = None) -> "GraphSet":
        """The coarse graphs of all graphs by hard places, made once and kept with the set.

        A node is a place, with its profile as `x`; an edge joins two places between which there
        are edges, with facts of them as `edge_x`. See `graphpool.graphs.coarse`.
        """
        rule = PlaceRule() if rule is None else rule
        if rule not in self._coarse:
            from graphpool.graphs.coarse import coarse_set

            self._coarse[rule] = coarse_set(self, self.places(rule))
        return self._coarse[rule]

    # ------------------------------------------------------------------ batches

    def batch(self, item: Selection | None = None) -> GraphBatch:
        """Make a batch of the chosen graphs (all by default), with no loop over graphs."""
        return gather_batch(self, item)
