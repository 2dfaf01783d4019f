"""How the loops over matching pairs are compiled, and the functions that they share."""

from pathlib import Path
from typing import Any, no_type_check

import numpy as np

from graphpool.numba_cache import compiler

Array = Any

compiled = compiler(Path(__file__).parent)


@compiled
@no_type_check
def mixed(value: np.uint64) -> np.uint64:
    """A whole number spread over 64 bits, as `hashing.mix` does it."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@compiled
@no_type_check
def slot_of(a: int, b: int) -> int:
    """The flag of a pair of nodes."""
    if a < b:
        return b * (b - 1) // 2 + a
    return a * (a - 1) // 2 + b


@compiled
@no_type_check
def edge_list(flags: Array, low: Array, high: Array) -> Array:
    """Both ends of each edge, `[edges, 2]`."""
    chosen = np.flatnonzero(flags)
    edges = np.empty((len(chosen), 2), np.int64)
    edges[:, 0], edges[:, 1] = low[chosen], high[chosen]
    return edges
