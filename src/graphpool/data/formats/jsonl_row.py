"""Check the JSON object of one graph; the keys are those of `graphpool.data.formats.jsonl`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import DataError, nearest, plural, shortened
from graphpool.limits import current_limits
from graphpool.shapes import fit

LABELS = {"node_labels": "node", "edge_labels": "edge"}
NUMBERS = {"node_attributes": "node", "edge_attributes": "edge", "edge_weights": "edge"}
_OTHER = {"id", "nodes", "edges", "directed", "y", "targets", "columns", "graph_attributes"}
KEYS = {*_OTHER, *LABELS, *NUMBERS}
_MOST_NAME = 2**63 - 1
_MOST_NODES = 2**31 - 1  # ids of nodes are stored in 32 bits


@dataclass
class Row:
    """One line, checked; `parts` are its labels and numbers, edges already in both directions."""

    path: Path
    line: int | None
    id: str
    nodes: int = 0
    edges: NDArray[np.int64] = field(default_factory=lambda: np.zeros((2, 0), dtype=np.int64))
    y: Any = None
    targets: Any = None
    parts: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, tuple[str]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of nodes, edges, labels, numbers and characters of text."""
        parts = (len(part) if key in LABELS else part.size for key, part in self.parts.items())
        text = sum(len(value) for (value,) in self.columns.values())
        return int(self.nodes + self.edges.shape[1] + sum(parts) + text)

    def wrong(self, problem: str, hint: str = "") -> DataError:
        """Return the error to raise about this graph."""
        name = shortened(self.id, 80)
        return DataError.at(self.path, f"graph {name!r}: {problem}", line=self.line, hint=hint)


def parse_row(path: Path, line: int | None, position: int, value: dict[str, Any]) -> Row:
    """Check the JSON object of a line; `position` is the id of a graph that has none."""
    label = value.get("id", position)
    row = Row(path, line, label if isinstance(label, str) else json.dumps(label)[:80])
    if type(label) not in (str, int):
        raise row.wrong("its id is neither a word nor a whole number")
    _check_names(row, "id", [label])
    for key in value:
        if key not in KEYS:
            raise row.wrong(f"unknown key {key!r}", nearest(key, KEYS))
    row.nodes = _node_count(row, value)
    edges, labels = _edges(row, value.get("edges", []))
    if labels is not None and "edge_labels" in value:
        raise row.wrong("labels both in edges and in edge_labels", "give them once")
    given = {key: value[key] for key in (*LABELS, *NUMBERS) if key in value}
    if labels is not None:
        given["edge_labels"] = labels
    directed = value.get("directed", False)
    if not isinstance(directed, bool):
        raise row.wrong("directed is neither true nor false")
    row.edges, source = (edges, None) if directed else _both_ways(edges)
    for key, items in given.items():
        kind = (LABELS | NUMBERS)[key]
        count = row.nodes if kind == "node" else edges.shape[1]
        if not isinstance(items, list) or len(items) != count:
            raise row.wrong(f"{key} must be a list with one item for each of its {count} {kind}s")
        back = source if kind == "edge" else None
        if key in LABELS:
            _check_names(row, key, items)
            row.parts[key] = items if back is None else [items[edge] for edge in back.tolist()]
        else:
            table = _table(row, key, items, 1 if key == "edge_weights" else 2)
            row.parts[key] = table if back is None else table[back]
    if "graph_attributes" in value:
        row.parts["graph_attributes"] = _table(row, "graph_attributes",
                                               [value["graph_attributes"]], 2)  # fmt: skip
    y = value.get("y")
    row.y, row.targets = int(y) if isinstance(y, bool) else y, value.get("targets")
    if row.y is not None and type(row.y) not in (float, list):
        _check_names(row, "y", [row.y])
    columns = fit(dict[str, str], value.get("columns", {}), f"{path}: line {line}", DataError)
    row.columns = {key: (text,) for key, text in columns.items()}
    return row


