"""Labels as whole numbers: codes into the sorted names that occur."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

Name = int | str


def target_names(count: int) -> tuple[str, ...]:
    """Return the names of targets that have none of their own: y, or y0, y1, ...."""
    return ("y",) if count == 1 else tuple(f"y{number}" for number in range(count))


def is_labels(target: Tensor) -> bool:
    """Whether all known values of targets, `[graphs, targets]`, are 0 or 1."""
    known = ~target.isnan()
    return bool(known.any() and (~known | (target == 0) | (target == 1)).all())


def coded(values: Sequence[Name]) -> tuple[NDArray[np.int64], tuple[Name, ...]]:
    """Return the code of each value, `[values]`, and the names in the order of codes.

    Numbers come before words; both ascend, so that codes don't depend on the order of values.
    """
    names = sorted(set(values), key=lambda value: (isinstance(value, str), value))
    code = {name: number for number, name in enumerate(names)}
    return np.array([code[value] for value in values], dtype=np.int64), tuple(names)


def named(codes: NDArray[Any], names: Sequence[Name]) -> NDArray[Any]:
    """Return the name of each code; the codes themselves where they have none."""
    if not names:
        return codes
    mixed = len({isinstance(name, str) for name in names}) > 1
    return np.asarray(np.array(names, dtype=object if mixed else None)[codes])
