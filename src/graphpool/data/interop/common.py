"""What conversions from other libraries share."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from graphpool.data.targets import is_target, plain_value, read_targets
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


def answers(values: Sequence[Any] | None, count: int, name: str, key: str = "y") -> dict[str, Any]:
    """Return what is to be predicted about each graph, as fields of a `GraphSet`.

    Words and whole numbers are classes; numbers with a fraction, and lists of numbers, targets.
    """
    if values is None:
        return {}
    plain = [plain_value(value) for value in values]
    if len(plain) != count:
        raise DataError(
            f"{name}: {key} has {plural(len(plain), 'value')} for {plural(count, 'graph')}; "
            "give one each"
        )
    if is_target(plain):
        return read_targets(plain, partial(_wrong, name), key)
    codes, names = named_codes(plain, key, name)
    return {"y": codes, "classes": names}


def _wrong(name: str, position: int, problem: str, hint: str) -> DataError:
    return DataError(f"{name}, graph {position}: {problem}; {hint}")


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
