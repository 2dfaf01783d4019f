"""How the loops of this room are compiled, and when a compiled one on disk is out of date."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

Decorator = Callable[[Callable[..., Any]], Any]


@cache
def _sources() -> str:
    """A digest of all source files of this room."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _compiler(**options: Any) -> Decorator:
    """A decorator that compiles a function, without the GIL, and keeps the result on disk.

    numba takes a kept result for good as long as the function's own file is unchanged, but it
    contains what the function calls and the constants it uses, which are in other files too.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = njit(cache=True, nogil=True, **options)(function)
        kept = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        if kept is not None:
            kept._source_stamp = _sources()
        return dispatcher

    return decorate


compiled = _compiler()
# The loops of the exact search only read and write arrays that they are given. Without numba's
# runtime they can't allocate, and don't count references, which costs as much as their work.
kernel = _compiler(_nrt=False)
# A call copies every field of the tuples it passes, so what is called once is put in its place.
inlined = _compiler(_nrt=False, inline="always")
