"""Text columns of a set, one value for each graph, such as its SMILES, its split or a date."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphpool.errors import InputError

Columns = Mapping[str, tuple[str, ...]]


def check_columns(where: str, columns: Any, graphs: int) -> None:
    """Refuse columns that are not named tuples of words with one for each graph."""
    if not isinstance(columns, Mapping):
        raise InputError(f"{where}: columns is a {type(columns).__name__}; give a dict of tuples")
    for name, values in columns.items():
        if not isinstance(name, str) or not isinstance(values, tuple):
            raise InputError(f"{where}: columns must be tuples of words by their names")
        if len(values) != graphs:
            raise InputError(
                f"{where}: column {name!r} has {len(values)} entries for {graphs} graphs"
            )
        if not set(map(type, values)) <= {str}:
            raise InputError(f"{where}: column {name!r} must be a tuple of words")


def take_columns(columns: Columns, index: Sequence[int]) -> Columns:
    """Return the values of the chosen graphs."""
    return {name: tuple(values[i] for i in index) for name, values in columns.items()}


def join_columns(parts: Iterable[tuple[Columns, int]]) -> Columns:
    """Return the columns of several sets, one after the other.

    Args:
        parts: columns and number of graphs of each set; one that lacks a column has empty text.
    """
    parts = list(parts)
    names = dict.fromkeys(name for columns, _ in parts for name in columns)
    return {
        name: tuple(v for columns, count in parts for v in columns.get(name, ("",) * count))
        for name in names
    }
