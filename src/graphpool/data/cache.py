"""Parsed sets kept on disk under the hash of what they were parsed from.

A cache file is an optimisation and nothing else: a damaged, outdated or foreign one is built
again, and a folder that can't be written to only costs time.
"""

import functools
import hashlib
import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from graphpool.data.formats.safetensors import SUFFIX, open_set, save
from graphpool.data.pairs.pairset import PairSet
from graphpool.data.pairs.storage import open_pairs, save_pairs
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet

T = TypeVar("T")

log = logging.getLogger(__name__)


def cache_root() -> Path:
    """`GRAPHPOOL_CACHE`, else `graphpool` in the platform's folder for a user's caches."""
    if chosen := os.environ.get("GRAPHPOOL_CACHE"):
        return Path(chosen).expanduser()
    try:
        home = Path.home()
    except RuntimeError:  # an account without a home
        return Path(tempfile.gettempdir()) / f"graphpool-{os.environ.get('USER', 'user')}"
    if sys.platform == "darwin":
        base = home / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "graphpool"


def cache_key(digest: str, *, reader: str, version: int, **options: object) -> str:
    """What a parsed set depends on: the bytes of the source, the reader, and its options."""
    parts = {"digest": digest, "reader": reader, "version": version, "options": options}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def cached(
    name: str, key: str, build: Callable[[], GraphSet], folder: Path | None = None
) -> GraphSet:
    """The set kept under `key`; built, and kept, where there is none that can be trusted."""
    return _kept(
        name,
        key,
        build,
        folder,
        lambda path: open_set(path, source=key),
        lambda graphs, path: save(graphs, path, source=key),
    )


def cached_pairs(
    name: str, key: str, build: Callable[[], PairSet], folder: Path | None = None
) -> PairSet:
    """The same for a set of pairs, which is kept in two files."""
    return _kept(
        name,
        key,
        build,
        folder,
        lambda path: open_pairs(path, source=key),
        lambda pairs, path: save_pairs(pairs, path, source=key),
    )


def _kept(
    name: str,
    key: str,
    build: Callable[[], T],
    folder: Path | None,
    opened: Callable[[Path], T],
    saved: Callable[[T, Path], None],
) -> T:
    folder = folder or cache_root() / "sets"
    path = folder / f"{_safe(name)}-{key[:32]}{SUFFIX}"
    if _exists(path):
        try:
            return opened(path)
        except DataError as error:
            log.warning("cache file is built again: %s", error)
    made = build()
    try:
        saved(made, path)
    except OSError as error:
        _warn_once(str(folder), str(error))
    return made


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _safe(name: str) -> str:
    """A set's name as part of a file name."""
    return "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in name)[:80]


@functools.cache
def _warn_once(folder: str, reason: str) -> None:
    log.warning(
        "parsed sets can't be kept in %s (%s); set GRAPHPOOL_CACHE to a folder that can be "
        "written to", folder, reason,
    )  # fmt: skip
