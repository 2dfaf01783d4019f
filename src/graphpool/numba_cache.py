"""The decorator for compiled functions, and the digest that tells when a cached one is outdated."""

import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit


@cache
def digest(folder: Path, pattern: str) -> str:
    """Return a digest of the source files in a folder and its subfolders that match a pattern."""
    result = hashlib.sha256()
    for path in sorted(folder.rglob(pattern)):
        result.update(path.read_bytes())
    return result.hexdigest()


def compiler(
    folder: Path, pattern: str = "*.py", **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function, releases the GIL and caches the code on disk.

    numba reuses cached code as long as the function's own file is unchanged. That is not enough,
    because the code contains the functions that it calls and the constants that it uses, and
    these are in other files too. Here cached code is reused as long as none of the given source
    files changes.

    Args:
        folder: folder of the source files.
        pattern: pattern of their names. The file of a decorated function always counts.
        options: further options of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = njit(cache=True, nogil=True, no_cfunc_wrapper=True, **options)(function)
        cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        if cache_file is not None:
            stamp = digest(folder, pattern)
            own = Path(inspect.getfile(function))
            if not (own.is_relative_to(folder) and own.match(pattern)):
                stamp += digest(own.parent, own.name)
            cache_file._source_stamp = stamp
            # numba compares the version before it reads the rest of an index, which may name
            # argument types that no longer exist and can't be read then.
            cache_file._version = f"{cache_file._version} {stamp}"
        return dispatcher

    return decorate
