"""Read and write JSON lines: one object per line is one graph.

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
| `y` | the class, a word or a whole number; or what is to be predicted as a number, or a list |
| `targets` | numbers to predict by their names, `{"logp": -0.77, "mass": null}`; null is unknown |
| `columns` | an object of words, such as `{"split": "train"}` |

A key that one graph has must be there for all of them; `id`, `nodes`, `edges` and `directed` may
be there for some, and so may `columns`. An unknown key is an error, and so is a repeated one.
"""

import codecs
import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.data.bad_rows import BadRows
from graphpool.data.formats.base import check_sizes, first_bytes
from graphpool.data.formats.base import identify as identify
from graphpool.data.formats.node_link import is_node_link, node_link_set
from graphpool.data.paths import stem
from graphpool.data.read_options import ReadOptions
from graphpool.data.targets import is_target, read_targets
from graphpool.documents import read_json_lines
from graphpool.errors import DataError, nearest, plural, shortened
from graphpool.graphs.columns import join_columns
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.vocabulary import coded
from graphpool.limits import current_limits
from graphpool.shapes import fit

NAME = "jsonl"
VERSION = 3
OPTIONS = frozenset({"skip_bad"})

_LABELS = {"node_labels": "node", "edge_labels": "edge"}
_NUMBERS = {"node_attributes": "node", "edge_attributes": "edge", "edge_weights": "edge"}
_OTHER = {"id", "nodes", "edges", "directed", "y", "targets", "columns", "graph_attributes"}
KEYS = {*_OTHER, *_LABELS, *_NUMBERS}
_MOST_NAME = 2**63 - 1
_MOST_NODES = 2**31 - 1  # ids of nodes are stored in 32 bits


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a file, packed by gzip or not, begins like lines of JSON objects.

    An object over several lines is of the format `json`.
    """
    begin = first_bytes(path, 1 << 12, unpack=True).removeprefix(codecs.BOM_UTF8).lstrip()
    line, newline, rest = begin.partition(b"\n")
    whole = not newline or line.rstrip().endswith(b"}") or rest.lstrip().startswith(b"{")
    return begin.startswith(b"{") and whole


def read(path: str | Path, name: str | None = None, options: ReadOptions | None = None) -> GraphSet:
    """Read the graphs of a file; the set is called `name`, by default like the file."""
    path, bad = Path(path), options.bad if options else BadRows()
    objects = read_json_lines(path, damaged=partial(bad.add_error, path) if bad.skip else None)
    return build(path, objects, name, "give one JSON object per line", bad)


def build(
    path: Path,
    objects: Iterable[tuple[int | None, Any]],
    name: str | None,
    hint: str,
    bad: BadRows | None = None,
) -> GraphSet:
    """Make a set of JSON objects, one for each graph, and the line of each.

    Args:
        hint: what to do if there are none.
        bad: what becomes of lines that can't be read.
    """
    bad = bad or BadRows()
    given = iter(objects)
    first = next(given, None)
    if first is None:
        raise DataError.at(path, "the file is empty", hint=hint)
    given = itertools.chain([first], given)
    if is_node_link(first[1]):
        return node_link_set(path, given, name or stem(path), bad)
    rows = _rows(path, given, bad)
    if not rows:
        raise bad.nothing_left(path, hint)
    target = _targets(rows)
    y, classes = _codes(rows, "y", [[] if row.y is None else [row.y] for row in rows])
    node_label, node_names = _label_part(rows, "node_labels")
    edge_label, edge_names = _label_part(rows, "edge_labels")
    return GraphSet.build(
        name or stem(path),
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
        **target,
        node_label_names=node_names,
        edge_label_names=edge_names,
        columns=join_columns((row.columns, 1) for row in rows),
        notes=bad.notes(len(rows) + len(bad.rows)),
    )


# ---------------------------------------------------------------------- one line


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
    given = {key: value[key] for key in (*_LABELS, *_NUMBERS) if key in value}
    if labels is not None:
        given["edge_labels"] = labels
    directed = value.get("directed", False)
    if not isinstance(directed, bool):
        raise row.wrong("directed is neither true nor false")
    row.edges, source = (edges, None) if directed else _both_ways(edges)
    for key, items in given.items():
        kind = (_LABELS | _NUMBERS)[key]
        count = row.nodes if kind == "node" else edges.shape[1]
        if not isinstance(items, list) or len(items) != count:
            raise row.wrong(f"{key} must be a list with one item for each of its {count} {kind}s")
        back = source if kind == "edge" else None
        if key in _LABELS:
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


# ---------------------------------------------------------------------- all lines


def _rows(path: Path, objects: Iterable[tuple[int | None, Any]], bad: BadRows) -> list[Row]:
    rows: list[Row] = []
    seen: dict[str, int | None] = {}
    nodes = edges = described = 0
    for number, value in objects:
        try:
            row = _row(path, number, len(rows) + len(bad.rows), value, seen)
        except DataError as error:
            bad.add_error(path, number, error, json.dumps(value, ensure_ascii=False))
            continue
        rows.append(row)
        bad.good = len(rows)
        nodes, edges = nodes + row.nodes, edges + row.edges.shape[1]
        described += row.nodes if row.parts.keys() & {"node_labels", "node_attributes"} else 0
        # Nodes with labels or attributes take room in the file; only the others are declared.
        bare = nodes - described
        check_sizes(path, graphs=len(rows), nodes=nodes, edges=edges, described=bare <= 2 * edges)
    return rows


def _targets(rows: list[Row]) -> dict[str, Any]:
    """Return numbers to predict; a `y` that holds them, and no classes, is taken from the rows."""
    values, key = [row.targets for row in rows], "targets"
    numbers = is_target([row.y for row in rows])
    if numbers and any(value is not None for value in values):
        raise rows[0].wrong("numbers both in y and in targets", "give them once, in targets")
    if numbers:
        values, key = [row.y for row in rows], "y"
    for row in rows:
        row.y = None if numbers else int(row.y) if isinstance(row.y, float) else row.y
    if all(value is None for value in values):
        return {}
    return read_targets(values, lambda at, *about: rows[at].wrong(*about), key)


def _row(
    path: Path, number: int | None, position: int, value: Any, seen: dict[str, int | None]
) -> Row:
    """Check a line; `seen` are the ids of the lines before, and their lines."""
    if not isinstance(value, dict):
        hint = 'write {"nodes": 3, "edges": []}'
        raise DataError.at(path, "not a JSON object", line=number, hint=hint)
    row = parse_row(path, number, position, value)
    if row.id in seen:
        line = seen[row.id]
        other = "another graph" if line is None else f"line {line}"
        raise row.wrong(f"{other} has the same id", "give every graph its own id")
    seen[row.id] = number
    return row


def _label_part(rows: list[Row], key: str) -> tuple[Tensor | None, tuple[Name, ...]]:
    _same_keys(rows, key)
    return _codes(rows, key, [row.parts.get(key, []) for row in rows])


def _codes(
    rows: list[Row], key: str, lists: list[list[Name]]
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Return the codes of all names, and the names in ascending order."""
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
    codes, known = coded(flat)
    return torch.from_numpy(codes), known


def _number_part(rows: list[Row], key: str) -> Tensor | None:
    _same_keys(rows, key)
    tables = [(row, row.parts[key]) for row in rows if len(row.parts.get(key, ()))]
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
    """Check that a key which one graph has is there for all graphs that need it."""
    with_key = next((row for row in rows if key in row.parts), None)
    if with_key is None:
        return
    for row in rows:
        needed = row.edges.shape[1] > 0 if key.startswith("edge") else True
        if needed and key not in row.parts:
            raise row.wrong(f"no {key}, but graph {with_key.id!r} has them",
                            "give them for all graphs or for none")  # fmt: skip
