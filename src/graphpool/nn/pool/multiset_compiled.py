"""Compiled loops of the multiset transformer's attention on a CPU; exponentials are torch's.

The same numbers as the tensor operations of `multiset`, which on small graphs spend most of their
time on being called. A lane is one head of one seed: lane h · seeds + s. Without its maximum,
which changes nothing, no exponential overflows; where there is NaN, it comes out again.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.nn.ops.compiled import compiled

Array = Any


@compiled
@no_type_check
def seeds_logits(logits: Array, ptr: Array, scale: float) -> None:
    """`scale` times every lane of `[nodes, lanes]`, less the maximum over a graph's nodes."""
    lanes, factor = logits.shape[1], np.float32(scale)
    top = np.empty(lanes, np.float32)
    for graph in range(ptr.shape[0] - 1):
        part = logits[ptr[graph] : ptr[graph + 1]]
        for lane in range(lanes if part.shape[0] else 0):
            top[lane] = part[0, lane]
        for i in range(1, part.shape[0]):
            row = part[i]
            for lane in range(lanes):
                top[lane] = row[lane] if row[lane] > top[lane] else top[lane]
        for i in range(part.shape[0]):
            row = part[i]
            for lane in range(lanes):
                row[lane] = (row[lane] - top[lane]) * factor


@compiled
@no_type_check
def seeds_read(powers: Array, x: Array, ptr: Array, mean: Array, held: Array) -> None:
    """Make exponentials `[nodes, lanes]` shares, in place; their mean over heads; what they hold.

    `held` `[heads, graphs, seeds, channels]`, the sums of `x` by each lane's shares, comes as
    zeros.
    """
    lanes, seeds, heads, channels = powers.shape[1], mean.shape[1], held.shape[0], x.shape[1]
    part_of = np.float32(1.0) / np.float32(heads)
    scale = np.empty(lanes, np.float32)
    for graph in range(ptr.shape[0] - 1):
        start, stop = ptr[graph], ptr[graph + 1]
        for lane in range(lanes):
            scale[lane] = np.float32(0.0)
        for i in range(start, stop):
            row = powers[i]
            for lane in range(lanes):
                scale[lane] += row[lane]
        for lane in range(lanes):
            scale[lane] = np.float32(1.0) / scale[lane]
        for i in range(start, stop):
            row, out = powers[i], mean[i]
            for lane in range(lanes):
                row[lane] *= scale[lane]
            for s in range(seeds):
                out[s] = np.float32(0.0)
            for head in range(heads):
                own = row[head * seeds : (head + 1) * seeds]
                for s in range(seeds):
                    out[s] += own[s] * part_of
        # Four nodes at a time: each sum is loaded and stored once for four products.
        blocked = start + (stop - start) // 4 * 4
        for i in range(start, blocked, 4):
            v0, v1, v2, v3 = x[i], x[i + 1], x[i + 2], x[i + 3]
            p0, p1, p2, p3 = powers[i], powers[i + 1], powers[i + 2], powers[i + 3]
            for head in range(heads):
                for s in range(seeds):
                    total, lane = held[head, graph, s], head * seeds + s
                    m0, m1, m2, m3 = p0[lane], p1[lane], p2[lane], p3[lane]
                    for c in range(channels):
                        total[c] += m0 * v0[c] + m1 * v1[c] + m2 * v2[c] + m3 * v3[c]
        for i in range(blocked, stop):
            value = x[i]
            for head in range(heads):
                for s in range(seeds):
                    total, part = held[head, graph, s], powers[i, head * seeds + s]
                    for c in range(channels):
                        total[c] += part * value[c]


