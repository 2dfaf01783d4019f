"""Read lists of edges in a CSV file, with a line of column names.

    graph,source,target,label,y
    ethanol,C1,C2,single,safe
    ethanol,C2,O,single,safe

| column | meaning | if absent |
|---|---|---|
| `source`, `target` | nodes by any names, which count within a graph | required |
| `graph` | id of the graph | all edges are of one graph |
| `weight` | a number | every edge has weight 1 |
| `label` | a word or whole number | no labels |
| `y` | class of the graph, or a number to predict, the same in all its lines | neither |
| any other | a number: an attribute of the edge | no attributes |

Edges are undirected. A line without a target is a node without an edge. Commas, semicolons or tabs
separate the columns; their order is free, and `graph_id`, `from` and `to` are known too.
"""

import csv
import io
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from graphpool.data.formats.base import check_names, check_sizes, first_bytes
from graphpool.data.formats.base import identify as identify
from graphpool.data.paths import stem
from graphpool.data.targets import is_target, read_targets
from graphpool.documents import read_binary
from graphpool.errors import DataError, nearest, plural
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.vocabulary import coded

NAME = "csv"
VERSION = 3

COLUMNS = ("graph", "source", "target", "weight", "label", "y")
_ALIASES = {
    "graph_id": "graph", "from": "source", "src": "source", "u": "source", "to": "target",
    "dst": "target", "v": "target", "edge_label": "label", "bond": "label", "kind": "label",
    "type": "label", "class": "y",
}  # fmt: skip
_BOM = b"\xef\xbb\xbf"
_MOST_COLUMNS = 1000
_WHOLE = re.compile("-?[0-9]{1,18}")


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether the first line of a file names the columns `source` and `target`."""
    line = first_bytes(path, 1 << 12, unpack=True).removeprefix(_BOM).split(b"\n")[0]
    return {"source", "target"} <= set(_columns(line.decode("utf-8", "replace"))[0])


def read(path: str | Path, name: str | None = None) -> GraphSet:
    """Read the graphs of a file; the set is called `name`, by default like the file."""
    path = Path(path)
    graphs: dict[str, _Lines] = {}
    for line, cells in _rows(path):
        _add(path, line, cells, graphs)
    if not graphs:
        raise DataError.at(path, "no edges", hint="give one in each line")
    rows = list(graphs.values())
    nodes, edges = sum(len(each.nodes) for each in rows), sum(len(each.ends) for each in rows)
    check_sizes(path, graphs=len(rows), nodes=nodes, edges=edges, described=True)
    ends = [end for each in rows for end in each.ends]
    weights = [weight for each in rows for weight in each.weights]
    attributes = [numbers for each in rows for numbers in each.attributes]
    label, label_names = _codes([each.labels for each in rows])
    numbers = _numbers([each.y or "" for each in rows])
    if numbers is None:
        y, classes = _codes([[] if each.y is None else [each.y] for each in rows])
        answers: dict[str, Any] = {"y": y, "classes": classes}
    else:
        first = [each.first for each in rows]
        answers = read_targets(
            numbers, lambda at, what, hint: DataError.at(path, what, line=first[at], hint=hint)
        )
    graphs_of_file = GraphSet.build(
        name or stem(path),
        torch.tensor([len(each.nodes) for each in rows]),
        torch.tensor([len(each.ends) for each in rows]),
        torch.from_numpy(np.array(ends, dtype=np.int64).reshape(-1, 2).T.copy()),
        ids=list(graphs) if list(graphs) != [""] else None,
        undirected=True,
        edge_weight=torch.tensor(weights) if weights else None,
        edge_attr=torch.tensor(attributes) if attributes and attributes[0] else None,
        edge_label=label,
        edge_label_names=label_names,
        **answers,
    )
    return check_names(path, graphs_of_file)


class _Lines(NamedTuple):
    """What the lines of one graph say; nodes are numbered in the order in which they appear."""

    first: int
    y: str | None
    nodes: dict[str, int]
    ends: list[tuple[int, int]]
    weights: list[float]
    labels: list[str]
    attributes: list[list[float]]


def _columns(header: str) -> tuple[list[str], str]:
    """Return the columns that the first line names, under our names, and what separates them."""
    separator = max(",;\t", key=header.count)
    words = [word.strip().strip('"').casefold() for word in header.split(separator)]
    return [_ALIASES.get(word, word) for word in words], separator


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield number and cells of each line that is not blank."""
    try:
        text = read_binary(path, "unpacked_bytes").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError.at(path, f"not UTF-8 text: {error}", hint="save it as UTF-8") from None
    if not text.strip():
        raise DataError.at(path, "the file is empty", hint="name the columns in its first line")
    columns, separator = _columns(text.partition("\n")[0])
    for column in ("source", "target"):
        if column not in columns:
            hint = (
                "name the columns in the first line, such as source,target; a column of SMILES is "
                "named by --smiles (smiles=)"
            )
            raise DataError.at(path, f"there is no column {column!r}", line=1, hint=hint)
    if len(columns) > _MOST_COLUMNS:
        problem = f"{len(columns):,} columns, over {_MOST_COLUMNS:,}"
        raise DataError.at(path, problem, line=1, hint="write such graphs as JSON lines")
    for column in columns:
        near = nearest(column, COLUMNS)
        if column not in COLUMNS and (not column or near.startswith("did you mean")):
            raise DataError.at(path, f"unknown column {column!r}", line=1, hint=near)
        if columns.count(column) > 1:
            raise DataError.at(path, f"two columns {column!r}", line=1, hint="keep one of them")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        next(lines)
        for cells in lines:
            if not any(cells):
                continue
            if len(cells) != len(columns):
                problem = f"{plural(len(cells), 'cell')} where {len(columns)} are expected"
                raise DataError.at(path, problem, line=lines.line_num, hint="correct this line")
            stripped = (cell.strip() for cell in cells)
            yield lines.line_num, dict(zip(columns, stripped, strict=True))
    except csv.Error as error:
        problem = f"can't be read as CSV: {error}"
        raise DataError.at(path, problem, line=lines.line_num, hint="correct this line") from None


