"""Graphs as commands name them: a known set or a file, one argument for both."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphpool.errors import DataError

if TYPE_CHECKING:
    from graphpool.graphs.graphset import GraphSet

SUFFIXES = (".jsonl", ".zip", ".npz", ".safetensors")
LEAST_GRAPHS = 10

Root = Annotated[
    Path | None,
    typer.Option(
        "--data-root", help="Folder of data files; by default GRAPHPOOL_DATA, else ./data."
    ),
]


def open_graphs(data: str, root: Path | None = None) -> "GraphSet":
    """The set of this name, or of this file or folder, with no features made yet."""
    from graphpool import datasets

    if is_path(data):
        return datasets.read(data, features=None)
    return datasets.load(data, root=root, features=None)


def open_classes(data: str, root: Path | None = None) -> "GraphSet":
    """The same for graphs that must have classes."""
    graphs = open_graphs(data, root)
    if graphs.y is None:
        raise DataError(f"{graphs.name} has no classes; give every graph a y, or use predict")
    return graphs


def open_training(data: str, root: Path | None = None) -> "GraphSet":
    """The same for graphs to learn from: enough for ten parts, and of more than one class."""
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


def is_path(data: str) -> bool:
    """Whether this is meant as a file or folder, and not as a name."""
    from graphpool.graphs import catalogue

    path = Path(data)
    if path.suffix in SUFFIXES or "/" in data or len(path.parts) > 1:
        return True
    return path.exists() and catalogue.resolve(data) not in catalogue.KNOWN


def short_name(data: str) -> str:
    """What a set is called, given its name or its file."""
    path = Path(data)
    return path.stem if path.suffix in SUFFIXES else path.name


def file_name(data: str) -> str:
    """The same for a file or folder: without the colon of knobs, which not every system takes."""
    return short_name(data).replace(":", "-")
