"""Checks of edges and fields before they become a `GraphSet`; errors name the set and graph."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from graphpool.errors import DataError

# The fields of a `GraphSet` that may be absent, and what they have one entry per.
UNITS = {
    "y": "graphs",
    "graph_attr": "graphs",
    "graph_weight": "graphs",
    "node_label": "nodes",
    "node_attr": "nodes",
    "x": "nodes",
    "edge_label": "edges",
    "edge_attr": "edges",
    "edge_weight": "edges",
}
# The names that codes of labels and classes refer to, and what `x` was made from.
NAMES = ("classes", "node_label_names", "edge_label_names", "x_from")
_LENGTHS = {"ids": "graphs", "edge_counts": "graphs", **UNITS}


def check_lengths(name: str, counts: Mapping[str, int], given: Mapping[str, object]) -> None:
    """Refuse a field that does not have one entry per graph, node or edge."""
    for key, value in given.items():
        unit = _LENGTHS.get(key)
        if value is None or unit is None:
            continue
        found = len(value)  # type: ignore[arg-type]
        if found != counts[unit]:
            raise DataError(f"{name}: {key} has {found} entries for {counts[unit]} {unit}")
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

    def label(graph: int) -> str:
        return str(graph) if ids is None else ids[graph]

    empty = (node_counts < 1).nonzero().flatten()
    if len(empty):
        raise DataError(f"{name}, graph {label(int(empty[0]))} has no nodes; leave it out")
    limit = node_counts[owner]
    bad = (source < 0) | (target < 0) | (source >= limit) | (target >= limit)
    if bad.any():
        edge = int(bad.nonzero()[0])
        graph = int(owner[edge])
        raise DataError(
            f"{name}, graph {label(graph)}: edge {int(source[edge])} -> {int(target[edge])} "
            f"leaves its {int(node_counts[graph])} nodes"
        )
