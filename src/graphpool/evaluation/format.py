"""Numbers as text, and tables that a terminal or a page can print."""

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from graphpool.errors import plural as plural

NONE = "–"
# What spreadsheets take for a formula, unless it is a number.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


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


def csv_cell(value: Any) -> Any:
    """A value for a CSV file; text that a spreadsheet would run as a formula gets a `'` before it.

    That is text that begins with `=`, `+`, `-`, `@`, a tab or a line break, except numbers. Text
    that looks escaped already is escaped once more, so that `plain_cell` is the exact inverse.
    """
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def plain_cell(text: str) -> str:
    """The text that `csv_cell` has written into a cell."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
