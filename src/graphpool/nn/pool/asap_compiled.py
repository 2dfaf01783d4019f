"""Compiled loops of ASAP's clusters on a CPU: their masters, members and fitness.

The same numbers as the tensor operations of `asap`. Slots are those of an adjacency: row i has the
members of the cluster around i. NaN is the maximum wherever it occurs.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.nn.ops.compiled import compiled

Array = Any


@compiled
@no_type_check
def masters_forward(x: Array, ptr: Array, col: Array, top: Array, where: Array) -> None:
    """The maximum over the members of every cluster, and the member that has it."""
    channels = x.shape[1]
    for i in range(ptr.shape[0] - 1):
        best, at, first = top[i], where[i], col[ptr[i]]
        for c in range(channels):
            best[c] = x[first, c]
            at[c] = first
        for e in range(ptr[i] + 1, ptr[i + 1]):
            row, j = x[col[e]], np.int32(col[e])
            for c in range(channels):
                higher = row[c] > best[c] or row[c] != row[c]
                best[c] = row[c] if higher else best[c]
                at[c] = j if higher else at[c]


@compiled
@no_type_check
def members_logits(
    master: Array, member: Array, ptr: Array, col: Array, slope: float, logits: Array
) -> None:
    """LeakyReLU(master_i + member_j) in every slot, less its maximum over the cluster."""
    small = np.float32(slope)
    for i in range(ptr.shape[0] - 1):
        own = master[i]
        top = np.float32(-np.inf)
        for e in range(ptr[i], ptr[i + 1]):
            value = own + member[col[e]]
            value = value * small if value < 0 else value
            logits[e] = value
            top = value if value > top else top
        for e in range(ptr[i], ptr[i + 1]):
            logits[e] -= top


@compiled
@no_type_check
def members_share(powers: Array, ptr: Array) -> None:
    """Make the exponentials of every cluster's slots sum to one."""
    for i in range(ptr.shape[0] - 1):
        total = np.float32(0.0)
        for e in range(ptr[i], ptr[i + 1]):
            total += powers[e]
        total = np.float32(1.0) / total
        for e in range(ptr[i], ptr[i + 1]):
            powers[e] *= total


@compiled
@no_type_check
def members_backward(
    x: Array, share: Array, grad: Array, grad_share: Array, master: Array, member: Array,
    ptr: Array, col: Array, slope: float, dx: Array, dmaster: Array, dmember: Array,
) -> None:  # fmt: skip
    """Add the gradients of Σ_j share_ij x_j, and of the shares themselves if they have any.

    `grad_share` has no entries where there are none.
    """
    channels, small = x.shape[1], np.float32(slope)
    most = 0
    for i in range(ptr.shape[0] - 1):
        most = max(most, ptr[i + 1] - ptr[i])
    pull = np.empty(most, np.float32)
    for i in range(ptr.shape[0] - 1):
        start, stop, down = ptr[i], ptr[i + 1], grad[i]
        inner = np.float32(0.0)
        for e in range(start, stop):
            row, up, part, total = x[col[e]], dx[col[e]], share[e], np.float32(0.0)
            for c in range(channels):
                total += row[c] * down[c]
                up[c] += part * down[c]
            if grad_share.shape[0]:
                total += grad_share[e]
            pull[e - start] = total
            inner += part * total
        for e in range(start, stop):
            through = share[e] * (pull[e - start] - inner)
            if master[i] + member[col[e]] < 0:
                through *= small
            dmaster[i] += through
            dmember[col[e]] += through


@compiled
@no_type_check
def masters_backward(
    where: Array, dmaster: Array, weight: Array, dmember: Array, own: Array, dx: Array
) -> None:
    """Add the gradients of master_i = top_i·weight and member_j = x_j·own."""
    channels = dx.shape[1]
    for i in range(dx.shape[0]):
        at, row, down, value = where[i], dx[i], dmaster[i], dmember[i]
        for c in range(channels):
            row[c] += value * own[c]
        for c in range(channels):
            dx[at[c], c] += down * weight[c]


@compiled
@no_type_check
def fitness_forward(
    part: Array, size: Array, ptr: Array, col: Array, weight: Array, out: Array, scale: Array
) -> None:
    """Σ_j w_ij (near_j - less_i) + own_i, and the same of absolute values, all added up.

    `part` `[nodes, 3]` has near, less and own of every node, `size` their absolute values.
    """
    for i in range(ptr.shape[0] - 1):
        total, most = part[i, 2], size[i, 2]
        for e in range(ptr[i], ptr[i + 1]):
            j = col[e]
            total += weight[e] * (part[j, 0] - part[i, 1])
            most += abs(weight[e]) * (size[j, 0] + size[i, 1])
        out[i] = total
        scale[i] = most


@compiled
@no_type_check
def fitness_backward(
    part: Array, grad: Array, ptr: Array, col: Array, weight: Array, dpart: Array, dweight: Array
) -> None:
    """Gradients of `fitness_forward`; `dpart` comes as zeros, `dweight` empty if nobody asks."""
    for i in range(ptr.shape[0] - 1):
        down = grad[i]
        degree = np.float32(0.0)
        for e in range(ptr[i], ptr[i + 1]):
            j = col[e]
            degree += weight[e]
            dpart[j, 0] += weight[e] * down
            if dweight.shape[0]:
                dweight[e] = down * (part[j, 0] - part[i, 1])
        dpart[i, 1] = -degree * down
        dpart[i, 2] = down
