"""What is to be predicted about each graph: classes, or numbers on a scale (targets).

Words and whole numbers are classes. Numbers with a fraction, lists of numbers and objects of named
numbers are targets: `[graphs, targets]`, NaN where one is unknown.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphpool.errors import DataError
from graphpool.graphs.vocabulary import target_names

Wrong = Callable[[int, str, str], DataError]
"""Makes the error about the graph at a position, of a problem and a hint."""


def plain_value(value: Any) -> Any:
    """Return a value of PyTorch or NumPy as one of Python; arrays become lists."""
    return value.tolist() if isinstance(value, (Tensor, np.ndarray, np.generic)) else value


def is_target(values: Sequence[Any]) -> bool:
    """Whether values of graphs, as Python has them, are numbers on a scale and no classes."""
    return any(
        isinstance(value, (list, tuple, Mapping))
        or (isinstance(value, float) and not value.is_integer())
        for value in values
    )


def read_targets(
    values: Sequence[Any], wrong: Wrong, key: str = "y", names: Sequence[str] = ()
) -> dict[str, Any]:
    """Return `target` and `target_names` of a `GraphSet`.

    Args:
        values: of each graph a number, a list of numbers or an object of named numbers; None and
            NaN stand for unknown ones.
        wrong: makes an error.
        key: under which the values were found, for messages.
        names: of the targets in lists; by default those of `target_names`.
    """
    layout = TargetLayout.of(values, wrong, key, names)
    return {"target": layout.table(values, wrong, key), "target_names": layout.names}


@dataclass(frozen=True)
class TargetLayout:
    """How the numbers of all graphs are given; it reads those of any of them.

    Args:
        named: whether each graph has an object of named numbers.
        names: of the targets.
    """

    named: bool
    names: tuple[str, ...]

    @classmethod
    def of(
        cls, values: Iterable[Any], wrong: Wrong, key: str, names: Sequence[str] = ()
    ) -> "TargetLayout":
        """Look at the values of all graphs; the arguments are those of `read_targets`."""
        given = (value for value in values if value is not None)
        first = next(given, None)
        if isinstance(first, Mapping):
            rest = itertools.chain([first], given)
            names = list(dict.fromkeys(name for value in rest for name in _keys(value)))
        width = len(first) if isinstance(first, (list, tuple, Mapping)) else 1
        named = tuple(names) or target_names(width)
        if not named or not all(isinstance(name, str) and name for name in named):
            raise wrong(0, f"{key} has no numbers", "give at least one, with a name")
        return cls(isinstance(first, Mapping), named)

    def table(self, values: Sequence[Any], wrong: Wrong, key: str) -> Tensor:
        """Return the numbers of some graphs, `[graphs, targets]`."""
        table = np.full((len(values), len(self.names)), np.nan)
        for position, value in enumerate(values):
            if value is None:
                continue
            if isinstance(value, Mapping) != self.named:
                hint = "write them in one way"
                raise wrong(position, f"{key} mixes named and plain numbers", hint)
            if isinstance(value, Mapping):
                row: Sequence[Any] = [value.get(name) for name in self.names]
            else:
                row = value if isinstance(value, (list, tuple)) else [value]
            if len(row) != len(self.names):
                problem = f"{len(row)} numbers in {key}, where {len(self.names)} are expected"
                hint = "give as many for every graph, null for unknown ones"
                raise wrong(position, problem, hint)
            for number in row:
                if number is not None and not isinstance(number, (int, float)):
                    problem = f"{str(number)[:40]!r} in {key} is no number"
                    hint = "targets are numbers, classes words or whole numbers; don't mix them"
                    raise wrong(position, problem, hint)
            table[position] = [math.nan if number is None else _float(number) for number in row]
            if (np.abs(table[position]) > np.finfo(np.float32).max).any():
                raise wrong(position, f"{key} holds a number that is not finite", "leave it out")
        return torch.from_numpy(table.astype(np.float32))


def _keys(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Mapping) else []


def _float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf
