"""A binary heap in two arrays: the least key on top, and among equal keys the least item."""

from typing import no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.kernel import kernel


@kernel
@no_type_check
def push(keys: NDArray[np.int64], items: NDArray[np.int32], count: int, key: int, item: int) -> int:
    """Add one item to a heap of `count`; return the new count."""
    at = count
    while at > 0:
        above = (at - 1) >> 1
        if keys[above] < key or (keys[above] == key and items[above] < item):
            break
        keys[at], items[at] = keys[above], items[above]
        at = above
    keys[at], items[at] = key, item
    return count + 1


@kernel
@no_type_check
def pop(keys: NDArray[np.int64], items: NDArray[np.int32], count: int) -> int:
    """Remove the top of a heap of `count`; return the new count."""
    count -= 1
    key, item = keys[count], items[count]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= count:
            break
        other = below + 1
        if other < count and (
            keys[other] < keys[below]
            or (keys[other] == keys[below] and items[other] < items[below])
        ):
            below = other
        if key < keys[below] or (key == keys[below] and item < items[below]):
            break
        keys[at], items[at] = keys[below], items[below]
        at = below
    keys[at], items[at] = key, item
    return count
