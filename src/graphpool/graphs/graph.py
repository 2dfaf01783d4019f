"""`Graph`: one graph of a set."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from graphpool.errors import InputError, SelectionError, brief, check_type, check_whole
from graphpool.graphs.checks import (
    INTEGERS,
    NAMES,
    UNITS,
    check_fields,
    check_range,
    check_tensor,
    trusted,
)
from graphpool.graphs.vocabulary import Name

if TYPE_CHECKING:
    from graphpool.graphs.graphset import GraphSet


# A note of sets whose node attribute is what a method should find, and no feature.
TRUE_COMMUNITIES = "the node attribute is the community that a node was drawn for"


@dataclass(frozen=True, eq=False)
class Graph:
    """One graph of a set; its tensors are views of the set's.

    `edge_index` is `[2, edges]` (source, target), node ids start at 0; labels are codes into
    the set's `node_label_names` and `edge_label_names`, `y` is a code into its `classes`, and
    `target` is `[targets]`; `columns` is its text, by the names of the set's columns.
    """

    id: str
    num_nodes: int
    edge_index: Tensor
    node_label: Tensor | None = None
    node_attr: Tensor | None = None
    edge_label: Tensor | None = None
    edge_attr: Tensor | None = None
    edge_weight: Tensor | None = None
    graph_attr: Tensor | None = None
    target: Tensor | None = None
    graph_weight: Tensor | None = None
    x: Tensor | None = None
    edge_x: Tensor | None = None
    y: int | None = None
    classes: tuple[Name, ...] = field(default=(), repr=False)
    target_names: tuple[str, ...] = field(default=(), repr=False)
    node_label_names: tuple[Name, ...] = field(default=(), repr=False)
    edge_label_names: tuple[Name, ...] = field(default=(), repr=False)
    x_from: str = field(default="", repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    columns: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        check_type("id of a graph", self.id, str, "a word")
        where = f"graph {self.id}"
        if not isinstance(self.num_nodes, int) or self.num_nodes < 1:
            raise InputError(f"{where}: num_nodes is {brief(self.num_nodes)}; give 1 or more")
        check_tensor(f"{where}: edge_index", self.edge_index, INTEGERS, (2, None))
        check_range(f"{where}: edge_index", self.edge_index, 0, self.num_nodes - 1)
        counts = {"graphs": 1, "nodes": self.num_nodes, "edges": self.edge_index.shape[1]}
        if self.y is not None and not isinstance(self.y, int):
            raise InputError(f"{where}: y is {brief(self.y)}; give the code of a class")
        check_whole(f"{where}: y", 0 if self.y is None else self.y, -1, 2**31 - 1)
        y = None if self.y is None else torch.tensor([self.y])
        rows = {
            key: value.unsqueeze(0) if isinstance(value := getattr(self, key), Tensor) else value
            for key in ("graph_attr", "graph_weight", "target")
        }
        check_fields(where, counts, {**vars(self), **rows, "y": y})

    def __repr__(self) -> str:
        edges, label = self.edge_index.shape[1], self.y
        shown = self.classes[label] if self.classes and label is not None else label
        about = f"class={shown!r}"
        if self.target is not None and label is None:
            about = f"target={[round(number, 4) for number in self.target.tolist()]}"
        return f"Graph({self.id!r}, nodes={self.num_nodes}, edges={edges}, {about})"

    @property
    def is_bidirected(self) -> bool:
        """Whether each edge has its reverse, with the same label, attributes and weight."""
        source, target = self.edge_index
        forth, order = torch.sort(source * self.num_nodes + target)
        back, other = torch.sort(target * self.num_nodes + source)
        if not torch.equal(forth, back):
            return False
        columns = (self.edge_label, self.edge_attr, self.edge_weight)
        return all(torch.equal(c[order], c[other]) for c in columns if c is not None)


def graph_at(graphs: "GraphSet", position: int) -> Graph:
    """Return the graph at this position of a set; negative positions count from its end."""
    if not -len(graphs) <= position < len(graphs):
        raise SelectionError(f"graph {brief(position)} of a set of {len(graphs)}")
    position %= len(graphs)
    node = slice(*graphs.node_ptr[position : position + 2].tolist())
    edge = slice(*graphs.edge_ptr[position : position + 2].tolist())
    where: dict[str, Any] = {"graphs": position, "nodes": node, "edges": edge}
    values: dict[str, Any] = {key: getattr(graphs, key) for key in (*NAMES, *UNITS, "notes")}
    for key, unit in UNITS.items():
        if values[key] is not None:
            values[key] = values[key][where[unit]]
    if values["y"] is not None:
        values["y"] = int(values["y"])
    edge_index = graphs.edge_index[:, edge].long()
    values |= {"id": graphs.ids[position], "num_nodes": node.stop - node.start}
    values["columns"] = {name: column[position] for name, column in graphs.columns.items()}
    return trusted(Graph, edge_index=edge_index, **values)
