"""Compiled loops for float32 on a CPU that several operations share.

They compute what `products` and `normalise` write down as tensor operations, in one call: on small
graphs tensor operations spend most of their time on being called.
"""

from pathlib import Path
from typing import Any, no_type_check

import numpy as np
import torch
from torch import Tensor

from graphpool.numba_cache import compiler

Array = Any

# Without "nnan" and "ninf": a number that is not finite must come out again, or the training
# guard would never hear of it.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}

# `compiled_strict` is for loops that must not reorder sums.
_SOURCES = Path(__file__).parents[1], "*compiled.py"
compiled = compiler(*_SOURCES, fastmath=FASTMATH, error_model="numpy")
compiled_strict = compiler(*_SOURCES, error_model="numpy")


def compilable(tensor: Tensor) -> bool:
    """Whether compiled loops can be used: float32 on a CPU, not to be differentiated again.

    Gradients are off inside a function's forward pass, and inside its backward pass unless that
    pass is itself to be differentiated.
    """
    return tensor.dtype is torch.float32 and tensor.is_cpu and not torch.is_grad_enabled()


@compiled
@no_type_check
def normalise_forward(
    matrix: Array, keep: float, loop: float, floor: float, scale: Array, out: Array
) -> None:
    """D^-½ B D^-½ with B = A, its diagonal times `keep` plus `loop`, and D the row sums of B."""
    size = matrix.shape[1]
    for graph in range(matrix.shape[0]):
        for i in range(size):
            # Not the whole row less its diagonal: what is left may be far smaller than both.
            total = np.float32(floor)
            for j in range(i):
                total += matrix[graph, i, j]
            for j in range(i + 1, size):
                total += matrix[graph, i, j]
            total += matrix[graph, i, i] * np.float32(keep) + np.float32(loop)
            # Not `total > 0`, which would let NaN pass for an empty row.
            scale[graph, i] = np.float32(0.0) if total <= 0 else np.float32(1.0) / np.sqrt(total)
        for i in range(size):
            own = scale[graph, i]
            for j in range(size):
                out[graph, i, j] = own * matrix[graph, i, j] * scale[graph, j]
            diagonal = matrix[graph, i, i] * np.float32(keep) + np.float32(loop)
            out[graph, i, i] = own * own * diagonal


@compiled
@no_type_check
def normalise_backward(
    grad: Array, out: Array, scale: Array, keep: float, pull: Array, dmatrix: Array
) -> None:
    """Gradient of `normalise_forward`; `pull` is scratch space, `[size]`."""
    size = out.shape[1]
    for graph in range(out.shape[0]):
        for i in range(size):
            pull[i] = np.float32(0.0)
        for i in range(size):
            total = np.float32(0.0)
            for j in range(size):
                value = grad[graph, i, j] * out[graph, i, j]
                total += value
                pull[j] += value
            pull[i] += total
        for i in range(size):
            own = scale[graph, i]
            half = np.float32(0.5) * pull[i] * own * own
            for j in range(size):
                dmatrix[graph, i, j] = grad[graph, i, j] * own * scale[graph, j] - half
            dmatrix[graph, i, i] *= np.float32(keep)


@compiled
@no_type_check
def slot_products(left: Array, right: Array, row: Array, col: Array, out: Array) -> None:
    """Inner products of `left[row]` and `right[col]` `[nodes, heads, channels]`, slot by slot."""
    heads, channels = left.shape[1], left.shape[2]
    for slot in range(row.shape[0]):
        one, other = left[row[slot]], right[col[slot]]
        for head in range(heads):
            total = np.float32(0.0)
            for c in range(channels):
                total += one[head, c] * other[head, c]
            out[slot, head] = total
