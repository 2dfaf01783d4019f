"""The profile of places on a CPU, compiled: what `profile` writes down as tensor operations."""

from typing import Any, no_type_check

import numpy as np

from graphpool.nn.ops.compiled import compiled

Array = Any


@compiled
@no_type_check
def profile_forward(
    x: Array, adj: Array, assigned: Array, ptr: Array, real: Array, weight: Array,
    measured: Array, out: Array,
) -> None:  # fmt: skip
    """H' + W log(1 + measured) of each real cluster; others are not written.

    `measured` `[graphs, clusters, 6]` gets size, inner and outer weight, none below 0, and the
    logarithms.
    """
    graphs, clusters, channels = x.shape
    zero = np.float32(0.0)
    for graph in range(graphs):
        facts = measured[graph]
        for j in range(clusters):
            facts[j, 0] = zero
        for i in range(ptr[graph], ptr[graph + 1]):
            for j in range(clusters):
                facts[j, 0] += assigned[i, j]
        for j in range(clusters):
            if not real[graph, j]:
                continue
            total = zero
            for other in range(clusters):
                total += adj[graph, j, other]
            inside = adj[graph, j, j]
            facts[j, 1] = max(inside, zero)
            facts[j, 2] = max(total - inside, zero)
            for fact in range(3):
                facts[j, 3 + fact] = np.log1p(facts[j, fact])
            size, inner, outer = facts[j, 3], facts[j, 4], facts[j, 5]
            row, made = x[graph, j], out[graph, j]
            for c in range(channels):
                made[c] = row[c] + size * weight[0, c] + inner * weight[1, c] + outer * weight[2, c]


@compiled
@no_type_check
def profile_backward(
    grad: Array, measured: Array, ptr: Array, real: Array, weight: Array, dadj: Array,
    dassigned: Array, dweight: Array,
) -> None:  # fmt: skip
    """From the gradient of `profile_forward` to those of A', M and W; that of H' is `grad`."""
    graphs, clusters, channels = grad.shape
    one, zero = np.float32(1.0), np.float32(0.0)
    size = np.empty(clusters, np.float32)
    for c in range(channels):
        dweight[0, c] = dweight[1, c] = dweight[2, c] = zero
    for graph in range(graphs):
        facts = measured[graph]
        for j in range(clusters):
            inside = outside = alone = zero
            if real[graph, j]:
                pulled = grad[graph, j]
                first, second, third = facts[j, 3], facts[j, 4], facts[j, 5]
                for c in range(channels):
                    dweight[0, c] += first * pulled[c]
                    dweight[1, c] += second * pulled[c]
                    dweight[2, c] += third * pulled[c]
                    alone += weight[0, c] * pulled[c]
                    inside += weight[1, c] * pulled[c]
                    outside += weight[2, c] * pulled[c]
                alone /= one + facts[j, 0]
                inside /= one + facts[j, 1]
                outside /= one + facts[j, 2]
                if facts[j, 1] <= 0:
                    inside = zero
                if facts[j, 2] <= 0:
                    outside = zero
            size[j] = alone
            for other in range(clusters):
                dadj[graph, j, other] = outside
            dadj[graph, j, j] = inside
        for i in range(ptr[graph], ptr[graph + 1]):
            for j in range(clusters):
                dassigned[i, j] = size[j]


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
