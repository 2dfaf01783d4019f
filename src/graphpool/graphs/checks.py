"""Checks of edges and fields before they become a `GraphSet`; errors name the set and graph."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from graphpool.errors import DataError

_PER = {
    "ids": "graphs",
    "edge_counts": "graphs",
    "y": "graphs",
    "graph_attr": "graphs",
    "node_label": "nodes",
    "node_attr": "nodes",
    "x": "nodes",
    "edge_label": "edges",
    "edge_attr": "edges",
    "edge_weight": "edges",
}


def check_lengths(name: str, counts: Mapping[str, int], given: Mapping[str, object]) -> None:
    """Refuse a field that does not have one entry per graph, node or edge."""
    for key, value in given.items():
        if value is None or key not in _PER:
            continue
        expected, unit = counts[_PER[key]], _PER[key]
        found = len(value)  # type: ignore[arg-type]
        if found != expected:
            raise DataError(f"{name}: {key} has {found} entries for {expected} {unit}")
    edge_counts = given["edge_counts"]
    if isinstance(edge_counts, Tensor) and int(edge_counts.sum()) != counts["edges"]:
        raise DataError(
            f"{name}: edge_counts add up to {int(edge_counts.sum())}, but edge_index holds "
            f"{counts['edges']} edges"
        )


def check_edges(
    name: str,
    ids: Sequence[str] | None,
    owner: Tensor,
    source: Tensor,
    target: Tensor,
    node_counts: Tensor,
) -> None:
    """Refuse a graph without nodes and an edge that leaves its graph."""
    empty = (node_counts < 1).nonzero().flatten()
    if len(empty):
        label = ids[int(empty[0])] if ids is not None else str(int(empty[0]))
        raise DataError(f"{name}, graph {label} has no nodes; leave it out")
    limit = node_counts[owner]
    bad = (source < 0) | (target < 0) | (source >= limit) | (target >= limit)
    if bad.any():
        edge = int(bad.nonzero()[0])
        graph = int(owner[edge])
        label = ids[graph] if ids is not None else str(graph)
        raise DataError(
            f"{name}, graph {label}: edge {int(source[edge])} -> {int(target[edge])} "
            f"leaves its {int(node_counts[graph])} nodes"
        )
