"""64-bit hashes whose sums represent multisets, for colours of nodes; imports no torch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def mix(values: Array) -> NDArray[np.uint64]:
    """Spread whole numbers over 64 bits (the finaliser of splitmix64)."""
    mixed = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)), dtype=np.uint64)


def numbered(values: Array) -> tuple[NDArray[np.int64], int]:
    """Return numbers 0, 1, 2, …, equal for equal values, and how many there are."""
    distinct, numbers = np.unique(values, return_inverse=True)
    return numbers.reshape(-1).astype(np.int64), len(distinct)
