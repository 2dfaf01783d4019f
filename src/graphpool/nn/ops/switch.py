"""The decorators of compiled loops, and the switch between these and plain tensor operations.

Some operations exist twice: as a compiled loop or a backward pass written by hand, and as plain
tensor operations that autograd differentiates. Both give the same numbers but for rounding; on
small graphs tensor operations spend most of their time on being called. With
`GRAPHPOOL_COMPILED=0` in the environment only the plain ones are used; `plain_operations` does the
same for a part of a program. `benchmarks/twins.py` measures what each group is worth.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor

from graphpool.numba_cache import compiler

# A compiled loop calls only loops of its own file, whose changes are noticed. Without "nnan" and
# "ninf": a number that is not finite must come out again, or the training guard would never hear
# of it.
_SOURCE = Path(__file__).parent, Path(__file__).name
compiled = compiler(*_SOURCE, fastmath={"reassoc", "contract", "nsz", "arcp"}, error_model="numpy")
# For loops that must not reorder sums.
compiled_strict = compiler(*_SOURCE, error_model="numpy")

GROUPS = {
    "products": "sums over edges and nodes as weighted bags (products)",
    "messages": "messages and attention of edges with features (ops.messages)",
    "cluster gcn": "GCN layers over the clusters that graphs have (encoders.gcn)",
    "formation": "cluster formation Mᵀ H and Mᵀ A M (ops.formation)",
    "places": "the assignment by places (hap.places)",
    "profile": "the profile of clusters with its batch norm (hap.profile)",
    "normalise": "symmetric normalisation of dense adjacencies (ops.normalise)",
    "alignment": "the alignment of two graphs' nodes (pairs.distances.sinkhorn)",
    "spgemm": "the product of two sparse matrices (ops.spgemm)",
}
_off = set(GROUPS) if os.environ.get("GRAPHPOOL_COMPILED", "1") == "0" else set()


def enabled(group: str) -> bool:
    """Whether the compiled form of a group of operations is to be used."""
    return group not in _off


def use_compiled(group: str, tensor: Tensor) -> bool:
    """Whether the compiled form is to be used for this tensor: float32 on a CPU."""
    return group not in _off and tensor.dtype is torch.float32 and tensor.is_cpu


@contextmanager
def plain_operations(*groups: str) -> Iterator[None]:
    """Use plain tensor operations for these groups, or for all if none is named."""
    global _off
    if unknown := set(groups) - set(GROUPS):
        raise ValueError(f"unknown groups {sorted(unknown)}; known are {', '.join(GROUPS)}")
    before = _off
    _off = before | set(groups or GROUPS)
    try:
        yield
    finally:
        _off = before
