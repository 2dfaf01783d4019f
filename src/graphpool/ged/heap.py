"""Partial mappings of a search, and a binary heap of them.

The heap has the least key on top, and among equal keys the least item.
"""

from typing import NamedTuple, no_type_check

import numpy as np

from graphpool.ged.kernel import CodeArray, IntArray, kernel


class Store(NamedTuple):
    """Partial mappings, each as the column of one row and the mapping that it extends.

    Args:
        parent, column, so_far: `[capacity]`; `so_far` is the cost.
        keys, items: `[queued]`, a heap of some of them.
    """

    parent: CodeArray
    column: CodeArray
    so_far: IntArray
    keys: IntArray
    items: CodeArray


def make_store(capacity: int, queued: int) -> Store:
    """Allocate a store; memory that is never written to takes no room."""
    return Store(
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int64),
        np.empty(queued, dtype=np.int64),
        np.empty(queued, dtype=np.int32),
    )


@kernel
@no_type_check
def push(keys: IntArray, items: CodeArray, count: int, key: int, item: int) -> int:
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
def pop(keys: IntArray, items: CodeArray, count: int) -> int:
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
