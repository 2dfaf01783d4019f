"""`Collection`: graphs in flat arrays with common label codes, converted from common types."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import DataError, brief, check_type, nearest, plural, warn

MANY_NAMES = 1024
MOST_NODES = 10**6


class Arrays(NamedTuple):
    """The arrays of a collection that compiled loops read.

    Args:
        node_ptr: `[graphs + 1]`, offset of each graph's nodes; `edge_ptr` likewise.
        node_label: `[nodes]`, codes 0, 1, …
        source, target: `[edges]`, nodes of each edge, counted from 0 within its graph; an
            undirected edge is listed in both directions, a self-loop once.
        edge_label: `[edges]`, codes 1, 2, …
    """

    node_ptr: NDArray[np.int64]
    node_label: NDArray[np.int32]
    edge_ptr: NDArray[np.int64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    edge_label: NDArray[np.int32]


@dataclass(frozen=True)
class Collection:
    """Graphs with common label codes.

    It is `directed` if a graph is declared so or if any edge has no equal reverse. Then an edge
    and its reverse are two edges in all graphs, so that distances of a collection are comparable.
    """

    arrays: Arrays
    ids: tuple[str, ...]
    node_names: tuple[Hashable, ...]
    edge_names: tuple[Hashable, ...]
    directed: bool

    def __post_init__(self) -> None:
        check_type("arrays", self.arrays, Arrays, "Arrays(...)")
        for name in ("ids", "node_names", "edge_names"):
            check_type(name, getattr(self, name), tuple, "a tuple")
            kind, wanted = (str, "words") if name == "ids" else (Hashable, "words or numbers")
            if not all(isinstance(each, kind) for each in getattr(self, name)):
                raise DataError(f"{name} of a collection must be {wanted}")
        check_type("directed", self.directed, bool, "True or False")
        check_arrays(self.arrays, len(self.node_names) or 1, len(self.edge_names) or 1)
        if len(self.ids) != len(self.arrays.node_ptr) - 1:
            raise DataError(
                f"{plural(len(self.ids), 'id')} for "
                f"{plural(len(self.arrays.node_ptr) - 1, 'graph')}; give one each"
            )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of nodes of each graph, `[graphs]`."""
        return np.diff(self.arrays.node_ptr)


def check_arrays(arrays: Arrays, node_labels: int, edge_labels: int) -> None:
    """Refuse arrays that compiled loops can't read: wrong types, lengths, numbers or codes."""
    for name, array in arrays._asdict().items():
        dtype = np.int64 if name.endswith("_ptr") else np.int32
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
            raise DataError(f"{name} must be an array [any] of {dtype.__name__}")
    nodes, edges = len(arrays.node_label), len(arrays.edge_label)
    for name, ptr, end in (
        ("node_ptr", arrays.node_ptr, nodes),
        ("edge_ptr", arrays.edge_ptr, edges),
    ):
        if not len(ptr) or ptr[0] != 0 or ptr[-1] != end or (np.diff(ptr) < 0).any():
            raise DataError(f"{name} must begin with 0, never fall, and end with {end}")
    if not len(arrays.node_ptr) == len(arrays.edge_ptr) or not len(arrays.source) == edges == len(
        arrays.target
    ):
        raise DataError("the arrays of a collection have different lengths")
    sizes = np.diff(arrays.node_ptr)
    owner = np.repeat(np.arange(len(sizes)), np.diff(arrays.edge_ptr))
    for name, ends in (("source", arrays.source), ("target", arrays.target)):
        if ((ends < 0) | (ends >= sizes[owner])).any():
            raise DataError(f"{name} names a node that does not exist")
    for name, codes, first, last in (
        ("node_label", arrays.node_label, 0, node_labels - 1),
        ("edge_label", arrays.edge_label, 1, edge_labels),
    ):
        if len(codes) and not first <= codes.min() <= codes.max() <= last:
            raise DataError(f"{name} holds a code outside of {first} to {last}")
    widest = int(sizes.max(initial=0)) + 1
    rank = np.sort((arrays.node_ptr[owner] + arrays.source) * widest + arrays.target)
    if (np.diff(rank) == 0).any():
        raise DataError("a collection has an edge twice; keep one")


class _Plain(NamedTuple):
    """One graph: a label per node, and edges as (source, target, label), each listed once.

    `directed` is None if both directions of an undirected edge are listed, so that it has to be
    found from the edges.
    """

    id: str
    labels: list[Hashable]
    edges: list[tuple[int, int, Hashable]]
    directed: bool | None


