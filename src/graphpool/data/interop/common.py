"""What conversions from other libraries share."""

from typing import Any

from graphpool.errors import DataError


def list_graphs(graphs: Any, attribute: str, name: str) -> list[Any]:
    """Return the graphs as a list; refuse a single graph and anything without `attribute`."""
    if hasattr(graphs, attribute):
        raise DataError(f"{name}: this is one graph; give a list of graphs, such as [graph]")
    items = list(graphs)
    for position, item in enumerate(items):
        if not hasattr(item, attribute):
            raise DataError(
                f"{name}, graph {position}: {type(item).__name__} is not a graph of this library; "
                "give a list of graphs"
            )
    return items
