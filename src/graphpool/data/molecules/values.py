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
from torch import Tensor

GAPS = ("", "nan", "na", "n/a", "null", "none")
_LARGEST = float(np.finfo(np.float32).max)
_MOST_CLASS = 2**53
_SPOILT_NUMBER = re.compile(r"[<>~]?=?\s*[-+]?\d+([.,]\d+)?\s*%?")
_MANY = 1000  # different numbers, more than there are classes

Fail = Callable[[int, str], object]
"""Called with the position of a row, and what is wrong with it."""


class ValueReader:
    """Reads the values of molecules chunk by chunk, after it has looked at all of them.

    Args:
        names: of the columns.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._lists = self._words = self._fractions = self._others = False
        self._width: int | None = None  # of the first list
        self._cells = 0
        self._spoilt: set[str] = set()  # different numbers with a comma or a sign: `3,5`, `7%`

    def look(self, cells: Sequence[str]) -> None:
        """Find out what the cells of a chunk hold; for a single column alone."""
        values, words, gaps = _numbers_words_gaps(cells)
        self._lists |= any(cell.startswith("[") for cell in cells)
        self._cells += len(cells)
        if len(self._spoilt) < _MANY:
            self._spoilt.update(filter(_SPOILT_NUMBER.fullmatch, cells))
        self._words |= bool(words.any())
        self._fractions |= bool((np.isfinite(values) & (values != np.round(values))).any())
        self._others |= bool((gaps | (~words & (np.abs(values) >= _MOST_CLASS))).any())

    @property
    def _of_words(self) -> bool:
        """Whether classes are words, and not numbers that are spoilt."""
        spoilt = 2 * len(self._spoilt) > min(self._cells, 2 * _MANY - 1)
        return self._words and not self._fractions and not spoilt

    @property
    def target_names(self) -> tuple[str, ...]:
        """Names of the numbers that were read; none of classes."""
        if len(self._names) == 1 and self._lists:
            return tuple(f"{self._names[0]} {number}" for number in range(self._width or 1))
        return () if self.has_classes else tuple(self._names)

    @property
    def has_classes(self) -> bool:
        """Whether the values are classes and not numbers on a scale."""
        whole = not (self._words or self._fractions or self._others)
        return len(self._names) == 1 and not self._lists and (self._of_words or whole)

    def classes(self, cells: Sequence[str], fail: Fail) -> list[int | str]:
        """Return the classes that the cells of a chunk name."""
        values, _, gaps = _numbers_words_gaps(cells)
        if not self._of_words:
            return [int(value) for value in values]
        for row in np.flatnonzero(gaps).tolist():
            fail(row, f"no {self._names[0]}")
        return list(cells)

    def targets(self, columns: Sequence[Sequence[str]], fail: Fail) -> Tensor:
        """Return the numbers in the cells of a chunk, `[rows, targets]`; NaN for a gap."""
        if len(self._names) == 1 and self._lists:
            table = self._list_table(columns[0], fail)
        else:
            named = zip(self._names, columns, strict=True)
            table = np.stack([_numbers(name, cells, fail) for name, cells in named], 1)
        return torch.from_numpy(table.astype(np.float32))

    def _list_table(self, cells: Sequence[str], fail: Fail) -> "np.ndarray[Any, Any]":
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
            if len(numbers) != (self._width or len(numbers)):
                fail(row, f"{len(numbers)} numbers in a list, {self._width} in the lines before")
            elif any(map(math.isinf, numbers)):
                fail(row, f"{cell[:40]!r} holds a number that is not finite")
            else:
                self._width = len(numbers)
                rows.append(numbers)
        return np.array(rows).reshape(len(rows), self._width or 1)


def _numbers_words_gaps(
    cells: Sequence[str],
) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """Return the number in each cell, NaN for none, and which are words and gaps."""
    values = np.array([number(cell) for cell in cells])
    words = np.array([is_word(cell) for cell in cells], dtype=bool)
    return values, words, np.isnan(values) & ~words


def _numbers(name: str, cells: Sequence[str], fail: Fail) -> "np.ndarray[Any, Any]":
    values = np.array([number(cell) for cell in cells])
    for row in np.flatnonzero(~np.isfinite(values)).tolist():
        if math.isinf(values[row]):
            fail(row, f"{cells[row][:40]!r} in {name} is not finite")
        elif is_word(cells[row]):
            fail(row, f"{cells[row][:40]!r} in {name} is no number; write numbers as 3.5")
    return values


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
