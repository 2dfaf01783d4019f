"""Graphs of your own, one JSON object per line.

    {"id": "a", "node_labels": ["C", "N"], "edges": [[0, 1, "double"]], "y": "toxic"}

| key | meaning |
|---|---|
| `id` | name of the graph; its position if absent |
| `nodes` | number of nodes; not needed beside `node_labels` or `node_attributes` |
| `node_labels` | one word or whole number per node |
| `node_attributes` | one list of numbers per node |
| `edges` | `[source, target]` or `[source, target, label]`, nodes counted from 0; none if absent |
| `edge_labels`, `edge_attributes`, `edge_weights` | one item per edge, in the order of `edges` |
| `directed` | false by default: each edge then also leads back |
| `graph_attributes` | a list of numbers |
| `y` | the class, a word or a whole number |

A key that one graph has must be there for all of them; `id`, `nodes`, `edges` and `directed` may
be there for some. An unknown key is an error, and so is one that stands twice in an object.
"""

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphpool.data.formats.jsonl_row import Row, parse_row
from graphpool.errors import DataError
from graphpool.files import atomic_write
from graphpool.graphs.graphset import Graph, GraphSet, Name

VERSION = 2
"""Changes whenever the same file would give another `GraphSet`; caches depend on it."""


def read_jsonl(path: str | Path, name: str | None = None) -> GraphSet:
    """Read the graphs of a file; the set is called `name`, by default like the file."""
    path = Path(path)
    rows = _rows(path)
    if not rows:
        raise DataError.at(path, "the file is empty", hint="give one JSON object per line")
    seen: dict[str, int] = {}
    for row in rows:
        if row.id in seen:
            raise row.wrong(f"line {seen[row.id]} has the same id", "give every graph its own id")
        seen[row.id] = row.line
    y, classes = _codes(rows, "y", [[] if row.y is None else [row.y] for row in rows])
    node_label, node_names = _label_part(rows, "node_labels")
    edge_label, edge_names = _label_part(rows, "edge_labels")
    return GraphSet.build(
        name or path.stem,
        torch.tensor([row.nodes for row in rows]),
        torch.tensor([row.edges.shape[1] for row in rows]),
        torch.from_numpy(np.concatenate([row.edges for row in rows], axis=1)),
        ids=[row.id for row in rows],
        edge_weight=_number_part(rows, "edge_weights"),
        edge_label=edge_label,
        edge_attr=_number_part(rows, "edge_attributes"),
        node_label=node_label,
        node_attr=_number_part(rows, "node_attributes"),
        graph_attr=_number_part(rows, "graph_attributes"),
        y=y,
        classes=classes,
        node_label_names=node_names,
        edge_label_names=edge_names,
    )


def _rows(path: Path) -> list[Row]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError.at(path, "no such file", hint="check the path") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError.at(path, f"can't be read as UTF-8 text: {error}") from None
    rows: list[Row] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, object_pairs_hook=_unique)
        except _TwiceError as error:
            raise DataError.at(
                path, f"the key {error.key!r} stands twice", line=number, hint="keep one of them"
            ) from None
        except (ValueError, RecursionError) as error:
            raise DataError.at(path, f"not JSON: {error}", line=number) from None
        if not isinstance(value, dict):
            raise DataError.at(
                path, "not a JSON object", line=number, hint='write {"nodes": 3, "edges": []}'
            )
        rows.append(parse_row(path, number, len(rows), value))
    return rows


