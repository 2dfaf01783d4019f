"""Values to predict, read from the cells of one or several columns.

Whole numbers and words of one column are classes. Other numbers, numbers with gaps, several
columns, and lists of numbers are targets; a gap is NaN.
"""

import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from graphpool.graphs.vocabulary import coded

GAPS = ("", "nan", "na", "n/a", "null", "none")
_LARGEST = float(np.finfo(np.float32).max)
_MOST_CLASS = 2**53
_SPOILT_NUMBER = re.compile(r"[<>~]?=?\s*[-+]?\d+([.,]\d+)?\s*%?")

Fail = Callable[[int, str], None]
"""Called with the position of a row and what is wrong with it; raises, or the row is left out."""


def value_fields(
    names: Sequence[str], columns: Sequence[Sequence[str]], fail: Fail
) -> dict[str, Any]:
    """Return the fields of a `GraphSet` for the values of its graphs.

    Args:
        names: of the columns.
        columns: the cells of each column, one for each graph.
    """
    if not names:
        return {}
    if len(names) == 1:
        cells = columns[0]
        if any(cell.startswith("[") for cell in cells):
            table = _lists(cells, fail)
            names = [f"{names[0]} {number}" for number in range(table.shape[1])]
            return _targets(names, table)
        if (classes := _classes(names[0], cells, fail)) is not None:
            codes, known = coded(classes)
            return {"y": torch.from_numpy(codes), "classes": known}
    table = np.stack(
        [_numbers(name, cells, fail) for name, cells in zip(names, columns, strict=True)], 1
    )
    return _targets(names, table)


def _targets(names: Sequence[str], table: "np.ndarray[Any, Any]") -> dict[str, Any]:
    return {"target": torch.from_numpy(table.astype(np.float32)), "target_names": tuple(names)}


def _classes(name: str, cells: Sequence[str], fail: Fail) -> list[int | str] | None:
    """Return the classes that cells name; None if they are numbers on a scale, or have gaps."""
    values = np.array([number(cell) for cell in cells])
    words = np.array([is_word(cell) for cell in cells], dtype=bool)
    gaps = np.isnan(values) & ~words
    fractions = np.isfinite(values) & (values != np.round(values))
    if not words.any() or fractions.any() or _spoilt_numbers(cells):
        whole = not (gaps | words | fractions).any() and (np.abs(values) < _MOST_CLASS).all()
        return [int(value) for value in values] if whole else None
    for row in np.flatnonzero(gaps).tolist():
        fail(row, f"no {name}")
    return list(cells)


def _spoilt_numbers(cells: Sequence[str]) -> bool:
    """Whether most cells hold different numbers with a comma or a sign, such as `3,5` or `7%`."""
    return 2 * len(set(filter(_SPOILT_NUMBER.fullmatch, cells))) > len(cells)


def _numbers(name: str, cells: Sequence[str], fail: Fail) -> "np.ndarray[Any, Any]":
    values = np.array([number(cell) for cell in cells])
    for row in np.flatnonzero(~np.isfinite(values)).tolist():
        if math.isinf(values[row]):
            fail(row, f"{cells[row][:40]!r} in {name} is not finite")
        elif is_word(cells[row]):
            fail(row, f"{cells[row][:40]!r} in {name} is no number; write numbers as 3.5")
    return values


def _lists(cells: Sequence[str], fail: Fail) -> "np.ndarray[Any, Any]":
    rows: list[list[float]] = []
    for row, cell in enumerate(cells):
        try:
            values = json.loads(cell)
        except (ValueError, RecursionError):
            values = None
        kinds = {int, float, type(None)}
        if not isinstance(values, list) or not values or not set(map(type, values)) <= kinds:
            fail(row, f"{cell[:40]!r} is no list of numbers")
            continue
        numbers = [math.nan if value is None else _float(value) for value in values]
        if rows and len(numbers) != len(rows[0]):
            fail(row, f"{len(numbers)} numbers in a list, {len(rows[0])} in the lines before")
        elif any(map(math.isinf, numbers)):
            fail(row, f"{cell[:40]!r} holds a number that is not finite")
        else:
            rows.append(numbers)
    return np.array(rows) if rows else np.zeros((0, 1))


def _float(value: float) -> float:
    """Return a number that 32 bits can hold, or infinity."""
    try:
        return float(value) if abs(value) <= _LARGEST or value != value else math.inf
    except OverflowError:
        return math.inf


def number(cell: str) -> float:
    """Return the number in a cell; NaN for a gap or a word, infinity for one that is too large."""
    try:
        value = float(cell) if "_" not in cell else math.nan
    except ValueError:
        return math.nan
    return _float(value)


def is_word(cell: str) -> bool:
    """Whether a cell holds neither a number nor a gap."""
    return cell.casefold() not in GAPS and math.isnan(number(cell))
