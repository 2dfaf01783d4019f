"""How the loops over matching pairs are compiled, and the random numbers they draw."""

from pathlib import Path
from typing import no_type_check

import numpy as np

from graphpool.numba_cache import compiler

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
