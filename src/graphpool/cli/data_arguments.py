"""Arguments that name graphs: a known set or a file, one argument for both."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphpool.data.catalogue import is_path as is_path
from graphpool.data.catalogue import short_name as short_name
from graphpool.errors import DataError, nearest

if TYPE_CHECKING:
    from graphpool.graphs.graphset import GraphSet

LEAST_GRAPHS = 10

Root = Annotated[
    Path | None,
    typer.Option(
        "--data-root", help="Folder of data files; by default GRAPHPOOL_DATA, else ./data."
    ),
]


def open_graphs(data: str, root: Path | None = None) -> "GraphSet":
    """Open the set of this name, file or folder, without features."""
    from graphpool.data.load import find

    return find(data, root, features=None)


def open_one(text: str, root: Path | None = None) -> "tuple[GraphSet, str]":
    """Open the graph that `text` names, as a set of its own, and return what to call it.

    `text` is a file with one graph, SET:ID, or SET:#N for the graph at position N from 0.
    """
    data, mark, which = text.rpartition(":")
    if not mark or Path(text).exists():
        graphs = open_graphs(text, root)
        if len(graphs) != 1:
            raise DataError(
                f"{text} has {len(graphs)} graphs; choose one as {text}:ID or {text}:#NUMBER, "
                "with numbers from 0"
            )
        return graphs, graphs.name
    graphs = open_graphs(data, root)
    return graphs[[_position(graphs, data, which)]], f"{graphs.name}:{which}"


def _position(graphs: "GraphSet", data: str, which: str) -> int:
    if which.startswith("#"):
        number = which[1:]
        if not number.isdecimal() or int(number) >= len(graphs):
            raise DataError(f"{data}:{which}: graphs are #0 to #{len(graphs) - 1}")
        return int(number)
    if which not in graphs.ids:
        near = nearest(which, graphs.ids)
        hint = near if near.startswith("did") else f"ids are {some_ids(graphs.ids)};"
        raise DataError(f"{data} has no graph {which!r}; {hint} {data}:#NUMBER goes by position")
    return graphs.ids.index(which)


def some_ids(ids: tuple[str, ...]) -> str:
    """List the first few ids."""
    return ", ".join(ids[:5]) + (", …" if len(ids) > 5 else "")


def open_classes(data: str, root: Path | None = None) -> "GraphSet":
    """Open graphs that must have classes."""
    graphs = open_graphs(data, root)
    if graphs.y is None:
        raise DataError(f"{graphs.name} has no classes; give every graph a y, or use predict")
    return graphs


def open_training(data: str, root: Path | None = None) -> "GraphSet":
    """Open graphs to learn from: enough for ten parts, and of more than one class."""
    graphs = open_classes(data, root)
    assert graphs.y is not None
    if len(graphs) < LEAST_GRAPHS:
        raise DataError(
            f"{graphs.name} has {len(graphs)} graphs; at least {LEAST_GRAPHS} are needed, to "
            "train, to choose the epoch and to test on"
        )
    if bool((graphs.y == graphs.y[0]).all()):
        raise DataError(
            f"all graphs of {graphs.name} are of one class; a classifier needs at least two"
        )
    return graphs


def file_name(data: str) -> str:
    """Return a name for a file or folder of this set, without the colon of its settings."""
    return short_name(data).replace(":", "-")
