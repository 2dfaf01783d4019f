"""Numbers as text, and tables that a terminal or a page can print."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from graphpool.errors import plural as plural

NONE = "–"


class Table(NamedTuple):
    """Rows under column titles; columns named in `right` are aligned to the right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    right: Sequence[str] = ()


Lines = list[str | Table]
"""A result in words: lines of text and tables, in the order in which they are printed."""


def percent(value: float | None) -> str:
    """A fraction as a percentage with one digit."""
    return NONE if value is None or not math.isfinite(value) else f"{100 * value:.1f} %"


def decimal(value: float | None) -> str:
    """A number with three digits."""
    return NONE if value is None or not math.isfinite(value) else f"{value:.3f}"
