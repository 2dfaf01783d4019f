"""Cache of parsed sets on disk, by the hash of their source.

A damaged or outdated cache file is built again, and a folder that can't be written to only costs
time.
"""

import functools
import hashlib
import json
import logging
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from graphpool.data.formats.safetensors import SUFFIX
from graphpool.errors import DataError, WriteError, warn
from graphpool.files import private_folder, temporary_root

T = TypeVar("T")

log = logging.getLogger(__name__)


def cache_root() -> Path:
    """Return `GRAPHPOOL_CACHE`, else `graphpool` in the platform's folder for user caches.

    An account without a home gets a private folder among the temporary files. `WriteError` if
    others can write to that one.
    """
    if chosen := os.environ.get("GRAPHPOOL_CACHE"):
        return Path(chosen).expanduser()
    try:
        home = Path.home()
    except RuntimeError:  # an account without a home
        user = os.environ.get("USERNAME", "user") if sys.platform == "win32" else os.getuid()
        return private_folder(temporary_root() / f"graphpool-{user}")
    if sys.platform == "darwin":
        base = home / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "graphpool"


def cache_key(digest: str, *, reader: str, version: int, **options: object) -> str:
    """Return the hash of what a parsed set depends on: source bytes, reader and its options."""
    parts = {"digest": digest, "reader": reader, "version": version, "options": options}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def cached(
    name: str,
    key: str,
    build: Callable[[], T],
    open_file: Callable[..., T],
    save_file: Callable[..., None],
    folder: Path | None = None,
    write_file: Callable[[Path, str], object] | None = None,
) -> T:
    """Return the set or pairs cached under `key`; build and cache them if there are no valid ones.

    Args:
        open_file, save_file: `open_set` and `save` for a set, `open_pairs` and `save_pairs` for
            pairs, which take two files.
        write_file: builds a set and writes it to a path with its key, in place of `build` and
            `save_file`, for a set that need not be in memory.
    """
    try:
        folder = folder or cache_root() / "sets"
    except WriteError as error:
        _warn_once(str(error))
        return build()
    safe_name = re.sub(r"[^\w.-]", "_", name)[:80]
    path = folder / f"{safe_name}-{key[:32]}{SUFFIX}"
    try:
        if path.is_file():
            return open_file(path, source=key)
    except DataError as error:
        log.warning("cache file is built again: %s", error)
    except OSError:  # a folder that can't be looked into
        pass
    if write_file is not None:
        try:
            write_file(path, key)
        except WriteError as error:
            _warn_once(f"{folder}: {error.strerror}" if error.strerror else str(error))
            return build()
        try:
            return open_file(path, source=key)
        except (DataError, OSError) as error:  # such as one with a header beyond the limits
            log.warning("cache file is not used: %s", error)
            return build()
    value = build()
    try:
        save_file(value, path, source=key)
    except WriteError as error:
        _warn_once(f"{folder}: {error.strerror}")
    return value


@functools.cache
def _warn_once(reason: str) -> None:
    warn(
        f"parsed sets are not cached ({reason}); set GRAPHPOOL_CACHE to a folder that can be "
        "written to"
    )
