"""The interface of a format, which each module of this package implements."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from graphpool.files import sha256_file
from graphpool.graphs.graphset import GraphSet
from graphpool.limits import current_limits


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


def first_bytes(path: Path, count: int) -> bytes:
    """Return the beginning of a file; nothing if it can't be opened."""
    try:
        with path.open("rb") as handle:
            return handle.read(count)
    except OSError:
        return b""


def identify(path: Path, name: str | None = None) -> tuple[str, str]:
    """Identify a set in one file, which is called like the file by default; see `Format`."""
    return name or path.stem, sha256_file(path)
