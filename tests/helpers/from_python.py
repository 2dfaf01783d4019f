"""Call compiled functions from Python that are compiled for calls by other ones only."""

from collections.abc import Callable
from typing import Any

from numba import njit


def from_python(function: Any) -> Callable[..., Any]:
    """Return a compiled function that passes its arguments on."""

    @njit
    def call(*arguments):  # type: ignore[no-untyped-def]
        return function(*arguments)

    return call  # type: ignore[no-any-return]
