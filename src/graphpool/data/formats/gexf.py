"""Read sets of GEXF files in `train` and `test` folders, as edit-distance sets come.

A set is `NAME/train/ID.gexf` and `NAME/test/ID.gexf`, in a folder or a zip: the layout of
AIDS700nef, LINUX and others. Graphs are in the order train, test, each by ascending id: that of
PyTorch Geometric and of the `.npz` files of these sets. Node labels are the attribute `type`, edge
labels `valence`, or the only attribute that is declared.

These sets come with a `ged.pickle`, which is never opened: loading a pickle runs whatever code is
in it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.data.formats.base import natural
from graphpool.data.formats.gexf_xml import GexfGraph, parse_gexf
from graphpool.data.formats.zips import damage_at, digest_files, list_zip, open_files, slashes
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.vocabulary import coded

NAME = "gexf"
VERSION = 1

_FILE = re.compile(r"(?:(?P<base>.*)/)?(?P<part>train|test)/(?P<id>[^/.][^/]*)\.gexf")


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a folder or zip holds `train/ID.gexf` or `test/ID.gexf`."""
    try:
        return any(_FILE.fullmatch(slashes(file)) for file in _list_files(path, name))
    except DataError:
        return False


def identify(path: Path, name: str | None = None) -> tuple[str, str]:
    """Return the name of the set and the SHA-256 of its files."""
    files = _find(path, name)
    return files.name, files.digest()


def read(path: str | Path, name: str | None = None) -> GraphSet:
    """Read the set at `path`, a folder or a zip; `name` says which, where there are several."""
    files = _find(path, name)
    ids = files.ids()
    parsed = {where: parse_gexf(data, where) for where, data in files.contents()}
    paths, graphs = list(parsed), list(parsed.values())
    node_label, node_names = _labels(paths, [graph.node_labels for graph in graphs], "node")
    # A graph without edges need not declare what they would be labelled with.
    edge_labels = [graph.edge_labels if graph.edges else [] for graph in graphs]
    edge_label, edge_names = _labels(paths, edge_labels, "edge")
    ends = np.array([edge for graph in graphs for edge in graph.edges], dtype=np.int64)
    return GraphSet.build(
        files.name,
        torch.tensor([graph.nodes for graph in graphs]),
        torch.tensor([len(graph.edges) for graph in graphs]),
        torch.from_numpy(np.ascontiguousarray(ends.reshape(-1, 2).T)),
        ids=ids,
        undirected=True,
        edge_label=edge_label,
        node_label=node_label,
        node_label_names=node_names,
        edge_label_names=edge_names,
        notes=_notes(files, graphs),
    )


@dataclass(frozen=True)
class GexfFiles:
    """The files of the set `name`, by ascending id, named from `path` on."""

    path: Path
    name: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    pickles: tuple[str, ...] = ()

    @classmethod
    def find(cls, path: str | Path, name: str | None = None) -> "GexfFiles | None":
        """Look for such a set in a folder or a zip; None where there is none."""
        path = Path(path)
        listed = _list_files(path, name)
        sets: dict[str, dict[str, list[str]]] = {}
        for file in listed:
            if match := _FILE.fullmatch(slashes(file)):
                parts = sets.setdefault(match["base"] or "", {"train": [], "test": []})
                parts[match["part"]].append(file)
        if not sets:
            return None
        base = _choose(path, name, sorted(sets))
        inside = PurePosixPath(base).name
        return cls(
            path,
            name or (inside if inside not in ("", "raw") else path.resolve().stem),
            tuple(sorted(sets[base]["train"], key=_by_id)),
            tuple(sorted(sets[base]["test"], key=_by_id)),
            tuple(file for file in listed if file.endswith(".pickle")),
        )

    def ids(self) -> tuple[str, ...]:
        """The names of the graphs: train, then test."""
        ids: dict[str, str] = {}
        for file in (*self.train, *self.test):
            if (other := ids.setdefault(graph_id(file), file)) != file:
                raise DataError.at(
                    f"{self.path}/{file}", f"{other} has the same id", hint="keep one of them"
                )
        return tuple(ids)

    def is_test(self) -> NDArray[np.bool_]:
        """Whether each graph is of the test part, `[graphs]`: train, then test."""
        return np.arange(len(self.train) + len(self.test)) >= len(self.train)

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the path of each file, for error messages, and its bytes: train, then test."""
        with open_files(self.path) as open_file:
            for file in (*self.train, *self.test):
                where = f"{self.path}/{file}"
                with damage_at(where), open_file(file) as stream:
                    data = stream.read()
                yield where, data

    def digest(self) -> str:
        """SHA-256 over the bytes that the set is read from."""
        read = (*self.train, *self.test)
        return digest_files(self.path, zip(read, read, strict=True), self.pickles)


def graph_id(file: str) -> str:
    """The id of the graph in a file."""
    return PurePosixPath(slashes(file)).stem


def _by_id(file: str) -> tuple[bool, int, str]:
    return natural(graph_id(file))


def _list_files(path: Path, name: str | None) -> list[str]:
    """List the files of a zip, or of a folder: in it, in `raw`, and in folders called `name`."""
    if not path.is_dir():
        return list_zip(path)
    name = name or path.resolve().name
    folders = (path, path / name, path / "raw", path / "raw" / name)
    files = (
        file
        for folder in folders
        for pattern in ("train/*.gexf", "test/*.gexf", "*.pickle")
        for file in folder.glob(pattern)
    )
    return [file.relative_to(path).as_posix() for file in files]


def _choose(path: Path, name: str | None, bases: list[str]) -> str:
    """The folder of the set that is asked for, or the only one there is."""
    named = [base for base in bases if PurePosixPath(base).name == name]
    if len(chosen := named or bases) == 1:
        return chosen[0]
    names = ", ".join(base or "." for base in bases)
    raise DataError.at(path, f"holds several sets: {names}", hint="keep one of them here")


def _find(path: str | Path, name: str | None) -> GexfFiles:
    files = GexfFiles.find(path, name)
    if files is None:
        raise DataError.at(path, "holds no train/ID.gexf or test/ID.gexf", hint="check the path")
    return files


def _labels(
    paths: Sequence[str], labels: Sequence[list[Name] | None], kind: str
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Codes of all graphs end to end; labels are there for all graphs or for none."""
    if not any(labels):
        return None, ()
    if None in labels:
        raise DataError.at(
            paths[labels.index(None)],
            f"no attribute of {kind}s is declared, and other graphs have one",
            hint="label the nodes or edges of all graphs, or of none",
        )
    codes, names = coded([name for each in labels for name in each or ()])
    return torch.from_numpy(codes), names


def _notes(files: GexfFiles, graphs: Sequence[GexfGraph]) -> list[str]:
    notes = [
        f"{file} was not opened, because a pickle can run any code; distances are read from "
        f"{files.name}.npz"
        for file in files.pickles
    ]
    unread = sorted({what for graph in graphs for what in graph.unread})
    return [*notes, f"not read: {', '.join(unread)}"] if unread else notes
