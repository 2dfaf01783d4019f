"""Compiled loops for what every model does on a CPU: readouts and small dense normalisations.

They compute what `readout` and `normalise` write down as tensor operations, in one pass and one
call; see `hap.compiled` for why.
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
def reduce_forward(x: Array, ptr: Array, total: Array, top: Array, where: Array) -> None:
    """Sum and maximum over each graph's nodes, and the node where the maximum stands.

    NaN is the maximum wherever it occurs. A graph without nodes gets zeros.
    """
    channels = x.shape[1]
    for graph in range(ptr.shape[0] - 1):
        part = x[ptr[graph] : ptr[graph + 1]]
        if part.shape[0] == 0:
            total[graph], top[graph], where[graph] = 0, 0, 0
            continue
        for c in range(channels):
            total[graph, c] = part[0, c]
            top[graph, c] = part[0, c]
            where[graph, c] = 0
        for i in range(1, part.shape[0]):
            for c in range(channels):
                value = part[i, c]
                total[graph, c] += value
                higher = value > top[graph, c] or value != value
                top[graph, c] = value if higher else top[graph, c]
                where[graph, c] = i if higher else where[graph, c]


@compiled
@no_type_check
def reduce_backward(
    ptr: Array, where: Array, grad_total: Array, grad_top: Array, dx: Array
) -> None:
    """Gradient of sum and maximum; `where` counts from each graph's first node."""
    channels = dx.shape[1]
    for graph in range(ptr.shape[0] - 1):
        part = dx[ptr[graph] : ptr[graph + 1]]
        for i in range(part.shape[0]):
            for c in range(channels):
                part[i, c] = grad_total[graph, c]
        for c in range(channels if part.shape[0] else 0):
            part[where[graph, c], c] += grad_top[graph, c]


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


@compiled
@no_type_check
def norm_forward(
    x: Array, real: Array, weight: Array, bias: Array, known_mean: Array, known_variance: Array,
    steps: Array, training: bool, momentum: float, eps: float, state: Array, out: Array,
) -> int:  # fmt: skip
    """weight · (x - mean) · scale + bias in the real rows, 0 in the others; how many are real.

    While training mean and scale, which `state` `[2, channels]` gets, are those of the real rows
    if there are two of them, and the running statistics move; they are taken otherwise, and 0
    comes back.
    """
    rows, channels = x.shape
    mean, scale = state[0], state[1]
    count = 0
    if training:
        for c in range(channels):
            mean[c] = scale[c] = np.float32(0.0)
        for i in range(rows):
            if real[i]:
                count += 1
                row = x[i]
                for c in range(channels):
                    mean[c] += row[c]
    if count > 1:
        part = np.float32(1.0) / np.float32(count)
        for c in range(channels):
            mean[c] *= part
        for i in range(rows):
            if real[i]:
                row = x[i]
                for c in range(channels):
                    apart = row[c] - mean[c]
                    scale[c] += apart * apart
        step, unbiased = np.float32(momentum), np.float32(count / (count - 1))
        steps[()] += 1
        for c in range(channels):
            variance = scale[c] * part
            known_mean[c] += step * (mean[c] - known_mean[c])
            known_variance[c] += step * (variance * unbiased - known_variance[c])
            scale[c] = np.float32(1.0) / np.sqrt(variance + np.float32(eps))
    else:
        count = 0
        for c in range(channels):
            mean[c] = known_mean[c]
            scale[c] = np.float32(1.0) / np.sqrt(known_variance[c] + np.float32(eps))
    for i in range(rows):
        row, made = x[i], out[i]
        if real[i]:
            for c in range(channels):
                made[c] = (row[c] - mean[c]) * scale[c] * weight[c] + bias[c]
        else:
            for c in range(channels):
                made[c] = np.float32(0.0)
    return count


@compiled
@no_type_check
def norm_backward(
    grad: Array, x: Array, real: Array, state: Array, weight: Array, count: int, dx: Array,
    dlearned: Array,
) -> None:  # fmt: skip
    """Gradients of `norm_forward`; `dlearned` `[2, channels]` are those of weight and bias."""
    rows, channels = x.shape
    mean, scale, dweight, dbias = state[0], state[1], dlearned[0], dlearned[1]
    for c in range(channels):
        dweight[c] = dbias[c] = np.float32(0.0)
    for i in range(rows):
        if real[i]:
            row, pulled = x[i], grad[i]
            for c in range(channels):
                dbias[c] += pulled[c]
                dweight[c] += pulled[c] * (row[c] - mean[c]) * scale[c]
    # Running statistics don't depend on x.
    part = np.float32(1.0) / np.float32(count) if count else np.float32(0.0)
    for i in range(rows):
        row, pulled, out = x[i], grad[i], dx[i]
        if real[i]:
            for c in range(channels):
                apart = (row[c] - mean[c]) * scale[c]
                common = (dbias[c] + apart * dweight[c]) * part
                out[c] = weight[c] * scale[c] * (pulled[c] - common)
        else:
            for c in range(channels):
                out[c] = np.float32(0.0)
