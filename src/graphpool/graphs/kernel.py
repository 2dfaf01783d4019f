"""How the loops over places are compiled, and when a compiled one on disk is out of date."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit


@cache
def _sources() -> str:
    """A digest of all source files whose functions are compiled here."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("places*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _compiler(**options: Any) -> Callable[[Callable[..., Any]], Any]:
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
# Every compiled function is optimised together with all that it calls, again and again up the
# chain of calls; what is put in its caller's place adds no link to that chain.
inlined = _compiler(inline="always")
