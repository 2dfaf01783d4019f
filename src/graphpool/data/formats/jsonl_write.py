"""Write JSON lines, as `graphpool.data.formats.jsonl` reads them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from graphpool.errors import DataError
from graphpool.files import atomic_write
from graphpool.graphs.graphset import Graph, GraphSet, Name


def write_jsonl(graphs: GraphSet, path: str | Path) -> None:
    """Write the graphs so that `read` gives them back.

    Features (`x`) and `notes` are not written. A graph whose edges all lead both ways,
    with the same labels and numbers, is written as an undirected one.
    """
    try:
        with atomic_write(path, "w") as handle:
            for graph in graphs:
                text = json.dumps(_object(graphs, graph), ensure_ascii=False, allow_nan=False)
                handle.write(text + "\n")
    except ValueError:
        raise DataError(
            f"{graphs.name}: its attributes or weights hold numbers that are not finite, "
            "which JSON can't represent"
        ) from None


def _object(graphs: GraphSet, graph: Graph) -> dict[str, Any]:
    """Return the JSON object of one graph."""
    ends = graph.edge_index.T.tolist()
    directed = not graph.is_bidirected
    kept = [edge for edge, (u, v) in enumerate(ends) if directed or u <= v]

    def of_kept(values: list[Any] | None) -> list[Any] | None:
        return None if values is None else [values[edge] for edge in kept]

    value = {
        "id": graph.id,
        "nodes": graph.num_nodes,
        "node_labels": _names(graph.node_label, graphs.node_label_names),
        "node_attributes": _plain(graph.node_attr),
        "edges": of_kept(ends),
        "edge_attributes": of_kept(_plain(graph.edge_attr)),
        "edge_weights": of_kept(_plain(graph.edge_weight)),
        "edge_labels": of_kept(_names(graph.edge_label, graphs.edge_label_names)),
        "directed": directed or None,
        "graph_attributes": _plain(graph.graph_attr),
        "y": graphs.classes[graph.y] if graphs.classes and graph.y is not None else graph.y,
        "targets": _named(graphs, graph),
        "columns": dict(graph.columns) or None,
    }
    return {key: part for key, part in value.items() if part is not None}


def _names(codes: Tensor | None, names: tuple[Name, ...]) -> list[Name] | None:
    if codes is None:
        return None
    return [names[code] for code in codes.tolist()] if names else codes.tolist()


def _named(graphs: GraphSet, graph: Graph) -> dict[str, float | None] | None:
    if graph.target is None:
        return None
    numbers = [None if number != number else number for number in _plain(graph.target)]
    return dict(zip(graphs.target_names, numbers, strict=True))


def _plain(values: Tensor | None) -> Any:
    """Numbers as lists, in the fewest digits that give the same number back."""
    if values is None:
        return None
    table = values.detach().cpu().numpy()
    short = [float(str(number)) for number in table.reshape(-1)]
    return np.array(short, dtype=np.float64).reshape(table.shape).tolist()
