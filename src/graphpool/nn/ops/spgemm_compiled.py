"""Compiled loops of the sparse product: Gustavson's algorithm, one row of the result at a time.

Matrices are CSR: where rows begin, columns, entries. A workspace as wide as the result holds one
of its rows.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.nn.ops.compiled import compiled_strict

Array = Any


@compiled_strict
@no_type_check
def product_count(
    left_ptr: Array, left_col: Array, right_ptr: Array, right_col: Array, width: int
) -> int:
    """Entries of the product."""
    seen = np.full(width, -1, np.int64)
    found = 0
    for i in range(left_ptr.shape[0] - 1):
        for e in range(left_ptr[i], left_ptr[i + 1]):
            j = left_col[e]
            for f in range(right_ptr[j], right_ptr[j + 1]):
                if seen[right_col[f]] != i:
                    seen[right_col[f]] = i
                    found += 1
    return found


@compiled_strict
@no_type_check
def product_fill(
    left_ptr: Array, left_col: Array, left: Array, right_ptr: Array, right_col: Array,
    right: Array, width: int, ptr: Array, col: Array, out: Array,
) -> None:  # fmt: skip
    """Rows, columns and entries of the product, as many as there are."""
    place = np.full(width, -1, np.int64)
    top = 0
    for i in range(left_ptr.shape[0] - 1):
        begin = ptr[i] = top
        for e in range(left_ptr[i], left_ptr[i + 1]):
            j, factor = left_col[e], left[e]
            for f in range(right_ptr[j], right_ptr[j + 1]):
                c = right_col[f]
                # A place before this row's was left there by another row.
                if place[c] < begin:
                    place[c] = top
                    col[top] = c
                    out[top] = factor * right[f]
                    top += 1
                else:
                    out[place[c]] += factor * right[f]
    ptr[left_ptr.shape[0] - 1] = top


@compiled_strict
@no_type_check
def product_backward(
    left_ptr: Array, left_col: Array, left: Array, right_ptr: Array, right_col: Array,
    right: Array, width: int, ptr: Array, col: Array, grad: Array, dleft: Array, dright: Array,
) -> None:  # fmt: skip
    """Gradients at the entries of both factors; `dright` comes as zeros."""
    row = np.empty(width, grad.dtype)
    for i in range(left_ptr.shape[0] - 1):
        for s in range(ptr[i], ptr[i + 1]):
            row[col[s]] = grad[s]
        for e in range(left_ptr[i], left_ptr[i + 1]):
            j = left_col[e]
            total = grad.dtype.type(0)
            for f in range(right_ptr[j], right_ptr[j + 1]):
                pull = row[right_col[f]]
                total += pull * right[f]
                dright[f] += pull * left[e]
            dleft[e] = total