def collect(
    graphs: Any, node_label: str = "label", edge_label: str = "label", edge_labels: bool = True
) -> Collection:
    """Convert graphs to a `Collection`.

    Args:
        graphs: a `GraphSet`, or a sequence of its graphs, NetworkX graphs or (labels, edges)
            pairs. In a pair, `labels` is one label per node or the number of nodes, and edges are
            undirected (i, j) or (i, j, label).
        node_label, edge_label: attributes that hold the labels in NetworkX graphs.
        edge_labels: whether labels of edges count.
    """
    for name, value in (("node_label", node_label), ("edge_label", edge_label)):
        check_type(name, value, str, "the name of an attribute")
    check_type("edge_labels", edge_labels, bool, "True or False")
    if isinstance(graphs, Collection):
        if edge_labels:
            return graphs
        arrays = graphs.arrays._replace(edge_label=np.ones_like(graphs.arrays.edge_label))
        return replace(graphs, arrays=arrays, edge_names=(None,))
    if hasattr(graphs, "node_ptr") and hasattr(graphs, "edge_index"):
        return _from_set(graphs, edge_labels)
    try:
        graphs = list(graphs)
    except TypeError:
        raise DataError(
            f"graphs are a {type(graphs).__name__}; give a GraphSet or a list of graphs"
        ) from None
    _check_attributes(graphs, node_label, edge_label if edge_labels else "label")
    plain = [_plain(graph, at, node_label, edge_label) for at, graph in enumerate(graphs)]
    if not edge_labels:
        plain = [graph._replace(edges=[(i, j, None) for i, j, _ in graph.edges]) for graph in plain]
    return _join(plain)


def _check_attributes(graphs: Sequence[Any], node_label: str, edge_label: str) -> None:
    """Refuse an attribute that no NetworkX graph has; the default, "label", may be absent."""
    known = [graph for graph in graphs if hasattr(graph, "is_directed")]
    for name, kind in ((node_label, "nodes"), (edge_label, "edges")):
        if name == "label":
            continue
        items = [item[-1] for graph in known for item in getattr(graph, kind)(data=True)]
        if items and not any(name in values for values in items):
            present = {str(key) for values in items for key in values}
            hint = nearest(name, present) if present else "they have no attributes"
            raise DataError(f"none of the {kind} has the attribute {brief(name)}; {hint}")


def _from_set(graphs: Any, edge_labels: bool) -> Collection:
    """Convert a whole `GraphSet`, whose tensors already have the right layout."""
    source, target = graphs.edge_index.cpu().numpy().astype(np.int32)
    edge_label = np.ones(len(source), dtype=np.int32)
    edge_names: tuple[Hashable, ...] = (None,)
    if edge_labels and graphs.edge_label is not None:
        edge_label, edge_names = _codes(graphs.edge_label, graphs.edge_label_names)
        edge_label += 1
    node_label = np.zeros(graphs.num_nodes, dtype=np.int32)
    node_names: tuple[Hashable, ...] = (None,)
    if graphs.node_label is not None:
        node_label, node_names = _codes(graphs.node_label, graphs.node_label_names)
    node_ptr = graphs.node_ptr.cpu().numpy().astype(np.int64)
    edge_ptr = graphs.edge_ptr.cpu().numpy().astype(np.int64)
    arrays = Arrays(node_ptr, node_label, edge_ptr, source, target, edge_label)
    ids = tuple(graphs.ids)
    return Collection(arrays, ids, node_names, edge_names, _directed(arrays, ids, []))


def _codes(
    values: Any, names: tuple[Hashable, ...]
) -> tuple[NDArray[np.int32], tuple[Hashable, ...]]:
    """Codes and names of labels; without names numbers name themselves, and -1 means None.

    Of very many names, only those that occur are kept.
    """
    codes = values.cpu().numpy().astype(np.int32)
    if (codes >= 0).all() and (names or not len(codes)) and len(names) <= MANY_NAMES:
        return codes, names
    used, numbered = np.unique(codes, return_inverse=True)
    kept = [None if code < 0 else names[code] if names else code for code in used.tolist()]
    return numbered.reshape(-1).astype(np.int32), tuple(kept)


def _plain(graph: Any, at: int, node_label: str, edge_label: str) -> _Plain:
    if hasattr(graph, "is_directed"):
        return _from_networkx(graph, at, node_label, edge_label)
    if hasattr(graph, "edge_index") and hasattr(graph, "node_label_names"):
        return _from_graph(graph)
    try:
        labels, edges = graph
        counted = isinstance(labels, (int, np.integer)) and not isinstance(labels, bool)
        if counted and not 0 <= labels <= MOST_NODES:
            raise DataError(f"graph {at} has {labels} nodes; give 0 to {MOST_NODES}")
        named: list[Hashable] = [None] * int(labels) if counted else list(labels)
        rows = [
            (index(edge[0]), index(edge[1]), edge[2] if len(edge) > 2 else None) for edge in edges
        ]
    except (TypeError, ValueError, IndexError, KeyError):
        raise DataError(
            f"graph {at} is {type(graph).__name__}, not a graph: give a GraphSet item, a NetworkX "
            "graph, or (labels, edges), where edges are pairs of whole numbers"
        ) from None
    return _Plain(str(at), named, rows, directed=False)


