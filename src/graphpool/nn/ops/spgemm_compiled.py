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
def product_bound(left_ptr: Array, left_col: Array, right_ptr: Array, width: int) -> int:
    """At least as many as the entries of the product, from the lengths of rows alone."""
    total = 0
    for i in range(left_ptr.shape[0] - 1):
        most = 0
        for e in range(left_ptr[i], left_ptr[i + 1]):
            most += right_ptr[left_col[e] + 1] - right_ptr[left_col[e]]
        total += min(most, width)
    return total


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


@compiled_strict
@no_type_check
def transpose(ptr: Array, col: Array, out_ptr: Array, out_col: Array, order: Array) -> None:
    """The transpose, columns in ascending order; `order` says which entries these were."""
    for j in range(out_ptr.shape[0]):
        out_ptr[j] = 0
    for e in range(col.shape[0]):
        out_ptr[col[e] + 1] += 1
    for j in range(out_ptr.shape[0] - 1):
        out_ptr[j + 1] += out_ptr[j]
    free = out_ptr[:-1].copy()
    for i in range(ptr.shape[0] - 1):
        for e in range(ptr[i], ptr[i + 1]):
            place = free[col[e]]
            free[col[e]] += 1
            out_col[place] = i
            order[place] = e


@compiled_strict
@no_type_check
def lay_slots(ptr: Array, col: Array, symmetric: bool) -> Any:
    """Lay a square matrix as an adjacency: ascending columns, but the diagonal's slot first.

    A transpose lists its entries in ascending order, so the transpose of the transpose is the
    matrix itself in that order; and where there is an entry for each mirror image, the transpose
    lists those in the same places.

    Returns:
        Where rows begin, columns, and two entries of each slot: its own, and the mirror image's
        if `symmetric`, else its own again. The diagonal's are -1.
    """
    rows, entries = ptr.shape[0] - 1, col.shape[0]
    first_ptr, first_col, first = np.empty_like(ptr), np.empty_like(col), np.empty_like(col)
    transpose(ptr, col, first_ptr, first_col, first)
    again_ptr, again_col, again = np.empty_like(ptr), np.empty_like(col), np.empty_like(col)
    transpose(first_ptr, first_col, again_ptr, again_col, again)
    out_ptr, out_col = np.empty_like(ptr), np.empty(entries + rows, np.int64)
    own, mirror = np.empty_like(out_col), np.empty_like(out_col)
    top = 0
    for i in range(rows):
        out_ptr[i] = top
        out_col[top] = i
        own[top] = mirror[top] = -1
        top += 1
        for e in range(again_ptr[i], again_ptr[i + 1]):
            if again_col[e] != i:
                out_col[top], own[top] = again_col[e], first[again[e]]
                mirror[top] = first[e] if symmetric else own[top]
                top += 1
    out_ptr[rows] = top
    return out_ptr, out_col[:top], own[:top], mirror[:top]


@compiled_strict
@no_type_check
def mean_forward(value: Array, own: Array, mirror: Array, out: Array) -> None:
    """The mean of two entries in every slot; 0 in a slot that has none."""
    half = value.dtype.type(0.5)
    for e in range(out.shape[0]):
        if own[e] < 0:
            out[e] = 0
        else:
            out[e] = (value[own[e]] + value[mirror[e]]) * half


@compiled_strict
@no_type_check
def mean_backward(grad: Array, own: Array, mirror: Array, dvalue: Array) -> None:
    """Add the gradient of `mean_forward`."""
    half = grad.dtype.type(0.5)
    for e in range(grad.shape[0]):
        if own[e] >= 0:
            dvalue[own[e]] += grad[e] * half
            dvalue[mirror[e]] += grad[e] * half


@compiled_strict
@no_type_check
def rows_of(ptr: Array, index: Array, slots: Array) -> None:
    """The slots of some rows, one row after the other."""
    top = 0
    for i in index:
        for e in range(ptr[i], ptr[i + 1]):
            slots[top] = e
            top += 1
