"""Positions of a selection, for sets of graphs, pairs and triplets."""

from collections.abc import Sequence
from types import EllipsisType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.errors import SelectionError

Selection = slice | Sequence[int] | NDArray[Any] | Tensor | tuple[Any, EllipsisType]


def positions(item: Selection, count: int, noun: str) -> NDArray[np.int64]:
    """Return the positions of a selection from `count` items, checked and never negative.

    A selection is a slice, positions (from the end if negative), or a mask, each also in the form
    `items[selection, ...]` of scikit-learn; `noun` is what errors call an item.
    """
    if isinstance(item, tuple) and len(item) == 2 and item[1] is Ellipsis:
        return positions(item[0], count, noun)  # type: ignore[arg-type]
    if isinstance(item, slice):
        try:
            chosen = range(count)[item]
        except (TypeError, ValueError) as error:
            raise SelectionError(f"{noun}s are chosen by {item}: {error}") from None
        return np.arange(chosen.start, chosen.stop, chosen.step, dtype=np.int64)
    if isinstance(item, Tensor) and (item.is_meta or item.layout is not torch.strided):
        raise SelectionError(f"{noun}s are chosen by a tensor without data; give positions")
    try:
        index = item.cpu().numpy() if isinstance(item, Tensor) else np.asarray(item)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise SelectionError(
            f"{noun}s can't be chosen by this {type(item).__name__}: {error}"
        ) from None
    if index.dtype == np.bool_:
        if index.shape != (count,):
            raise SelectionError(f"a mask of {tuple(index.shape)} for {count} {noun}s")
        return np.flatnonzero(index)
    if not index.size:
        return np.empty(0, dtype=np.int64)
    if index.dtype.kind not in "iu":
        raise SelectionError(f"{noun}s are chosen by integers, not {index.dtype}")
    index = index.reshape(-1)
    low, high = int(index.min()), int(index.max())
    if low < -count or high >= count:
        raise SelectionError(f"{noun} {high if high >= count else low} of a set of {count}")
    index = index.astype(np.int64)
    return index % count if low < 0 else index
