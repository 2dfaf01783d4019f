"""The interface of a format, which each module of this package implements."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from graphpool.data.paths import stem
from graphpool.documents import UNREADABLE, open_binary
from graphpool.files import sha256_file
from graphpool.graphs.graphset import GraphSet
from graphpool.limits import current_limits

Names = TypeVar("Names", bound=Sequence[int | str])


@runtime_checkable
class Format(Protocol):
    """A module that reads one format.

    `NAME` and `VERSION` are part of the keys of cached sets: `VERSION` changes whenever the same
    files would give another `GraphSet`.
    """

    NAME: str
    VERSION: int

    def recognises(self, path: Path, name: str | None = None) -> bool:
        """Whether the file or folder has this format, by its content; never raises."""

    def identify(self, path: Path, name: str | None = None) -> tuple[str, str]:
        """Return the name of the set and the SHA-256 of the bytes that it is read from."""

    def read(self, path: Path, name: str | None = None) -> GraphSet:
        """Read the set; `name` says which, where there are several, and what to call it."""


def natural(name: str) -> tuple[bool, int, str]:
    """Sort key of ids: numbers ascend as numbers, and words follow them."""
    number = name.isascii() and name.isdecimal() and len(name) < 19
    return not number, int(name) if number else 0, name


def check_sizes(where: str | Path, *, graphs: int, nodes: int, edges: int, described: bool) -> None:
    """Refuse a set that is too large, or that declares nodes which the file says nothing about.

    Args:
        edges: as the file gives them.
        described: whether the file holds a label or attributes of every node.
    """
    limits = current_limits()
    limits.check_counts(where, graphs, nodes, edges)
    if not described:
        about = "nodes that have no label, no attributes and no edge"
        limits.check(where, "bare_nodes", nodes - 2 * edges, about)


def first_bytes(path: Path, count: int, unpack: bool = False) -> bytes:
    """Return the beginning of a file; nothing if it can't be opened.

    Args:
        unpack: whether a file that gzip packed is unpacked.
    """
    try:
        with open_binary(path) if unpack else path.open("rb") as handle:
            return handle.read(count)
    except UNREADABLE:
        return b""


def check_name_lengths(where: str | Path, names: Names) -> Names:
    """Return names of graphs, labels or classes, or refuse one that is too long."""
    longest = max((len(name) for name in names if isinstance(name, str)), default=0)
    current_limits().check(where, "name_length", longest, "characters of a name")
    return names


def check_names(where: str | Path, graphs: GraphSet) -> GraphSet:
    """Return the set, or refuse names of graphs, labels and classes that are too long."""
    check_name_lengths(
        where, (*graphs.ids, *graphs.classes, *graphs.node_label_names, *graphs.edge_label_names)
    )
    return graphs


def identify(path: Path, name: str | None = None) -> tuple[str, str]:
    """Identify a set in one file, which is called like the file by default; see `Format`."""
    return name or stem(path), sha256_file(path)
