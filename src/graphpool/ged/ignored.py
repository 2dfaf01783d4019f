"""What graphs have that the edit distance does not count."""

from collections.abc import Sequence
from typing import Any

from graphpool.errors import FeatureWarning, plural, warn


def not_counted(
    graphs: Any, node_label: str = "label", edge_label: str = "label"
) -> tuple[str, ...]:
    """Say what graphs have beside edges and labels, such as `18 node attributes`.

    Args: as for `graphpool.ged.collection.collect`.
    """
    whole = hasattr(graphs, "node_ptr") and hasattr(graphs, "edge_index")
    items = [graphs] if whole else graphs if isinstance(graphs, Sequence) else ()
    widths: dict[str, int] = {}
    names: dict[str, set[str]] = {"node": set(), "edge": set()}
    for graph in items:
        if hasattr(graph, "is_directed"):  # of NetworkX
            names["node"].update(str(key) for _, about in graph.nodes(data=True) for key in about)
            names["edge"].update(str(key) for *_, about in graph.edges(data=True) for key in about)
            continue
        for name in ("node_attr", "edge_attr"):
            values = getattr(graph, name, None)
            if values is not None and values.shape[1]:
                widths[f"{name[:4]} attribute"] = values.shape[1]
        if getattr(graph, "edge_weight", None) is not None:
            widths["edge weight"] = 1
    found = [plural(count, name) for name, count in widths.items()]
    for kind, label in (("node", node_label), ("edge", edge_label)):
        if rest := sorted(names[kind] - {label}):
            found.append(f"the {kind} {'attribute' if len(rest) == 1 else 'attributes'} "
                         f"{', '.join(rest)}")  # fmt: skip
    return tuple(found)


def warn_not_counted(graphs: Any, node_label: str = "label", edge_label: str = "label") -> None:
    """Warn if graphs have something that the edit distance does not count."""
    if found := not_counted(graphs, node_label, edge_label):
        warn(f"the edit distance does not count {' and '.join(found)}", FeatureWarning)
