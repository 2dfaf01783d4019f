"""Limits on what a file may ask for, so that a small one can't take all memory.

A file that goes beyond one is refused by an error that names the limit. `GRAPHPOOL_LIMITS` (such
as `nodes=1e9,unpacked_bytes=32e9`), `graphpool --limits` and `use_limits` raise them.
"""

import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from pathlib import Path

from graphpool.errors import ConfigError, DataError, brief, nearest

VARIABLE = "GRAPHPOOL_LIMITS"
_SMALL = 1 << 24  # an archive that unpacks to less may have any ratio


@dataclass(frozen=True)
class Limits:
    """The most that one file may hold or declare.

    Args:
        graphs, nodes, edges: of the file; an undirected edge counts once or twice, as it is given.
        bare_nodes: nodes of the file that are only counted: no label, attribute or edge is theirs.
        attributes: numbers of one node, edge or graph.
        name_length: characters of an id, a label or a class.
        smiles_length: characters of a SMILES.
        line_bytes: of one line of a text file.
        document_bytes, settings_bytes: of a JSON file, and of a TOML file.
        header_bytes: of the JSON header in a safetensors file.
        depth: lists and objects inside each other.
        unpacked_bytes: what a zip unpacks to, and what a matrix of distances takes in memory.
        unpacked_ratio: unpacked over packed bytes of a whole zip, if it unpacks to over 16 MiB.
    """

    graphs: int = 20_000_000
    nodes: int = 500_000_000
    edges: int = 2_000_000_000
    bare_nodes: int = 1_000_000
    attributes: int = 100_000
    name_length: int = 10_000
    smiles_length: int = 10_000
    line_bytes: int = 1 << 26
    document_bytes: int = 1 << 24
    settings_bytes: int = 1 << 20
    header_bytes: int = 1 << 26
    depth: int = 64
    unpacked_bytes: int = 1 << 33
    unpacked_ratio: int = 200

    def check(
        self, where: str | Path, what: str, value: int, about: str = "", *, line: int | None = None
    ) -> None:
        """Raise a `DataError` if `value` is over the limit called `what`.

        Args:
            about: what there is too much of; by default the name of the limit.
        """
        limit = getattr(self, what)
        if value > limit:
            raise DataError.at(
                where,
                f"{value:,} {about or what.replace('_', ' ')} are over the limit of {limit:,}",
                line=line,
                hint=f"if they are meant, raise it with {VARIABLE}={what}={value} or --limits",
            )

    def check_counts(self, where: str | Path, graphs: int, nodes: int, edges: int) -> None:
        """Raise a `DataError` if a set of graphs is too large."""
        for what, value in {"graphs": graphs, "nodes": nodes, "edges": edges}.items():
            self.check(where, what, value)

    def check_archive(self, where: str | Path, packed: int, unpacked: int) -> None:
        """Raise a `DataError` if an archive unpacks to too much, by what it declares."""
        self.check(where, "unpacked_bytes", unpacked)
        if unpacked > _SMALL:
            ratio = unpacked // max(packed, 1)
            about = "times its size is what it unpacks to, and such ratios"
            self.check(where, "unpacked_ratio", ratio, about)

    def with_settings(self, text: str, source: str = VARIABLE) -> "Limits":
        """Return these limits with those of a text such as `nodes=1e9,edges=1e10`."""
        known = {item.name for item in fields(self)}
        changed: dict[str, int] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, value = (word.strip() for word in part.partition("="))
            if name not in known:
                raise ConfigError(f"{source}: there is no limit {name!r}; {nearest(name, known)}")
            try:
                changed[name] = int(float(value))
            except (ValueError, OverflowError):
                changed[name] = 0
            if changed[name] < 1:
                raise ConfigError(
                    f"{source}: {name} is {brief(value)}; give a positive number, such as "
                    f"{name}=1e9"
                )
        return replace(self, **changed)


_chosen: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current_limits() -> Limits:
    """Return the limits in use: of `use_limits`, else the default with `GRAPHPOOL_LIMITS`."""
    chosen = _chosen.get()
    return _limits_of(os.environ.get(VARIABLE, "")) if chosen is None else chosen


@functools.lru_cache
def _limits_of(text: str) -> Limits:
    return Limits().with_settings(text)


@contextmanager
def use_limits(limits: Limits | None) -> Iterator[None]:
    """Read files with these limits inside the block; None changes nothing."""
    token = _chosen.set(current_limits() if limits is None else limits)
    try:
        yield
    finally:
        _chosen.reset(token)