def _from_networkx(graph: Any, at: int, node_label: str, edge_label: str) -> _Plain:
    if graph.is_multigraph():
        raise DataError(f"graph {at} is a multigraph; merge its parallel edges first")
    number = {node: position for position, node in enumerate(graph)}
    labels = [values.get(node_label) for _, values in graph.nodes(data=True)]
    edges = [
        (number[i], number[j], values.get(edge_label)) for i, j, values in graph.edges(data=True)
    ]
    return _Plain(str(graph.name or at), labels, edges, directed=graph.is_directed())


def _from_graph(graph: Any) -> _Plain:
    labels = _named(graph.node_label, graph.node_label_names, graph.num_nodes)
    edge = _named(graph.edge_label, graph.edge_label_names, graph.edge_index.shape[1])
    source, target = graph.edge_index.tolist()
    edges = list(zip(source, target, edge, strict=True))
    return _Plain(graph.id, labels, edges, directed=None)


def _named(codes: Any, names: Sequence[Hashable], count: int) -> list[Hashable]:
    if codes is None:
        return [None] * count
    return [None if code < 0 else names[code] if names else code for code in codes.tolist()]


def _join(graphs: Sequence[_Plain]) -> Collection:
    """Encode labels by common codes, in order of appearance, and concatenate the graphs."""
    nodes: dict[Hashable, int] = {}
    kinds: dict[Hashable, int] = {}
    label, rows, node_ptr, edge_ptr = [], [], [0], [0]
    for graph in graphs:
        label += [_code(nodes, name, graph) for name in graph.labels]
        codes: dict[tuple[int, int], int] = {}
        for i, j, name in graph.edges:
            _check_edge(graph, i, j)
            code = _code(kinds, name, graph) + 1
            for pair in ((i, j), (j, i)) if graph.directed is False else ((i, j),):
                if codes.setdefault(pair, code) != code:
                    raise DataError(f"graph {graph.id}: edge {i}-{j} has two labels; keep one")
        rows += [(i, j, code) for (i, j), code in codes.items()]
        node_ptr.append(len(label))
        edge_ptr.append(len(rows))
    arrays = Arrays(
        np.array(node_ptr, dtype=np.int64),
        np.array(label, dtype=np.int32),
        np.array(edge_ptr, dtype=np.int64),
        *np.array(rows, dtype=np.int32).reshape(-1, 3).T.copy(),
    )
    ids = tuple(graph.id for graph in graphs)
    declared = [at for at, graph in enumerate(graphs) if graph.directed]
    return Collection(arrays, ids, tuple(nodes), tuple(kinds), _directed(arrays, ids, declared))


def _code(codes: dict[Hashable, int], name: Any, graph: _Plain) -> int:
    try:
        return codes.setdefault(name, len(codes))
    except TypeError:
        kind = type(name).__name__
        raise DataError(
            f"graph {graph.id}: the label {brief(name)} is a {kind}; use strings or numbers"
        ) from None


def _check_edge(graph: _Plain, i: int, j: int) -> None:
    if not (0 <= i < len(graph.labels) and 0 <= j < len(graph.labels)):
        raise DataError(
            f"graph {graph.id}: edge {i}-{j} names a node that does not exist; nodes are 0 to "
            f"{len(graph.labels) - 1}"
        )


def _directed(arrays: Arrays, ids: Sequence[str], declared: list[int]) -> bool:
    """Whether a graph is `declared` to be directed or has an edge without an equal reverse."""
    owner = np.repeat(np.arange(len(ids)), np.diff(arrays.edge_ptr))
    forth = np.lexsort((arrays.target, arrays.source, owner))
    back = np.lexsort((arrays.source, arrays.target, owner))
    alone = (
        (arrays.source[forth] != arrays.target[back])
        | (arrays.target[forth] != arrays.source[back])
        | (arrays.edge_label[forth] != arrays.edge_label[back])
    )
    directed = np.zeros(len(ids), dtype=bool)
    directed[declared] = True
    directed[owner[alone]] = True
    linked = np.zeros(len(ids), dtype=bool)
    linked[owner[arrays.source != arrays.target]] = True
    if directed.any() and (both := linked & ~directed).any():
        others = f" (and {plural(count, 'other')})" if (count := int(both.sum()) - 1) else ""
        warn(
            f"graph {ids[int(directed.argmax())]} has directed edges, but graph "
            f"{ids[int(both.argmax())]}{others} has none: there each edge counts as two"
        )
    return bool(directed.any())
