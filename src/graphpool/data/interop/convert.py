"""`GraphSet` from and to the graphs of PyTorch Geometric and NetworkX.

Both libraries hold one object per graph, so these functions loop over graphs; everything after
them does not. An undirected edge stands in both directions in a `GraphSet` and in PyG.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from graphpool.errors import DataError
from graphpool.graphs.graphset import Graph, GraphSet, Name

if TYPE_CHECKING:
    import networkx as nx
    from torch_geometric.data import Data

_NODE = ("x", "node_label", "node_attr")
_EDGE = ("edge_label", "edge_attr", "edge_weight")


def from_pyg(
    data: "Iterable[Data]",
    name: str = "graphs",
    *,
    classes: tuple[Name, ...] | None = None,
    node_label_names: tuple[Name, ...] | None = None,
    edge_label_names: tuple[Name, ...] | None = None,
) -> GraphSet:
    """Pack PyG graphs.

    Reads `x`, `edge_index`, `edge_attr`, `edge_weight`, `y` (one class per graph) and what
    `to_pyg` adds: `node_label`, `node_attr`, `edge_label`, `graph_attr`, `id`.

    Args:
        data: the graphs; each field must be in all of them or in none.
        name: of the set.
        classes: names of the codes in `y`; without it the classes are the numbers that occur.
        node_label_names: likewise for `node_label`, `edge_label_names` for `edge_label`.
    """
    data = _listed(data, "edge_index", name)
    counts = [item.num_nodes or 0 for item in data]
    indices = [
        torch.zeros(2, 0, dtype=torch.long) if item.edge_index is None else item.edge_index
        for item in data
    ]
    made: dict[str, Any] = {key: _joined(data, key, name) for key in (*_NODE, *_EDGE)}
    for key in ("node_attr", "edge_attr", "x"):
        if made[key] is not None and made[key].ndim == 1:
            made[key] = made[key].unsqueeze(1)
    if made["x"] is not None and not made["x"].is_floating_point():
        made["x"] = made["x"].float()
    for key, names in (("node_label", node_label_names), ("edge_label", edge_label_names)):
        made[key], made[f"{key}_names"] = _coded(made[key], names, key, name)
    y = _joined(data, "y", name)
    if y is not None and y.numel() != len(data):
        raise DataError(f"{name}: y has {y.numel()} values for {len(data)} graphs; give one class")
    made["y"], made["classes"] = _coded(y, classes, "y", name)
    ids = [getattr(item, "id", None) for item in data]
    return GraphSet.build(
        name,
        torch.tensor(counts, dtype=torch.long),
        torch.tensor([index.shape[1] for index in indices], dtype=torch.long),
        torch.cat([index.cpu() for index in indices], dim=1) if indices else _no_edges(),
        ids=[str(identity) for identity in ids] if ids and None not in ids else None,
        graph_attr=_joined(data, "graph_attr", name),
        **made,
    )


def to_pyg(graphs: GraphSet) -> "list[Data]":
    """One PyG `Data` per graph; `y` and labels are codes, as PyG's losses and layers need them."""
    from torch_geometric.data import Data

    made = []
    for graph in graphs:
        fields = {key: getattr(graph, key) for key in (*_NODE, *_EDGE)}
        if graph.graph_attr is not None:
            fields["graph_attr"] = graph.graph_attr.unsqueeze(0)
        if graph.y is not None:
            fields["y"] = torch.tensor([graph.y], device=graphs.device)
        present = {key: value for key, value in fields.items() if value is not None}
        made.append(
            Data(edge_index=graph.edge_index, num_nodes=graph.num_nodes, id=graph.id, **present)
        )
    return made


def _listed(graphs: Any, attribute: str, name: str) -> list[Any]:
    """The graphs as a list; a graph alone, or something else, is told by the `attribute`."""
    if hasattr(graphs, attribute):
        raise DataError(f"{name}: this is one graph; give a list of graphs, such as [graph]")
    items = list(graphs)
    for place, item in enumerate(items):
        if not hasattr(item, attribute):
            raise DataError(
                f"{name}, graph {place}: {type(item).__name__} is no graph of this library; "
                "give a list of graphs"
            )
    return items


def _no_edges() -> Tensor:
    return torch.zeros(2, 0, dtype=torch.long)


def _joined(data: "Sequence[Data]", key: str, name: str) -> Tensor | None:
    """One field of all graphs, end to end."""
    values = [getattr(item, key, None) for item in data]
    missing = [place for place, value in enumerate(values) if value is None]
    if len(missing) == len(values):
        return None
    if missing:
        raise DataError(
            f"{name}, graph {missing[0]}: no {key}, which other graphs have; "
            "give it to all graphs or to none"
        )
    parts = [torch.as_tensor(value).cpu() for value in values]
    return torch.cat([part.reshape(1) if part.ndim == 0 else part for part in parts])


