"""How loops are compiled, and when a compiled one on disk is out of date."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit


@cache
def digest(folder: Path, pattern: str) -> str:
    """A digest of all source files in a folder, and below it, whose names fit the pattern."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob(pattern)):
        found.update(path.read_bytes())
    return found.hexdigest()


def compiler(
    folder: Path, pattern: str = "*.py", **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a function, without the GIL, and keeps the result on disk.

    numba takes a kept result for good as long as the function's own file is unchanged, but it
    contains what the function calls and the constants it uses, which are in other files too: here
    it is kept as long as none of the sources named changes.

    Args:
        folder, pattern: the sources, as for `digest`.
        options: further ones of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = njit(cache=True, nogil=True, **options)(function)
        kept = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        if kept is not None:
            kept._source_stamp = digest(folder, pattern)
        return dispatcher

    return decorate
