"""`GraphSet` from adjacency matrices of NumPy or SciPy."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.data.interop.common import answers, named_codes
from graphpool.errors import DataError, plural
from graphpool.graphs.graphset import GraphSet

Array = NDArray[Any]


def from_numpy(
    adjacency: Any,
    y: Sequence[Any] | Array | None = None,
    *,
    node_label: Sequence[Any] | None = None,
    node_attr: Sequence[Any] | None = None,
    ids: Sequence[Any] | None = None,
    name: str = "graphs",
) -> GraphSet:
    """Make a `GraphSet` of adjacency matrices.

    An entry that is not 0 is an edge from the node of its row to that of its column; entries other
    than 1 are its weight. A symmetric matrix is an undirected graph.

    Args:
        adjacency: one matrix `[nodes, nodes]`, several of one size `[graphs, nodes, nodes]`, or a
            list of matrices of any sizes, of NumPy or sparse ones of SciPy. Every row is a node:
            cut off padding.
        y: the class of each graph; or a number, or a list of them, to predict.
        node_label: for each graph a list of one integer or string per node.
        node_attr: for each graph an array `[nodes]` or `[nodes, channels]`.
        ids: names of the graphs, by default their positions.
        name: of the set.
    """
    matrices = _matrices(adjacency, name)
    edges = [_edges(matrix, f"{name}, graph {at}") for at, matrix in enumerate(matrices)]
    sizes = [matrix.shape[0] for matrix in matrices]
    weights = np.concatenate([weight for _, _, weight in edges]) if edges else np.zeros(0)
    named = None
    if node_label is not None:
        rows = _per_graph(node_label, sizes, "node_label", name)
        named = [each for row in rows for each in row]
    labels, label_names = named_codes(named, "node_label", name)
    return GraphSet.build(
        name,
        torch.tensor(sizes, dtype=torch.long),
        torch.tensor([len(source) for source, _, _ in edges], dtype=torch.long),
        torch.from_numpy(
            np.concatenate([np.stack([source, target]) for source, target, _ in edges], axis=1)
        ),
        ids=None if ids is None else [str(identity) for identity in ids],
        edge_weight=None if (weights == 1).all() else torch.from_numpy(weights),
        node_label=labels,
        node_label_names=label_names,
        node_attr=None if node_attr is None else _attributes(node_attr, sizes, name),
        **answers(None if y is None else list(y), len(sizes), name),
    )


def _matrices(adjacency: Any, name: str) -> list[Any]:
    """Return one matrix or several as a list."""
    if hasattr(adjacency, "tocoo"):
        adjacency = [adjacency]
    elif isinstance(adjacency, (np.ndarray, Tensor)):
        adjacency = np.asarray(adjacency)
        if adjacency.dtype != object and adjacency.ndim not in (2, 3):
            raise DataError(
                f"{name}: an adjacency of shape {adjacency.shape}; give [nodes, nodes], "
                "[graphs, nodes, nodes] or a list of matrices"
            )
        if adjacency.dtype != object and adjacency.ndim == 2:
            adjacency = [adjacency]
    try:
        matrices = [
            each if hasattr(each, "tocoo") else np.asarray(each) for each in list(adjacency)
        ]
    except (TypeError, ValueError) as error:
        raise DataError(f"{name}: these are no adjacency matrices: {error}") from None
    if not matrices:
        raise DataError(f"{name}: there are no graphs; give at least one matrix")
    for at, matrix in enumerate(matrices):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.shape[0]:
            raise DataError(
                f"{name}, graph {at}: an adjacency of shape {tuple(matrix.shape)}; give a row and "
                "a column for each node"
            )
        if matrix.dtype.kind not in "biuf":
            raise DataError(f"{name}, graph {at}: an adjacency of {matrix.dtype}, not of numbers")
    return matrices


def _edges(matrix: Any, where: str) -> tuple[Array, Array, NDArray[np.float32]]:
    """Return source, target and weight of each entry that is not 0."""
    if hasattr(matrix, "tocoo"):
        matrix = matrix.tocoo()
        matrix.sum_duplicates()
        stored = matrix.data != 0
        source, target, weight = matrix.row[stored], matrix.col[stored], matrix.data[stored]
    else:
        source, target = np.nonzero(matrix)
        weight = matrix[source, target]
    weight = weight.astype(np.float64)
    wrong = ~(np.abs(weight) <= np.finfo(np.float32).max)
    if wrong.any():
        edge = f"{source[wrong][0]}-{target[wrong][0]}"
        raise DataError(
            f"{where}: its adjacency holds a number that is not finite, {weight[wrong][0]} for "
            f"edge {edge}; correct it, or write 0 for no edge"
        )
    return source.astype(np.int64), target.astype(np.int64), weight.astype(np.float32)


def _per_graph(values: Sequence[Any], sizes: list[int], key: str, name: str) -> list[Any]:
    """Check that there is one list per graph, with one entry per node."""
    rows = list(values)
    if len(rows) != len(sizes):
        raise DataError(
            f"{name}: {key} of {plural(len(rows), 'graph')} for {len(sizes)}; give one list each"
        )
    for at, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        if len(row) != size:
            raise DataError(f"{name}, graph {at}: {key} has {len(row)} entries for {size} nodes")
    return rows


def _attributes(values: Sequence[Any], sizes: list[int], name: str) -> Tensor:
    """Return attributes of all nodes, `[nodes, channels]`."""
    rows = _per_graph(values, sizes, "node_attr", name)
    try:
        tables = [np.asarray(row, dtype=np.float64).reshape(len(row), -1) for row in rows]
        table = np.concatenate(tables)
    except (TypeError, ValueError) as error:
        problem = f"node_attr must hold numbers, as many for every node: {error}"
        raise DataError(f"{name}: {problem}") from None
    wrong = ~(np.abs(table) <= np.finfo(np.float32).max).all(axis=1)
    if wrong.any():
        row, ends = int(wrong.argmax()), np.cumsum(sizes)
        graph = int(np.searchsorted(ends, row, side="right"))
        node = row - int(ends[graph]) + sizes[graph]
        raise DataError(
            f"{name}, graph {graph}: node_attr of node {node} holds a number that is not finite; "
            "correct or remove it"
        )
    return torch.from_numpy(table.astype(np.float32))
