"""`GraphSet` from and to the graphs of NetworkX.

NetworkX has one object per graph, so these functions loop over graphs; everything after them does
not. An undirected edge is stored in both directions in a `GraphSet`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from graphpool.data.interop.common import list_graphs
from graphpool.errors import DataError
from graphpool.graphs.graphset import Graph, GraphSet, Name
from graphpool.graphs.vocabulary import coded

if TYPE_CHECKING:
    import networkx as nx


def from_networkx(
    graphs: "Iterable[nx.Graph]",
    node_label: str | None = "label",
    edge_label: str | None = "label",
    y: str | Sequence[Name] | None = "y",
    *,
    node_attr: str | None = "attr",
    edge_attr: str | None = "attr",
    edge_weight: str | None = "weight",
    name: str = "graphs",
) -> GraphSet:
    """Make a `GraphSet` of NetworkX graphs; nodes keep their order and lose their names.

    Graphs may be directed. Each key names an attribute of nodes or edges, which all of them have
    or none. Only weights may be given to some: as in NetworkX itself, an edge without one has the
    weight 1.

    Args:
        graphs: the graphs; their `name` is the graph's id if all have different ones.
        node_label, edge_label: integers or strings.
        y: the class of each graph, or the key of `graph.graph` that holds it.
        node_attr, edge_attr: a number or a sequence of numbers.
        edge_weight: a number; 1 where it is missing and other edges have it.
        name: of the set.
    """
    graphs = list_graphs(graphs, "adj", name)
    nodes = [
        (at, values) for at, graph in enumerate(graphs) for _, values in graph.nodes(data=True)
    ]
    pairs, edges, edge_counts = _edges(graphs)
    fields: dict[str, Any] = {}
    for key, items, field in (("node_label", nodes, node_label), ("edge_label", edges, edge_label)):
        fields[key], fields[f"{key}_names"] = _named(_read(items, field, name), field, name)
    for key, items, field in (("node_attr", nodes, node_attr), ("edge_attr", edges, edge_attr)):
        fields[key] = _numbers(_read(items, field, name), field, name, lambda rows: rows.flatten(1))
    weights = _read(edges, edge_weight, name, default=1.0)
    fields["edge_weight"] = _numbers(weights, edge_weight, name, lambda rows: rows.flatten())
    if isinstance(y, str):
        labels = _read([(at, graph.graph) for at, graph in enumerate(graphs)], y, name)
    else:
        labels = None if y is None else list(y)
    fields["y"], fields["classes"] = _named(labels, "y", name)
    ids = [str(graph.name) for graph in graphs]
    return GraphSet.build(
        name,
        torch.tensor([len(graph) for graph in graphs], dtype=torch.long),
        torch.tensor(edge_counts, dtype=torch.long),
        torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).t(),
        ids=ids if all(ids) and len(set(ids)) == len(ids) else None,
        **fields,
    )


def to_networkx(item: Graph | GraphSet) -> "nx.Graph | list[nx.Graph]":
    """Convert to NetworkX: one graph for a `Graph`, a list for a set.

    Nodes are 0, 1, 2, … with `label` (its name, not the code) and `attr`; edges with `label`,
    `attr` and `weight`; the class is `graph.graph["y"]`. They are `nx.Graph` where every edge
    has its reverse with the same values, else `nx.DiGraph`.
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


def _read(
    items: Sequence[tuple[int, dict[str, Any]]],
    key: str | None,
    name: str,
    default: float | None = None,
) -> list[Any] | None:
    """Return the attribute `key` of all items, or None where no item has it.

    An item without it gets the `default`; without a default that is an error.
    """
    having = [key in values for _, values in items]
    if key is None or not any(having):
        return None
    if default is None and not all(having):
        graph = items[having.index(False)][0]
        raise DataError(
            f"{name}, graph {graph}: {key!r} is missing on a node, an edge or the graph, and "
            "others have it; give it to all, or choose another key"
        )
    return [values.get(key, default) for _, values in items]


def _named(
    values: list[Any] | None, key: str | None, name: str
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Return integers and strings as codes into their sorted names."""
    if values is None:
        return None, ()
    labels = [value if isinstance(value, str) else _integer(value, key, name) for value in values]
    codes, names = coded(labels)
    return torch.from_numpy(codes), names


def _integer(value: Any, key: str | None, name: str) -> int:
    try:
        if int(value) == value:
            return int(value)
    except (TypeError, ValueError):
        pass
    raise DataError(f"{name}: {key} is {value!r}; labels and classes are integers or strings")


def _numbers(
    values: list[Any] | None, key: str | None, name: str, shape: Callable[[Tensor], Tensor]
) -> Tensor | None:
    if values is None:
        return None
    try:
        return shape(torch.tensor(values, dtype=torch.float32).reshape(len(values), -1))
    except (TypeError, ValueError) as error:
        raise DataError(f"{name}: {key} must hold numbers, as many everywhere: {error}") from None
