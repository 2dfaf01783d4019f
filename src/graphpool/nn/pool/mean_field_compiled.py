"""Compiled loops of StructPool's mean field on a CPU; exponentials and bag sums are torch's.

Slots are those of an adjacency, row by row. A diagonal slot and an edge of negative weight have a
likeness of zero.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.nn.ops.compiled import compiled

Array = Any


@compiled
@no_type_check
def likeness_forward(
    x: Array, ptr: Array, col: Array, weight: Array, floor: float, like: Array, scale: Array
) -> None:
    """weight · x_i·x_j in every slot, and 1 / (their sum over the row + floor)."""
    channels, zero = x.shape[1], np.float32(0.0)
    for i in range(ptr.shape[0] - 1):
        own, start, stop = x[i], ptr[i], ptr[i + 1]
        # Four slots at a time: a node's own row is loaded once for four products.
        blocked = start + (stop - start) // 4 * 4
        for e in range(start, blocked, 4):
            r0, r1, r2, r3 = x[col[e]], x[col[e + 1]], x[col[e + 2]], x[col[e + 3]]
            t0 = t1 = t2 = t3 = zero
            for c in range(channels):
                value = own[c]
                t0 += value * r0[c]
                t1 += value * r1[c]
                t2 += value * r2[c]
                t3 += value * r3[c]
            like[e], like[e + 1], like[e + 2], like[e + 3] = t0, t1, t2, t3
        for e in range(blocked, stop):
            other, total = x[col[e]], zero
            for c in range(channels):
                total += own[c] * other[c]
            like[e] = total
        total = np.float32(floor)
        for e in range(start, stop):
            like[e] = zero if col[e] == i or weight[e] < 0 else like[e] * weight[e]
            total += like[e]
        scale[i] = np.float32(1.0) / total


@compiled
@no_type_check
def likeness_backward(
    x: Array, ptr: Array, col: Array, weight: Array, symmetric: bool, pulled: Array, share: Array,
    dtotal: Array, dx: Array,
) -> None:  # fmt: skip
    """Add the gradient of x: that of slot (i, j) is dtotal_i + pulled_i·share_j, times its weight.

    Of a symmetric matrix two slots that mirror each other are taken together.
    """
    channels, width = x.shape[1], share.shape[1]
    for i in range(ptr.shape[0] - 1):
        own, down, here, held = x[i], dx[i], pulled[i], share[i]
        for e in range(ptr[i], ptr[i + 1]):
            j = col[e]
            if j == i or weight[e] < 0 or (symmetric and j < i):
                continue
            total, there = dtotal[i], share[j]
            for k in range(width):
                total += here[k] * there[k]
            if symmetric:
                back, mirror = pulled[j], dtotal[j]
                for k in range(width):
                    mirror += back[k] * held[k]
                total += mirror
            total *= weight[e]
            other, below = x[j], dx[j]
            for c in range(channels):
                down[c] += total * other[c]
                below[c] += total * own[c]


@compiled
@no_type_check
def energies(unary: Array, message: Array, scale: Array, compatibility: Array, out: Array) -> None:
    """U - M μ less its maximum in each row; `message` becomes M, its rows times `scale`."""
    clusters = unary.shape[1]
    for i in range(unary.shape[0]):
        given, heard, made, factor = unary[i], message[i], out[i], scale[i]
        for k in range(clusters):
            made[k] = given[k]
            heard[k] *= factor
        for m in range(clusters):
            value, row = heard[m], compatibility[m]
            for k in range(clusters):
                made[k] -= value * row[k]
        top = made[0]
        for k in range(1, clusters):
            top = made[k] if made[k] > top else top
        for k in range(clusters):
            made[k] -= top


@compiled
@no_type_check
def shares(powers: Array) -> None:
    """Rows of exponentials made to sum to one."""
    clusters = powers.shape[1]
    for i in range(powers.shape[0]):
        row, total = powers[i], np.float32(0.0)
        for k in range(clusters):
            total += row[k]
        total = np.float32(1.0) / total
        for k in range(clusters):
            row[k] *= total


@compiled
@no_type_check
def step_backward(
    share: Array, grad: Array, message: Array, scale: Array, compatibility: Array, dunary: Array,
    dcompatibility: Array, pulled: Array, dtotal: Array,
) -> None:  # fmt: skip
    """One step back, from the gradient of its shares: adds to `dunary`, `dcompatibility`, `dtotal`.

    `pulled` gets the gradient of M before its rows were scaled.
    """
    nodes, clusters = share.shape
    for i in range(nodes):
        held, down, heard, out, up = share[i], grad[i], message[i], pulled[i], dunary[i]
        inner = np.float32(0.0)
        for k in range(clusters):
            inner += held[k] * down[k]
        through = np.float32(0.0)
        for k in range(clusters):
            up[k] += held[k] * (down[k] - inner)
        for m in range(clusters):
            row, drow = compatibility[m], dcompatibility[m]
            value, total = heard[m], np.float32(0.0)
            for k in range(clusters):
                energy = held[k] * (down[k] - inner)
                total -= energy * row[k]
                drow[k] -= value * energy
            out[m] = total * scale[i]
            through += total * value
        dtotal[i] -= through * scale[i]
