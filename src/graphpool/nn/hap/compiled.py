"""HAP's coarsening on a CPU, compiled: one pass over each graph, forward and backward.

On small graphs the tensor operations of `content` and `formation` spend most of their time on
being called. These loops compute the same numbers; they are used for float32 on a CPU, and the
tensor operations everywhere else. Layouts: `[clusters, nodes]` where a loop runs over nodes,
`[nodes, clusters]` where it runs over a node's clusters or channels.
"""

from typing import Any, no_type_check

import numpy as np
from numba import njit

Array = Any


@njit(cache=True, fastmath=True, nogil=True, error_model="numpy")
@no_type_check
def content_scores(
    content: Array, ptr: Array, floor: float, covariance: Array, scale: Array, score: Array
) -> None:
    """Centre `content` `[clusters, nodes]` in place and write covariance, scale and scores."""
    clusters = content.shape[0]
    root = np.float32(1.0) / np.sqrt(np.float32(clusters))
    for graph in range(ptr.shape[0] - 1):
        # Views that begin at 0: an index known not to be negative lets the loops be vectorised.
        part = content[:, ptr[graph] : ptr[graph + 1]]
        out = score[:, ptr[graph] : ptr[graph + 1]]
        nodes = part.shape[1]
        inverse = np.float32(1.0) / np.float32(nodes)
        for j in range(clusters):
            total = np.float32(0.0)
            for i in range(nodes):
                total += part[j, i]
            total *= inverse
            for i in range(nodes):
                part[j, i] -= total
        for j in range(clusters):
            for m in range(j + 1):
                total = np.float32(0.0)
                for i in range(nodes):
                    total += part[j, i] * part[m, i]
                covariance[graph, j, m] = total * inverse
                covariance[graph, m, j] = total * inverse
            scale[graph, j] = np.float32(1.0) / np.sqrt(covariance[graph, j, j] + floor)
        for j in range(clusters):
            for i in range(nodes):
                out[j, i] = np.float32(0.0)
            for m in range(clusters):
                own = scale[graph, m]
                value = own * own * root * covariance[graph, m, j] * scale[graph, j]
                for i in range(nodes):
                    out[j, i] += value * part[m, i]


@njit(cache=True, fastmath=True, nogil=True, error_model="numpy")
@no_type_check
def content_backward(
    share: Array, grad: Array, content: Array, ptr: Array, covariance: Array, scale: Array,
    dcontent: Array,
) -> None:  # fmt: skip
    """From the gradient of M to that of C, all `[clusters, nodes]`; `grad` is overwritten."""
    clusters = content.shape[0]
    root = np.float32(1.0) / np.sqrt(np.float32(clusters))
    mixed = np.empty((clusters, clusters), np.float32)
    back = np.empty((clusters, clusters), np.float32)
    inner = np.empty(content.shape[1], np.float32)
    for graph in range(ptr.shape[0] - 1):
        first, last = ptr[graph], ptr[graph + 1]
        held, score = share[:, first:last], grad[:, first:last]
        part, out = content[:, first:last], dcontent[:, first:last]
        nodes = part.shape[1]
        inverse = np.float32(1.0) / np.float32(nodes)
        # Through the softmax: share · (grad - Σ share · grad).
        for i in range(nodes):
            inner[i] = np.float32(0.0)
        for j in range(clusters):
            for i in range(nodes):
                inner[i] += held[j, i] * score[j, i]
        for j in range(clusters):
            for i in range(nodes):
                score[j, i] = held[j, i] * (score[j, i] - inner[i])
        # Into the small matrix K, and from there into covariance and scale.
        for m in range(clusters):
            left = scale[graph, m] * scale[graph, m]
            for j in range(clusters):
                total = np.float32(0.0)
                for i in range(nodes):
                    total += part[m, i] * score[j, i]
                mixed[m, j] = total * root
                back[m, j] = total * root * left * scale[graph, j]
        for m in range(clusters):
            own = scale[graph, m]
            pull = np.float32(0.0)
            for j in range(clusters):
                other = scale[graph, j]
                pull += np.float32(2.0) * own * mixed[m, j] * covariance[graph, m, j] * other
                pull += other * other * mixed[j, m] * covariance[graph, j, m]
            back[m, m] -= np.float32(0.5) * own * own * own * pull
        # Into the centred content: score Kᵀ + content (back + backᵀ) / N, then its mean out.
        for m in range(clusters):
            for i in range(nodes):
                out[m, i] = np.float32(0.0)
            own = scale[graph, m]
            for j in range(clusters):
                one = own * own * root * covariance[graph, m, j] * scale[graph, j]
                two = (back[m, j] + back[j, m]) * inverse
                for i in range(nodes):
                    out[m, i] += one * score[j, i] + two * part[j, i]
            total = np.float32(0.0)
            for i in range(nodes):
                total += out[m, i]
            total *= inverse
            for i in range(nodes):
                out[m, i] -= total


@njit(cache=True, fastmath=True, nogil=True, error_model="numpy")
@no_type_check
def form_forward(
    share: Array, x: Array, row_ptr: Array, col: Array, weight: Array, ptr: Array,
    reached: Array, coarse_x: Array, coarse_adj: Array,
) -> None:  # fmt: skip
    """Write A M, H' = Mᵀ H and A' = Mᵀ A M; the outputs come in filled with zeros."""
    clusters, channels = share.shape[1], x.shape[1]
    for graph in range(ptr.shape[0] - 1):
        for i in range(ptr[graph], ptr[graph + 1]):
            for slot in range(row_ptr[i], row_ptr[i + 1]):
                value, other = weight[slot], col[slot]
                for j in range(clusters):
                    reached[i, j] += value * share[other, j]
            for j in range(clusters):
                value = share[i, j]
                for c in range(channels):
                    coarse_x[graph, j, c] += value * x[i, c]
                for c in range(clusters):
                    coarse_adj[graph, j, c] += value * reached[i, c]


@njit(cache=True, fastmath=True, nogil=True, error_model="numpy")
@no_type_check
def form_backward(
    share: Array, x: Array, reached: Array, grad_x: Array, grad_adj: Array,
    row_ptr: Array, col: Array, weight: Array, ptr: Array,
    dreached: Array, dshare: Array, dx: Array,
) -> None:  # fmt: skip
    """Gradients of M and H for a symmetric A; `dreached` and `dx` come in filled with zeros."""
    clusters, channels = share.shape[1], x.shape[1]
    for graph in range(ptr.shape[0] - 1):
        start, stop = ptr[graph], ptr[graph + 1]
        for i in range(start, stop):
            for j in range(clusters):
                value = share[i, j]
                total = np.float32(0.0)
                for c in range(channels):
                    dx[i, c] += value * grad_x[graph, j, c]
                    total += x[i, c] * grad_x[graph, j, c]
                for c in range(clusters):
                    dreached[i, c] += value * grad_adj[graph, j, c]
                    total += reached[i, c] * grad_adj[graph, j, c]
                dshare[i, j] = total
        for i in range(start, stop):
            for slot in range(row_ptr[i], row_ptr[i + 1]):
                value, other = weight[slot], col[slot]
                for j in range(clusters):
                    dshare[i, j] += value * dreached[other, j]
