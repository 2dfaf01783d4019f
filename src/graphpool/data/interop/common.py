"""What conversions from other libraries share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from graphpool.errors import DataError, FeatureWarning, brief, plural, warn
from graphpool.graphs.vocabulary import Name, coded


def list_graphs(graphs: Any, attribute: str, name: str) -> list[Any]:
    """Return one graph or several as a list; refuse anything without `attribute`."""
    if hasattr(graphs, attribute):
        return [graphs]
    items = list(graphs)
    for position, item in enumerate(items):
        if not hasattr(item, attribute):
            raise DataError(
                f"{name}, graph {position}: {type(item).__name__} is not a graph of this library; "
                "give a list of graphs"
            )
    return items


def named_codes(
    values: Iterable[Any] | None, key: str | None, name: str
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Return integers and strings as codes into their sorted names."""
    if values is None:
        return None, ()
    labels = [
        str(value) if isinstance(value, str) else _integer(value, key, name) for value in values
    ]
    codes, names = coded(labels)
    return torch.from_numpy(codes), names


def class_codes(y: Sequence[Any], count: int, name: str) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Return classes that are given beside the graphs as codes, and what the codes mean."""
    classes = list(y)
    if len(classes) != count:
        raise DataError(
            f"{name}: y has {plural(len(classes), 'class', 'classes')} for "
            f"{plural(count, 'graph')}; give one each"
        )
    return named_codes(classes, "y", name)


def unused_note(unused: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return a note about attributes that are not used, given by what has them; none if all are."""
    listed = [
        f"{', '.join(repr(str(key)) for key in sorted(keys, key=str))} {owner}"
        for owner, keys in unused.items()
        if keys
    ]
    return (f"not used: {'; '.join(listed)}",) if listed else ()


def warn_unused(name: str, notes: Iterable[str], hint: str) -> None:
    """Warn of the notes that `unused_note` made."""
    for note in notes:
        warn(f"{name}: {note}; {hint}", FeatureWarning)


def _integer(value: Any, key: str | None, name: str) -> int:
    try:
        if int(value) == value:
            return int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise DataError(f"{name}: {key} is {brief(value)}; labels and classes are integers or strings")
