"""`GraphSet` from and to the graphs of NetworkX.

NetworkX has one object per graph, so these functions loop over graphs; everything after them does
not. An undirected edge is stored in both directions in a `GraphSet`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from graphpool.data.interop.common import answers, list_graphs, unused_note, warn_unused
from graphpool.data.interop.networkx_attributes import AUTO, Attributes
from graphpool.graphs.graphset import Graph, GraphSet, Name

if TYPE_CHECKING:
    import networkx as nx


# The attribute of a graph that holds numbers to predict by their names.
TARGETS = "targets"


def from_networkx(
    graphs: "nx.Graph | Iterable[nx.Graph]",
    node_label: str | None = AUTO,
    edge_label: str | None = AUTO,
    y: str | Sequence[Any] | None = AUTO,
    *,
    node_attr: str | Sequence[str] | None = AUTO,
    edge_attr: str | Sequence[str] | None = AUTO,
    graph_attr: str | Sequence[str] | None = "attr",
    edge_weight: str | None = "weight",
    name: str = "graphs",
) -> GraphSet:
    """Make a `GraphSet` of NetworkX graphs; nodes keep their order and lose their names.

    Graphs may be directed. Each key names an attribute that all nodes, edges or graphs have, or
    none; None leaves it out. Only weights may be given to some: as in NetworkX itself, an edge
    without one has the weight 1. A warning names attributes that are not used. Numbers that are
    not finite are an error.

    `auto` takes as labels `label`, else `atom`, `element`, `bond`, `type` and the like, else the
    only attribute that holds words; as numbers `attr` and all others that hold numbers, by name; as
    classes `y`, else `class` or `label` of the graph. Where `y` holds numbers with a fraction, or
    lists of numbers, they are targets, and so are the numbers in `targets`, a dict by name.

    Args:
        graphs: the graphs, or one; their `name` is the graph's id if all have different ones.
        node_label, edge_label: integers or strings.
        y: the class of each graph, or numbers to predict, or the key of `graph.graph` that holds
            them.
        node_attr, edge_attr, graph_attr: a number or a sequence of numbers; several keys are
            several channels.
        edge_weight: a number; 1 where it is missing and other edges have it.
        name: of the set.
    """
    graphs = list_graphs(graphs, "adj", name)
    keys = Keys(node_label, edge_label, y, node_attr, edge_attr, graph_attr, edge_weight)
    made, notes = convert(graphs, keys, name)
    warn_unused(
        name,
        notes,
        "graphpool.from_networkx(graphs, node_label=..., node_attr=[...]) says what they are",
    )
    return made


class Keys(NamedTuple):
    """The arguments of `from_networkx`."""

    node_label: str | None = AUTO
    edge_label: str | None = AUTO
    y: str | Sequence[Any] | None = AUTO
    node_attr: str | Sequence[str] | None = AUTO
    edge_attr: str | Sequence[str] | None = AUTO
    graph_attr: str | Sequence[str] | None = "attr"
    edge_weight: str | None = "weight"


def convert(
    graphs: "Sequence[nx.Graph]", wanted: Keys, name: str
) -> tuple[GraphSet, tuple[str, ...]]:
    """Make a set of a list of graphs, and a note about attributes that are not used."""
    names = [node for graph in graphs for node in graph]
    rows = [(at, values) for at, graph in enumerate(graphs) for _, values in graph.nodes(data=True)]
    pairs, edge_rows, edge_counts = _edges(graphs)
    nodes = Attributes(rows, "nodes", name, names)
    edges = Attributes(edge_rows, "edges", name, pairs)
    whole = Attributes([(at, graph.graph) for at, graph in enumerate(graphs)], "graphs", name)
    fields: dict[str, Any] = {}
    unused = {}
    for kind, part, label, numbers in (
        ("node", nodes, wanted.node_label, wanted.node_attr),
        ("edge", edges, wanted.edge_label, wanted.edge_attr),
    ):
        weight = wanted.edge_weight if kind == "edge" else None
        label = part.label_key(label, [weight])
        keys = part.number_keys(numbers, [label, weight])
        fields[f"{kind}_label"], fields[f"{kind}_label_names"] = part.codes(label)
        fields[f"{kind}_attr"] = part.numbers(keys)
        unused[f"of {part.kind}"] = part.unused([label, weight, *keys])
    if wanted.edge_weight is not None:
        weights = edges.numbers([wanted.edge_weight], default=1.0)
        fields["edge_weight"] = None if weights is None else weights.flatten()
    graph_keys = whole.number_keys(wanted.graph_attr, ())
    fields["graph_attr"] = whole.numbers(graph_keys)
    y = wanted.y
    key = whole.label_key(y) if isinstance(y, str) else "y"
    fields |= answers(whole.column(key) if isinstance(y, str) else y, len(graphs), name)
    if "target" not in fields and y is not None:
        fields |= answers(whole.column(TARGETS), len(graphs), name, TARGETS)
    columns = whole.text([key, TARGETS])
    unused["of graphs"] = whole.unused([key, TARGETS, *graph_keys, *columns])
    notes = unused_note(unused)
    ids = [str(graph.name) for graph in graphs]
    made = GraphSet.build(
        name,
        torch.tensor([len(graph) for graph in graphs], dtype=torch.long),
        torch.tensor(edge_counts, dtype=torch.long),
        torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).t(),
        ids=ids if all(ids) and len(set(ids)) == len(ids) else None,
        notes=notes,
        columns=columns,
        **fields,
    )
    return made, notes


def to_networkx(item: Graph | GraphSet) -> "nx.Graph | list[nx.Graph]":
    """Convert to NetworkX: one graph for a `Graph`, a list for a set.

    Nodes are 0, 1, 2, … with `label` (its name, not the code) and `attr`; edges with `label`,
    `attr` and `weight`; the class is `graph.graph["y"]`, numbers to predict are the dict
    `graph.graph["targets"]`, attributes of the graph are `graph.graph["attr"]`. They are
    `nx.Graph` where every edge has its reverse with the same values, else `nx.DiGraph`.
    """
    if isinstance(item, Graph):
        return _to_networkx(item, item.is_bidirected)
    graphs = list(item)
    both = all(graph.is_bidirected for graph in graphs)
    return [_to_networkx(graph, both) for graph in graphs]


def _to_networkx(graph: Graph, undirected: bool) -> "nx.Graph":
    import networkx as nx

    converted = nx.Graph(name=graph.id) if undirected else nx.DiGraph(name=graph.id)
    if graph.y is not None:
        converted.graph["y"] = graph.classes[graph.y] if graph.classes else graph.y
    if graph.target is not None:
        named = zip(graph.target_names, graph.target.tolist(), strict=True)
        converted.graph[TARGETS] = dict(named)
    if graph.graph_attr is not None:
        converted.graph["attr"] = graph.graph_attr.tolist()
    nodes = _values(label=(graph.node_label, graph.node_label_names), attr=(graph.node_attr, ()))
    converted.add_nodes_from((node, nodes(node)) for node in range(graph.num_nodes))
    edges = _values(
        label=(graph.edge_label, graph.edge_label_names),
        attr=(graph.edge_attr, ()),
        weight=(graph.edge_weight, ()),
    )
    for number, (source, target) in enumerate(graph.edge_index.t().tolist()):
        if not undirected or source <= target:
            converted.add_edge(source, target, **edges(number))
    return converted


def _values(
    **columns: tuple[Tensor | None, tuple[Name, ...]],
) -> Callable[[int], dict[str, Any]]:
    """Return a function from the number of a node or edge to its attributes."""
    lists = {
        key: [names[code] for code in column.tolist()] if names else column.tolist()
        for key, (column, names) in columns.items()
        if column is not None
    }
    return lambda number: {key: values[number] for key, values in lists.items()}


def _edges(
    graphs: "Sequence[nx.Graph]",
) -> tuple[list[tuple[int, int]], list[tuple[int, dict[str, Any]]], list[int]]:
    """Return the directed edges of all graphs, their attributes, and their number in each graph."""
    pairs: list[tuple[int, int]] = []
    values: list[tuple[int, dict[str, Any]]] = []
    counts = []
    for at, graph in enumerate(graphs):
        position = {node: number for number, node in enumerate(graph)}
        before = len(pairs)
        for source, target, attributes in graph.edges(data=True):
            pairs.append((position[source], position[target]))
            values.append((at, attributes))
            if not graph.is_directed() and source != target:
                pairs.append((position[target], position[source]))
                values.append((at, attributes))
        counts.append(len(pairs) - before)
    return pairs, values, counts