def _add(path: Path, line: int, cells: dict[str, str], graphs: dict[str, _Lines]) -> None:
    """Add the edge of a line to its graph."""
    for column in ("graph", "source", "y"):
        if cells.get(column) == "":
            hint = "give it in every line, or leave the column out"
            raise DataError.at(path, f"no {column}", line=line, hint=hint)
    y = cells.get("y")
    graph = graphs.setdefault(cells.get("graph", ""), _Lines(line, y, {}, [], [], [], []))
    if graph.y != y:
        problem = f"y is {y!r} here and {graph.y!r} in line {graph.first} of the same graph"
        raise DataError.at(path, problem, line=line, hint="a graph has one class")
    source = graph.nodes.setdefault(cells["source"], len(graph.nodes))
    if not cells["target"]:  # a node without an edge
        return
    target = graph.nodes.setdefault(cells["target"], len(graph.nodes))
    graph.ends.append((source, target))
    if "weight" in cells:
        graph.weights.append(_number(path, line, "weight", cells["weight"]))
    graph.attributes.append(
        [_number(path, line, column, cells[column]) for column in cells if column not in COLUMNS]
    )
    if "label" in cells:
        if not cells["label"]:
            hint = "give every edge one, or leave the column out"
            raise DataError.at(path, "no label", line=line, hint=hint)
        graph.labels.append(cells["label"])


def _number(path: Path, line: int, column: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not abs(number) <= float(np.finfo(np.float32).max):
        problem = f"the {column} {text[:40]!r} is not a finite number"
        hint = "correct this line"
        if column not in COLUMNS:
            hint = f"columns but {', '.join(COLUMNS)} hold numbers, the attributes of edges"
        raise DataError.at(path, problem, line=line, hint=hint)
    return number


def _numbers(words: list[str]) -> list[float] | None:
    """Return numbers on a scale; None if the words are classes."""
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return None
    return numbers if is_target(numbers) else None


def _codes(lists: list[list[str]]) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Return codes of names, and the names; they are whole numbers if all of them are."""
    words = [word for words in lists for word in words]
    if not words:
        return None, ()
    whole = all(map(_WHOLE.fullmatch, words))
    codes, names = coded([int(word) for word in words] if whole else words)
    return torch.from_numpy(codes), names