def _node_count(row: Row, value: dict[str, Any]) -> int:
    counts = {key: len(value[key]) for key in ("node_labels", "node_attributes")
              if isinstance(value.get(key), list)}  # fmt: skip
    if "nodes" in value:
        if type(value["nodes"]) is not int:
            raise row.wrong("nodes must be a whole number")
        counts = {"nodes": value["nodes"], **counts}
    if not counts:
        raise row.wrong("no nodes", "give nodes, node_labels or node_attributes")
    if len(set(counts.values())) > 1:
        found = ", ".join(f"{count} in {key}" for key, count in counts.items())
        raise row.wrong(f"different numbers of nodes: {found}")
    count = next(iter(counts.values()))
    if count > _MOST_NODES:
        raise row.wrong(f"{count} nodes are too many", f"{_MOST_NODES} are allowed")
    if count < 1:
        raise row.wrong("a graph needs at least one node", "leave this graph out")
    return count


def _edges(row: Row, edges: Any) -> tuple[NDArray[np.int64], list[Any] | None]:
    """Source and target, `[2, edges]`, and the labels where edges carry them."""
    if not isinstance(edges, list):
        raise row.wrong("edges must be a list of [source, target]")
    widths = {len(edge) if isinstance(edge, list) else 0 for edge in edges} or {2}
    if len(widths) > 1 or not widths <= {2, 3}:
        raise row.wrong("every edge must be [source, target], or every one with a label behind")
    ends = [end for edge in edges for end in edge[:2]]
    if not set(map(type, ends)) <= {int}:
        wrong = next(edge for edge in edges if not set(map(type, edge[:2])) <= {int})
        raise row.wrong(f"edge {json.dumps(wrong)} does not join two node numbers")
    if ends and (min(ends) < 0 or max(ends) >= row.nodes):
        wrong = next(edge for edge in edges if not 0 <= min(edge[:2]) <= max(edge[:2]) < row.nodes)
        raise row.wrong(
            f"edge {json.dumps(wrong)} leads to a node that does not exist",
            f"it has {plural(row.nodes, 'node')}, numbered from 0",
        )
    table = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    return table, [edge[2] for edge in edges] if widths == {3} else None


def _both_ways(edges: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each edge followed by its way back, and the position of the edge each one comes from.

    The reverse follows each edge directly: of contradicting labels the first one given then wins.
    """
    both = np.stack([edges, edges[::-1]], axis=2).reshape(2, -1)
    source = np.repeat(np.arange(edges.shape[1]), 2)
    kept = np.ones(both.shape[1], dtype=bool)
    kept[1::2] = edges[0] != edges[1]
    return both[:, kept], source[kept]


def _check_names(row: Row, key: str, items: Sequence[Any]) -> None:
    if not set(map(type, items)) <= {str, int}:
        wrong = next(item for item in items if type(item) not in (str, int))
        hint = "give a class, a number or a list of numbers" if key == "y" else ""
        raise row.wrong(f"{json.dumps(wrong)} in {key} is neither a word nor a whole number", hint)
    longest = max((len(item) for item in items if type(item) is str), default=0)
    if longest:
        about = f"characters of a name in {key}"
        current_limits().check(row.path, "name_length", longest, about, line=row.line)
    if any(type(item) is int and not -_MOST_NAME <= item <= _MOST_NAME for item in items):
        raise row.wrong(f"{key} holds a number that is too large", "write it as a word")


def _table(row: Row, key: str, items: list[Any], dimensions: int) -> NDArray[np.float32]:
    """Finite numbers, `[items]` or `[items, channels]`."""
    flat = items if dimensions == 1 else [x for row in items if type(row) is list for x in row]
    if not set(map(type, flat)) <= {int, float}:  # words would take the room of the longest
        raise row.wrong(f"{key} must hold {'numbers' if dimensions == 1 else 'lists of numbers'}")
    try:
        table = np.array(items)
    except ValueError:
        raise row.wrong(f"the lists in {key} are not equally long") from None
    if table.size == 0 and not items:
        table = np.zeros((0,) * dimensions)
    if table.ndim != dimensions or table.dtype.kind not in "if":
        raise row.wrong(f"{key} must hold {'numbers' if dimensions == 1 else 'lists of numbers'}")
    wrong = ~(np.abs(table) <= np.finfo(np.float32).max)
    if wrong.any():
        at, unit = int(np.argwhere(wrong)[0][0]), key.partition("_")[0]
        which = f" for {unit} {at}" if unit in ("node", "edge") else ""
        number = table[wrong].flatten()[0]
        raise row.wrong(f"{key} holds {number}{which}, which is not finite", "correct or remove it")
    return table.astype(np.float32)
