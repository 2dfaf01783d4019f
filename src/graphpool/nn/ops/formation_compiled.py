"""HAP's coarsening on a CPU, compiled: one pass over each graph, forward and backward.

On small graphs the tensor operations of `content` and `formation` spend most of their time on
being called. These loops compute the same numbers; they are used for float32 on a CPU, and the
tensor operations everywhere else. Layouts: `[clusters, nodes]` where a loop runs over nodes,
`[nodes, clusters]` where it runs over a node's clusters or channels.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.nn.ops.compiled import compiled

Array = Any


@compiled
@no_type_check
def content_scores(
    content: Array, ptr: Array, floor: float, mean_floor: float,
    mean: Array, covariance: Array, scale: Array, score: Array,
) -> None:  # fmt: skip
    """Centre `content` `[clusters, nodes]` in place; write mean, covariance, scale and scores.

    Rows are taken one at a time: a contiguous view that begins at 0 is what lets a loop over it be
    vectorised.
    """
    clusters = content.shape[0]
    root = np.float32(1.0) / np.sqrt(np.float32(clusters))
    for graph in range(ptr.shape[0] - 1):
        start, stop = ptr[graph], ptr[graph + 1]
        inverse = np.float32(1.0) / np.float32(stop - start)
        for j in range(clusters):
            own = content[j][start:stop]
            total = np.float32(0.0)
            for i in range(own.shape[0]):
                total += own[i]
            total *= inverse
            mean[graph, j] = total
            for i in range(own.shape[0]):
                own[i] -= total
        for j in range(clusters):
            own = content[j][start:stop]
            for m in range(j + 1):
                other = content[m][start:stop]
                total = np.float32(0.0)
                for i in range(own.shape[0]):
                    total += own[i] * other[i]
                covariance[graph, j, m] = total * inverse
                covariance[graph, m, j] = total * inverse
            lowest = floor + mean_floor * mean[graph, j] * mean[graph, j]
            scale[graph, j] = np.float32(1.0) / np.sqrt(covariance[graph, j, j] + lowest)
        for j in range(clusters):
            out = score[j][start:stop]
            for i in range(out.shape[0]):
                out[i] = np.float32(0.0)
            for m in range(clusters):
                other = content[m][start:stop]
                left = scale[graph, m] * scale[graph, m] * root
                value = left * covariance[graph, m, j] * scale[graph, j]
                for i in range(out.shape[0]):
                    out[i] += value * other[i]


@compiled
@no_type_check
def content_backward(
    share: Array, grad: Array, content: Array, ptr: Array, mean_floor: float,
    mean: Array, covariance: Array, scale: Array, dcontent: Array,
) -> None:  # fmt: skip
    """From the gradient of M to that of C, all `[clusters, nodes]`; `grad` is overwritten."""
    clusters = content.shape[0]
    root = np.float32(1.0) / np.sqrt(np.float32(clusters))
    mixed = np.empty((clusters, clusters), np.float32)
    back = np.empty((clusters, clusters), np.float32)
    dvariance = np.empty(clusters, np.float32)
    common = np.zeros(content.shape[1], np.float32)
    for graph in range(ptr.shape[0] - 1):
        start, stop = ptr[graph], ptr[graph + 1]
        inverse = np.float32(1.0) / np.float32(stop - start)
        # Through the softmax: share · (grad - Σ share · grad).
        inner = common[start:stop]
        for j in range(clusters):
            held, pulled = share[j][start:stop], grad[j][start:stop]
            for i in range(inner.shape[0]):
                inner[i] += held[i] * pulled[i]
        for j in range(clusters):
            held, pulled = share[j][start:stop], grad[j][start:stop]
            for i in range(inner.shape[0]):
                pulled[i] = held[i] * (pulled[i] - inner[i])
        # Into the small matrix K, and from there into covariance and scale.
        for m in range(clusters):
            own = content[m][start:stop]
            left = scale[graph, m] * scale[graph, m]
            for j in range(clusters):
                pulled = grad[j][start:stop]
                total = np.float32(0.0)
                for i in range(own.shape[0]):
                    total += own[i] * pulled[i]
                mixed[m, j] = total * root
                back[m, j] = total * root * left * scale[graph, j]
        for m in range(clusters):
            size = scale[graph, m]
            pull = np.float32(0.0)
            for j in range(clusters):
                beside = scale[graph, j]
                pull += np.float32(2.0) * size * mixed[m, j] * covariance[graph, m, j] * beside
                pull += beside * beside * mixed[j, m] * covariance[graph, j, m]
            dvariance[m] = np.float32(-0.5) * size * size * size * pull
            back[m, m] += dvariance[m]
        # Into the centred content: score Kᵀ + content (back + backᵀ) / N. What all nodes share
        # leaves through the centring and comes in through the mean.
        for m in range(clusters):
            out = dcontent[m][start:stop]
            for i in range(out.shape[0]):
                out[i] = np.float32(0.0)
            left = scale[graph, m] * scale[graph, m] * root
            for j in range(clusters):
                pulled, other = grad[j][start:stop], content[j][start:stop]
                one = left * covariance[graph, m, j] * scale[graph, j]
                two = (back[m, j] + back[j, m]) * inverse
                for i in range(out.shape[0]):
                    out[i] += one * pulled[i] + two * other[i]
            total = np.float32(-2.0 * mean_floor) * mean[graph, m] * dvariance[m]
            for i in range(out.shape[0]):
                total += out[i]
            total *= inverse
            for i in range(out.shape[0]):
                out[i] -= total


@compiled
@no_type_check
def _collect(share: Array, values: Array, start: int, stop: int, clusters: int, out: Array) -> None:
    """Add shareᵀ values over the nodes from start to stop to `out` `[clusters, channels]`."""
    channels = values.shape[1]
    # Four nodes at a time: each sum is loaded and stored once for four products.
    blocked = start + (stop - start) // 4 * 4
    for i in range(start, blocked, 4):
        v0, v1, v2, v3 = values[i], values[i + 1], values[i + 2], values[i + 3]
        for j in range(clusters):
            m0, m1, m2, m3 = share[i, j], share[i + 1, j], share[i + 2, j], share[i + 3, j]
            for c in range(channels):
                out[j, c] += m0 * v0[c] + m1 * v1[c] + m2 * v2[c] + m3 * v3[c]
    for i in range(blocked, stop):
        for j in range(clusters):
            for c in range(channels):
                out[j, c] += share[i, j] * values[i, c]


@compiled
@no_type_check
def _return(
    share: Array, values: Array, grad: Array, start: int, stop: int, clusters: int,
    dvalues: Array, dshare: Array,
) -> None:  # fmt: skip
    """Gradients of `_collect`, added to `dvalues` and `dshare`."""
    channels = values.shape[1]
    # Four clusters at a time: a node's row is loaded once for eight products.
    blocked = clusters // 4 * 4
    for j in range(0, blocked, 4):
        g0, g1, g2, g3 = grad[j], grad[j + 1], grad[j + 2], grad[j + 3]
        for i in range(start, stop):
            value, dvalue = values[i], dvalues[i]
            m0, m1, m2, m3 = share[i, j], share[i, j + 1], share[i, j + 2], share[i, j + 3]
            t0 = t1 = t2 = t3 = np.float32(0.0)
            for c in range(channels):
                dvalue[c] += m0 * g0[c] + m1 * g1[c] + m2 * g2[c] + m3 * g3[c]
                t0 += value[c] * g0[c]
                t1 += value[c] * g1[c]
                t2 += value[c] * g2[c]
                t3 += value[c] * g3[c]
            dshare[i, j] += t0
            dshare[i, j + 1] += t1
            dshare[i, j + 2] += t2
            dshare[i, j + 3] += t3
    for j in range(blocked, clusters):
        for i in range(start, stop):
            total = np.float32(0.0)
            for c in range(channels):
                dvalues[i, c] += share[i, j] * grad[j, c]
                total += values[i, c] * grad[j, c]
            dshare[i, j] += total


@compiled
@no_type_check
def form_forward(
    share: Array, x: Array, reached: Array, ptr: Array, counts: Array, coarse_x: Array,
    coarse_adj: Array,
) -> None:  # fmt: skip
    """Add H' = Mᵀ H and A' = Mᵀ (A M) to the outputs; `reached` is A M.

    `counts` are the clusters of each graph; the columns of M behind them are zero.
    """
    for graph in range(ptr.shape[0] - 1):
        start, stop, clusters = ptr[graph], ptr[graph + 1], counts[graph]
        _collect(share, x, start, stop, clusters, coarse_x[graph])
        _collect(share, reached, start, stop, clusters, coarse_adj[graph])


@compiled
@no_type_check
def form_backward(
    share: Array, x: Array, reached: Array, grad_x: Array, grad_adj: Array, ptr: Array,
    counts: Array, dshare: Array, dx: Array, dreached: Array,
) -> None:  # fmt: skip
    """Add the gradients of `form_forward` to the outputs."""
    for graph in range(ptr.shape[0] - 1):
        start, stop, clusters = ptr[graph], ptr[graph + 1], counts[graph]
        _return(share, x, grad_x[graph], start, stop, clusters, dx, dshare)
        _return(share, reached, grad_adj[graph], start, stop, clusters, dreached, dshare)
