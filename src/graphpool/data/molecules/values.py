"""Values to predict, read from the cells of one or several columns.

Whole numbers and words of one column are classes. Other numbers, numbers with gaps, several
columns, and lists of numbers are targets; a gap is NaN.
"""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from graphpool.graphs.vocabulary import coded

GAPS = ("", "nan", "na", "n/a", "null", "none")
_LARGEST = float(np.finfo(np.float32).max)
_MOST_CLASS = 2**53

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
    numbers = [number(cell) for cell in cells]
    gaps = [value is not None and math.isnan(value) for value in numbers]
    words = [i for i, value in enumerate(numbers) if value is None]
    if not words:
        whole = not any(gaps) and all(
            v is not None and v.is_integer() and abs(v) < _MOST_CLASS for v in numbers
        )
        return [int(value) for value in numbers if value is not None] if whole else None
    fractions = [v for v in numbers if v is not None and not math.isnan(v) and not v.is_integer()]
    for row in words if fractions else ():
        fail(row, f"{cells[row][:40]!r} in {name} is no number, unlike other lines")
    for row in () if fractions else np.flatnonzero(gaps).tolist():
        fail(row, f"no {name}")
    return None if fractions else list(cells)


def _numbers(name: str, cells: Sequence[str], fail: Fail) -> "np.ndarray[Any, Any]":
    values = np.empty(len(cells))
    for row, cell in enumerate(cells):
        value = number(cell)
        if value is None:
            fail(row, f"{cell[:40]!r} in {name} is no number")
        values[row] = math.nan if value is None else value
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
    return np.array(rows)


def _float(value: float) -> float:
    """Return a number that 32 bits can hold, or infinity."""
    try:
        return float(value) if abs(value) <= _LARGEST or value != value else math.inf
    except OverflowError:
        return math.inf


def number(cell: str) -> float | None:
    """Return the number in a cell; NaN for a gap, None for a word."""
    if cell.casefold() in GAPS:
        return math.nan
    try:
        value = float(cell) if "_" not in cell else math.inf
    except ValueError:
        return None
    return value if abs(value) <= _LARGEST else None