@compiled
@no_type_check
def seeds_backward(
    share: Array, x: Array, ptr: Array, grad: Array, grad_mean: Array, scale: float, dlogits: Array,
    dx: Array,
) -> None:  # fmt: skip
    """Gradients of `seeds_read` with respect to the lanes before `seeds_logits`, and to `x`.

    `grad` is that of `held`; `grad_mean` that of the mean over heads, or has no rows where that
    has none. `dx` comes as zeros.
    """
    lanes, seeds, heads, channels = share.shape[1], grad.shape[2], grad.shape[0], x.shape[1]
    part_of, factor = np.float32(1.0) / np.float32(heads), np.float32(scale)
    inner = np.empty(lanes, np.float32)
    blocked = seeds // 4 * 4
    for graph in range(ptr.shape[0] - 1):
        start, stop = ptr[graph], ptr[graph + 1]
        for head in range(heads):
            pull, first = grad[head, graph], head * seeds
            # Four seeds at a time: a node's row is loaded once for eight products.
            for s in range(0, blocked, 4):
                g0, g1, g2, g3 = pull[s], pull[s + 1], pull[s + 2], pull[s + 3]
                for i in range(start, stop):
                    value, dvalue, row, out = x[i], dx[i], share[i], dlogits[i]
                    lane = first + s
                    m0, m1, m2, m3 = row[lane], row[lane + 1], row[lane + 2], row[lane + 3]
                    t0 = t1 = t2 = t3 = np.float32(0.0)
                    for c in range(channels):
                        dvalue[c] += m0 * g0[c] + m1 * g1[c] + m2 * g2[c] + m3 * g3[c]
                        t0 += value[c] * g0[c]
                        t1 += value[c] * g1[c]
                        t2 += value[c] * g2[c]
                        t3 += value[c] * g3[c]
                    out[lane], out[lane + 1], out[lane + 2], out[lane + 3] = t0, t1, t2, t3
            for s in range(blocked, seeds):
                one = pull[s]
                for i in range(start, stop):
                    value, dvalue, part = x[i], dx[i], share[i, first + s]
                    total = np.float32(0.0)
                    for c in range(channels):
                        dvalue[c] += part * one[c]
                        total += value[c] * one[c]
                    dlogits[i, first + s] = total
        # Through the softmax: share · (gradient - Σ share · gradient).
        for lane in range(lanes):
            inner[lane] = np.float32(0.0)
        for i in range(start, stop):
            held, pulled = share[i], dlogits[i]
            if grad_mean.shape[0]:
                more = grad_mean[i]
                for head in range(heads):
                    own = pulled[head * seeds : (head + 1) * seeds]
                    for s in range(seeds):
                        own[s] += more[s] * part_of
            for lane in range(lanes):
                inner[lane] += held[lane] * pulled[lane]
        for i in range(start, stop):
            held, pulled = share[i], dlogits[i]
            for lane in range(lanes):
                pulled[lane] = held[lane] * (pulled[lane] - inner[lane]) * factor


@compiled
@no_type_check
def among_logits(parts: Array, scale: float, logits: Array) -> None:
    """Scores of every two vectors of a graph less their maximum, `[graphs, heads, seeds, seeds]`.

    `parts` `[graphs, seeds, 3, heads, channels]` has queries, keys and values.
    """
    graphs, seeds, _, heads, channels = parts.shape
    for graph in range(graphs):
        for head in range(heads):
            for i in range(seeds):
                query, out = parts[graph, i, 0, head], logits[graph, head, i]
                for j in range(seeds):
                    key = parts[graph, j, 1, head]
                    total = np.float32(0.0)
                    for c in range(channels):
                        total += query[c] * key[c]
                    out[j] = total * np.float32(scale)
                top = out[0]
                for j in range(1, seeds):
                    top = out[j] if out[j] > top else top
                for j in range(seeds):
                    out[j] -= top


@compiled
@no_type_check
def among_read(parts: Array, powers: Array, read: Array) -> None:
    """Make exponentials shares, in place, and read `[graphs, seeds, heads, channels]` by them."""
    graphs, seeds, _, heads, channels = parts.shape
    for graph in range(graphs):
        for head in range(heads):
            for i in range(seeds):
                share, out = powers[graph, head, i], read[graph, i, head]
                total = np.float32(0.0)
                for j in range(seeds):
                    total += share[j]
                total = np.float32(1.0) / total
                for c in range(channels):
                    out[c] = np.float32(0.0)
                for j in range(seeds):
                    share[j] *= total
                    value, part = parts[graph, j, 2, head], share[j]
                    for c in range(channels):
                        out[c] += part * value[c]


@compiled
@no_type_check
def among_backward(parts: Array, shares: Array, scale: float, grad: Array, dparts: Array) -> None:
    """Gradients of queries, keys and values; `dparts` comes as zeros."""
    graphs, seeds, _, heads, channels = parts.shape
    pull = np.empty(seeds, np.float32)
    for graph in range(graphs):
        for head in range(heads):
            for i in range(seeds):
                share, pulled = shares[graph, head, i], grad[graph, i, head]
                inner = np.float32(0.0)
                for j in range(seeds):
                    value, dvalue = parts[graph, j, 2, head], dparts[graph, j, 2, head]
                    part, total = share[j], np.float32(0.0)
                    for c in range(channels):
                        total += pulled[c] * value[c]
                        dvalue[c] += part * pulled[c]
                    pull[j] = total
                    inner += part * total
                query, dquery = parts[graph, i, 0, head], dparts[graph, i, 0, head]
                for j in range(seeds):
                    key, dkey = parts[graph, j, 1, head], dparts[graph, j, 1, head]
                    through = share[j] * (pull[j] - inner) * np.float32(scale)
                    for c in range(channels):
                        dquery[c] += through * key[c]
                        dkey[c] += through * query[c]