def _coded(
    values: Tensor | None, names: tuple[Name, ...] | None, key: str, where: str
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Numbers as codes 0, 1, 2, … and what the codes mean."""
    if values is None:
        return None, ()
    values = values.flatten()
    whole = values.long()
    if values.is_floating_point() and not torch.equal(whole.to(values), values):
        raise DataError(f"{where}: {key} holds numbers that are not whole, so they are no classes")
    if names is None:
        distinct, codes = torch.unique(whole, return_inverse=True)
        return codes, tuple(distinct.tolist())
    if whole.numel() and not 0 <= int(whole.min()) <= int(whole.max()) < len(names):
        raise DataError(f"{where}: {key} holds codes beyond its {len(names)} names")
    return whole, names


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
    """Pack NetworkX graphs, directed or not; nodes keep their order and lose their names.

    Each key names an attribute of nodes or edges, which all of them have or none. Only weights
    may be given to some: as in NetworkX itself, an edge without one has the weight 1.

    Args:
        graphs: the graphs; their `name` is the graph's id if all have different ones.
        node_label, edge_label: integers or strings.
        y: the class of each graph, or the key of `graph.graph` that holds it.
        node_attr, edge_attr: a number or a sequence of numbers.
        edge_weight: a number; 1 where it is missing and other edges have it.
        name: of the set.
    """
    graphs = _listed(graphs, "adj", name)
    nodes = [
        (at, values) for at, graph in enumerate(graphs) for _, values in graph.nodes(data=True)
    ]
    pairs, edges, edge_counts = _edges(graphs)
    made: dict[str, Any] = {}
    for key, items, field in (("node_label", nodes, node_label), ("edge_label", edges, edge_label)):
        made[key], made[f"{key}_names"] = _named(_read(items, field, name), field, name)
    for key, items, field in (("node_attr", nodes, node_attr), ("edge_attr", edges, edge_attr)):
        made[key] = _numbers(_read(items, field, name), field, name, lambda rows: rows.flatten(1))
    weights = _read(edges, edge_weight, name, default=1.0)
    made["edge_weight"] = _numbers(weights, edge_weight, name, lambda rows: rows.flatten())
    if isinstance(y, str):
        labels = _read([(at, graph.graph) for at, graph in enumerate(graphs)], y, name)
    else:
        labels = None if y is None else list(y)
    made["y"], made["classes"] = _named(labels, "y", name)
    ids = [str(graph.name) for graph in graphs]
    return GraphSet.build(
        name,
        torch.tensor([len(graph) for graph in graphs], dtype=torch.long),
        torch.tensor(edge_counts, dtype=torch.long),
        torch.tensor(pairs, dtype=torch.long).t() if pairs else _no_edges(),
        ids=ids if all(ids) and len(set(ids)) == len(ids) else None,
        **made,
    )


def to_networkx(item: Graph | GraphSet) -> "nx.Graph | list[nx.Graph]":
    """NetworkX graphs: one for a `Graph`, a list for a set.

    Nodes are 0, 1, 2, … with `label` (its name, not the code) and `attr`; edges with `label`,
    `attr` and `weight`; the class is `graph.graph["y"]`. They are `nx.Graph` where all edges
    stand in both directions with the same values, else `nx.DiGraph`.
    """
    if isinstance(item, Graph):
        return _to_networkx(item, item.both_ways)
    graphs = list(item)
    both = all(graph.both_ways for graph in graphs)
    return [_to_networkx(graph, both) for graph in graphs]


def _to_networkx(graph: Graph, undirected: bool) -> "nx.Graph":
    import networkx as nx

    made = nx.Graph(name=graph.id) if undirected else nx.DiGraph(name=graph.id)
    if graph.y is not None:
        made.graph["y"] = graph.classes[graph.y] if graph.classes else graph.y
    nodes = _values(label=(graph.node_label, graph.node_label_names), attr=(graph.node_attr, ()))
    made.add_nodes_from((node, nodes(node)) for node in range(graph.num_nodes))
    edges = _values(
        label=(graph.edge_label, graph.edge_label_names),
        attr=(graph.edge_attr, ()),
        weight=(graph.edge_weight, ()),
    )
    for place, (source, target) in enumerate(graph.edge_index.t().tolist()):
        if not undirected or source <= target:
            made.add_edge(source, target, **edges(place))
    return made


def _values(
    **columns: tuple[Tensor | None, tuple[Name, ...]],
) -> Callable[[int], dict[str, Any]]:
    """A function that gives the attributes of one node or edge."""
    lists = {
        key: [names[code] for code in column.tolist()] if names else column.tolist()
        for key, (column, names) in columns.items()
        if column is not None
    }
    return lambda place: {key: values[place] for key, values in lists.items()}


def _edges(
    graphs: "Sequence[nx.Graph]",
) -> tuple[list[tuple[int, int]], list[tuple[int, dict[str, Any]]], list[int]]:
    """Edges of all graphs in every direction they have, their attributes, and how many each."""
    pairs: list[tuple[int, int]] = []
    values: list[tuple[int, dict[str, Any]]] = []
    counts = []
    for at, graph in enumerate(graphs):
        place = {node: number for number, node in enumerate(graph)}
        before = len(pairs)
        for source, target, attributes in graph.edges(data=True):
            pairs.append((place[source], place[target]))
            values.append((at, attributes))
            if not graph.is_directed() and source != target:
                pairs.append((place[target], place[source]))
                values.append((at, attributes))
        counts.append(len(pairs) - before)
    return pairs, values, counts


def _read(
    items: Sequence[tuple[int, dict[str, Any]]],
    key: str | None,
    name: str,
    default: float | None = None,
) -> list[Any] | None:
    """The attribute `key` of all items, or None where no item has it.

    An item that alone lacks it has the `default`; without one that is an error.
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
    """Integers and strings as codes into their sorted names."""
    if values is None:
        return None, ()
    made = [value if isinstance(value, str) else _integer(value, key, name) for value in values]
    names = sorted(set(made), key=lambda value: (isinstance(value, str), value))
    code = {value: number for number, value in enumerate(names)}
    return torch.tensor([code[value] for value in made], dtype=torch.long), tuple(names)


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
