"""Compiled loops for GMN's messages on a CPU: no row per edge is ever written to memory."""

from typing import Any, no_type_check

from graphpool.nn.ops.compiled import compiled

Array = Any


@compiled
@no_type_check
def meet_forward(
    target: Array, source: Array, row_ptr: Array, col: Array, weight: Array, out: Array
) -> None:
    """Σ_j A_ij ReLU(target_i + source_j) of every row i; NaN stays NaN."""
    channels = target.shape[1]
    for i in range(target.shape[0]):
        for c in range(channels):
            out[i, c] = 0
        for slot in range(row_ptr[i], row_ptr[i + 1]):
            j, share = col[slot], weight[slot]
            if share == 0:
                continue
            for c in range(channels):
                value = target[i, c] + source[j, c]
                out[i, c] += share * (0 if value <= 0 else value)


@compiled
@no_type_check
def meet_backward(
    grad: Array, target: Array, source: Array, row_ptr: Array, col: Array, weight: Array,
    dtarget: Array, dsource: Array,
) -> None:  # fmt: skip
    """Gradients of both; `dsource` comes as zeros."""
    channels = target.shape[1]
    for i in range(target.shape[0]):
        for c in range(channels):
            dtarget[i, c] = 0
        for slot in range(row_ptr[i], row_ptr[i + 1]):
            j, share = col[slot], weight[slot]
            if share == 0:
                continue
            for c in range(channels):
                value = target[i, c] + source[j, c]
                part = 0 if value <= 0 else share * grad[i, c]
                dtarget[i, c] += part
                dsource[j, c] += part