class _TwiceError(Exception):
    """A key that a JSON object has more than once; json itself would keep the last."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _TwiceError(counts.most_common(1)[0][0])
    return value


def _label_part(rows: list[Row], key: str) -> tuple[Tensor | None, tuple[Name, ...]]:
    _same_keys(rows, key)
    return _codes(rows, key, [row.parts.get(key, []) for row in rows])


def _codes(
    rows: list[Row], key: str, lists: list[list[Name]]
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Codes of names, one after the other, and the names in ascending order."""
    kinds: set[type] = set()
    for row, names in zip(rows, lists, strict=True):
        if key == "y" and bool(names) != bool(lists[0]):
            other = rows[0].id
            raise row.wrong(f"{'has a' if names else 'no'} y, unlike graph {other!r}",
                            "give y for all graphs or for none")  # fmt: skip
        kinds |= set(map(type, names))
        if len(kinds) > 1:
            raise row.wrong(f"{key} mixes words and numbers", "write all of them as words")
    flat = list(itertools.chain.from_iterable(lists))
    if not flat:
        return None, ()
    known = tuple(sorted(set(flat)))
    code = {each: position for position, each in enumerate(known)}
    return torch.tensor([code[each] for each in flat]), known


def _number_part(rows: list[Row], key: str) -> Tensor | None:
    _same_keys(rows, key)
    tables = [(row, row.parts[key]) for row in rows if key in row.parts]
    tables = [(row, table) for row, table in tables if len(table)]
    if not tables:
        return None
    width = tables[0][1].shape[1:]
    for row, table in tables:
        if table.shape[1:] != width:
            raise row.wrong(
                f"{table.shape[1]} numbers in each item of {key}, {width[0]} in the graphs before"
            )
    return torch.from_numpy(np.concatenate([table for _, table in tables]))


def _same_keys(rows: list[Row], key: str) -> None:
    """A key that one graph has must be there for every graph that has something to say of."""
    with_key = next((row for row in rows if key in row.parts), None)
    if with_key is None:
        return
    for row in rows:
        needed = row.edges.shape[1] > 0 if key.startswith("edge") else True
        if needed and key not in row.parts:
            raise row.wrong(f"no {key}, but graph {with_key.id!r} has them",
                            "give them for all graphs or for none")  # fmt: skip


def write_jsonl(graphs: GraphSet, path: str | Path) -> None:
    """Write the graphs so that `read_jsonl` gives them back.

    Made features (`x`) and `notes` are not written. A graph whose edges all lead both ways,
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
            "which JSON can't say"
        ) from None


def _object(graphs: GraphSet, graph: Graph) -> dict[str, Any]:
    """What is written about one graph."""
    of_edges = {
        "edge_attributes": _plain(graph.edge_attr),
        "edge_weights": _plain(graph.edge_weight),
    }
    if graph.edge_label is not None:
        of_edges["edge_labels"] = _names(graph.edge_label, graphs.edge_label_names)
    told = {key: values for key, values in of_edges.items() if values is not None}
    ends = graph.edge_index.T.tolist()
    directed = not graph.both_ways
    kept = [edge for edge, (u, v) in enumerate(ends) if directed or u <= v]
    value: dict[str, Any] = {"id": graph.id, "nodes": graph.num_nodes}
    if graph.node_label is not None:
        value["node_labels"] = _names(graph.node_label, graphs.node_label_names)
    if graph.node_attr is not None:
        value["node_attributes"] = _plain(graph.node_attr)
    value["edges"] = [ends[edge] for edge in kept]
    value |= {key: [values[edge] for edge in kept] for key, values in told.items()}
    if directed:
        value["directed"] = True
    if graph.graph_attr is not None:
        value["graph_attributes"] = _plain(graph.graph_attr)
    if graph.y is not None:
        value["y"] = graphs.classes[graph.y] if graphs.classes else graph.y
    return value


def _names(codes: Tensor, names: tuple[Name, ...]) -> list[Name]:
    return [names[code] for code in codes.tolist()] if names else codes.tolist()


def _plain(values: Tensor | None) -> Any:
    """Numbers as lists, in the fewest digits that give the same number back."""
    if values is None:
        return None
    table = values.detach().cpu().numpy()
    short = [float(str(number)) for number in table.reshape(-1)]
    return np.array(short, dtype=np.float64).reshape(table.shape).tolist()
