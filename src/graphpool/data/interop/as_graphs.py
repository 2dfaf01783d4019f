"""`as_graphs`: a `GraphSet` of whatever graphs a user has, as every estimator takes them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import torch

from graphpool.data.interop.networkx import from_networkx
from graphpool.data.interop.numpy import from_numpy
from graphpool.data.interop.pyg import from_pyg
from graphpool.errors import DataError
from graphpool.graphs.checks import NAMES
from graphpool.graphs.columns import join_columns
from graphpool.graphs.graphset import Graph, GraphSet

Graphs: TypeAlias = Any
"""What `as_graphs` takes: a `GraphSet`, or graphs of one, of NetworkX, of PyG or of NumPy."""

_JOINED = ("edge_weight", "edge_label", "edge_attr", "edge_x", "node_label", "node_attr", "x")


def as_graphs(graphs: Graphs, *, classes: bool = True) -> GraphSet:
    """Return graphs of any library as a `GraphSet`; a `GraphSet` is returned as it is.

    Takes a `GraphSet`, its graphs (a list of them, as scikit-learn's splitters make it), NetworkX
    graphs, and the `Data`, `Batch`, `Dataset` and `DataLoader` of PyTorch Geometric; one graph
    alone is a set of one. Lists of adjacency matrices, of NumPy or SciPy, are graphs, too.
    `from_networkx`, `from_pyg` and `from_numpy` have arguments for attributes under names of one's
    own.

    Args:
        classes: whether classes and targets of the graphs are read, if they have some.
    """
    if isinstance(graphs, GraphSet):
        return graphs
    items: Any = graphs
    if isinstance(items, (str, Path)):
        raise DataError(f"graphs must not be a name or path; give graphpool.load({str(items)!r})")
    if not _is_graph(items) and not hasattr(items, "edge_index"):
        try:
            items = list(items)
        except TypeError:
            raise _refused(graphs) from None
        if not items:
            raise DataError("there are no graphs; give at least one")
    first = items[0] if isinstance(items, list) else items
    y = "y" if classes else None
    if isinstance(first, Graph):
        return _packed(items if isinstance(items, list) else [items])
    if hasattr(first, "edge_index"):
        return from_pyg(items, y=y)
    if _is_graph(first):
        return from_networkx(items, y=y)
    if isinstance(items, list) and (hasattr(first, "tocoo") or getattr(first, "ndim", 0) == 2):
        return from_numpy(items)
    raise _refused(graphs if not isinstance(items, list) else first)


def _is_graph(item: Any) -> bool:
    """Whether this is a graph of a set or of NetworkX."""
    return isinstance(item, Graph) or (hasattr(item, "adj") and hasattr(item, "is_directed"))


def _refused(item: Any) -> DataError:
    return DataError(
        f"{type(item).__name__} is not a graph; give a GraphSet, as graphpool.load and "
        "graphpool.from_numpy make it, or graphs of NetworkX or PyTorch Geometric, or a list of "
        "adjacency matrices"
    )


def _packed(graphs: Sequence[Graph]) -> GraphSet:
    """Pack graphs of one set."""
    vocabulary = {name: getattr(graphs[0], name) for name in NAMES}
    for position, graph in enumerate(graphs):
        if not isinstance(graph, Graph):
            raise DataError(f"graph {position} is {type(graph).__name__}, others are Graph")
        if any(getattr(graph, name) != vocabulary[name] for name in NAMES):
            raise DataError("a list of graphs must come from one set; concatenate the sets instead")

    def joined(name: str) -> Any:
        parts = [getattr(graph, name) for graph in graphs]
        return None if parts[0] is None else torch.cat(parts)

    def stacked(name: str) -> Any:
        rows = [row for graph in graphs if (row := getattr(graph, name)) is not None]
        return torch.stack(rows) if rows else None

    known = [graph.y for graph in graphs if graph.y is not None]
    return GraphSet.build(
        "graphs",
        torch.tensor([graph.num_nodes for graph in graphs]),
        torch.tensor([graph.edge_index.shape[1] for graph in graphs]),
        torch.cat([graph.edge_index for graph in graphs], dim=1),
        ids=[graph.id for graph in graphs],
        graph_attr=stacked("graph_attr"),
        target=stacked("target"),
        graph_weight=stacked("graph_weight"),
        y=torch.tensor(known) if known else None,
        **{name: joined(name) for name in _JOINED},
        **vocabulary,
        notes=graphs[0].notes,
        columns=join_columns(({k: (v,) for k, v in graph.columns.items()}, 1) for graph in graphs),
    )
