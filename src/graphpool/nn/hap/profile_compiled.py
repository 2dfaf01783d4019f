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
