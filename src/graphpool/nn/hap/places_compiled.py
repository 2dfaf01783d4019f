"""The place assignment's scores on a CPU, compiled: one pass over each graph, and back.

The same numbers as the tensor operations of `places`, which on small graphs spend most of their
time on being called. All arrays over nodes are `[channels, nodes]` or `[clusters, nodes]`, so that
the inner loops run along memory.
"""

from typing import Any, no_type_check

import numpy as np
from numba import njit

from graphpool.nn.compiled import FASTMATH

Array = Any


@njit(cache=True, fastmath=FASTMATH, nogil=True, error_model="numpy")
@no_type_check
def place_scores(
    content: Array, share: Array, ptr: Array, counts: Array, mix: Array, weigh: Array, bias: float,
    floor: float, mean_floor: float, size_floor: float, nowhere: float, position: Array,
    mean: Array, scale: Array, own: Array, size: Array, gate: Array, score: Array,
) -> None:  # fmt: skip
    """From H T to C̃, in place, and γ_j ⟨C̃_i, c_j⟩ / √d added to `score`; `nowhere` without a share.

    Written besides: the positions Q `[2, nodes]`, which count by the rows of T in `mix`
    `[2, channels]`; mean and scale `[graphs, channels]`; the contents c of places
    `[graphs, clusters, channels]`, their sizes and gates γ `[graphs, clusters]`.
    """
    channels = content.shape[0]
    root = np.float32(1.0) / np.sqrt(np.float32(channels))
    for graph in range(ptr.shape[0] - 1):
        start, stop = ptr[graph], ptr[graph + 1]
        inverse = np.float32(1.0) / np.float32(stop - start)
        inward, part_of = position[0][start:stop], position[1][start:stop]
        for i in range(inward.shape[0]):
            inward[i] = np.float32(0.0)
            part_of[i] = np.float32(0.0)
        for j in range(counts[graph]):
            held = share[j][start:stop]
            total = np.float32(0.0)
            for i in range(held.shape[0]):
                total += held[i]
                inward[i] += held[i] * held[i]
            size[graph, j] = max(total, size_floor)
            total *= inverse
            for i in range(held.shape[0]):
                part_of[i] += held[i] * total
        for c in range(channels):
            row = content[c][start:stop]
            one, two = mix[0, c], mix[1, c]
            total = np.float32(0.0)
            for i in range(row.shape[0]):
                row[i] += one * inward[i] + two * part_of[i]
                total += row[i]
            total *= inverse
            mean[graph, c] = total
            square = np.float32(0.0)
            for i in range(row.shape[0]):
                row[i] -= total
                square += row[i] * row[i]
            lowest = floor + mean_floor * total * total
            factor = np.float32(1.0) / np.sqrt(square * inverse + lowest)
            scale[graph, c] = factor
            for i in range(row.shape[0]):
                row[i] *= factor
        for j in range(counts[graph]):
            held = share[j][start:stop]
            part = np.float32(1.0) / size[graph, j]
            weight = bias
            for c in range(channels):
                row = content[c][start:stop]
                total = np.float32(0.0)
                for i in range(held.shape[0]):
                    total += held[i] * row[i]
                own[graph, j, c] = total * part
                weight += weigh[c] * total * part
            gate[graph, j] = weight
            out = score[j][start:stop]
            for c in range(channels):
                row = content[c][start:stop]
                factor = own[graph, j, c] * weight * root
                for i in range(out.shape[0]):
                    out[i] += factor * row[i]
            for i in range(out.shape[0]):
                if held[i] == 0:
                    out[i] = nowhere
        for j in range(counts[graph], score.shape[0]):
            out = score[j][start:stop]
            for i in range(out.shape[0]):
                out[i] = nowhere


@njit(cache=True, fastmath=FASTMATH, nogil=True, error_model="numpy")
@no_type_check
def place_backward(
    grad: Array, assigned: Array, content: Array, share: Array, ptr: Array, counts: Array,
    weigh: Array, mean_floor: float, mean: Array, scale: Array, own: Array, size: Array,
    gate: Array, dcontent: Array, dweigh: Array,
) -> None:  # fmt: skip
    """From the gradient of M to those of the scores, written over `grad`, and of the content.

    `dweigh` `[channels + 1]` is that of w and, last, of w₀; it is added to.
    """
    channels = content.shape[0]
    root = np.float32(1.0) / np.sqrt(np.float32(channels))
    common = np.zeros(content.shape[1], np.float32)
    down = np.empty(channels, np.float32)
    for graph in range(ptr.shape[0] - 1):
        start, stop = ptr[graph], ptr[graph + 1]
        inverse = np.float32(1.0) / np.float32(stop - start)
        inner = common[start:stop]
        for j in range(counts[graph]):
            held, pulled = assigned[j][start:stop], grad[j][start:stop]
            for i in range(inner.shape[0]):
                inner[i] += held[i] * pulled[i]
        for c in range(channels):
            out = dcontent[c][start:stop]
            for i in range(out.shape[0]):
                out[i] = np.float32(0.0)
        for j in range(counts[graph], grad.shape[0]):
            pulled = grad[j][start:stop]
            for i in range(pulled.shape[0]):
                pulled[i] = np.float32(0.0)
        for j in range(counts[graph]):
            # Through the softmax: M · (grad - Σ M · grad).
            held, pulled = assigned[j][start:stop], grad[j][start:stop]
            for i in range(inner.shape[0]):
                pulled[i] = held[i] * (pulled[i] - inner[i])
            # Into c_j twice, by the product and by the gate, and from there into C̃.
            weight = np.float32(0.0)
            for c in range(channels):
                row = content[c][start:stop]
                total = np.float32(0.0)
                for i in range(row.shape[0]):
                    total += pulled[i] * row[i]
                down[c] = total * root
                weight += down[c] * own[graph, j, c]
            dweigh[channels] += weight
            part = np.float32(1.0) / size[graph, j]
            seen = share[j][start:stop]
            for c in range(channels):
                dweigh[c] += weight * own[graph, j, c]
                back = (gate[graph, j] * down[c] + weight * weigh[c]) * part
                forth = own[graph, j, c] * gate[graph, j] * root
                out = dcontent[c][start:stop]
                for i in range(out.shape[0]):
                    out[i] += back * seen[i] + forth * pulled[i]
        # Through the standardisation: with s = (variance + floors)^-½ and C̃ = s (C - mean),
        # dC = s (dC̃ - mean(dC̃)) - s C̃ mean(dC̃ · C̃), and the mean's own floor.
        for c in range(channels):
            out, row = dcontent[c][start:stop], content[c][start:stop]
            factor = scale[graph, c]
            along = np.float32(0.0)
            total = np.float32(0.0)
            for i in range(out.shape[0]):
                along += out[i] * row[i]
                total += out[i]
            shift = (total + mean_floor * mean[graph, c] * factor * along) * inverse
            along *= inverse
            for i in range(out.shape[0]):
                out[i] = factor * (out[i] - shift - along * row[i])


@njit(cache=True, fastmath=FASTMATH, nogil=True, error_model="numpy")
@no_type_check
def profile_forward(adj: Array, assigned: Array, ptr: Array, measured: Array) -> None:
    """Size, inner and outer weight of each cluster, none below 0, to `measured`."""
    graphs, clusters = adj.shape[0], adj.shape[1]
    for graph in range(graphs):
        for j in range(clusters):
            measured[graph, j, 0] = np.float32(0.0)
        for i in range(ptr[graph], ptr[graph + 1]):
            for j in range(clusters):
                measured[graph, j, 0] += assigned[i, j]
        for j in range(clusters):
            total = np.float32(0.0)
            for other in range(clusters):
                total += adj[graph, j, other]
            inside = adj[graph, j, j]
            measured[graph, j, 1] = max(inside, np.float32(0.0))
            measured[graph, j, 2] = max(total - inside, np.float32(0.0))


@njit(cache=True, fastmath=FASTMATH, nogil=True, error_model="numpy")
@no_type_check
def profile_backward(
    grad: Array, measured: Array, ptr: Array, dadj: Array, dassigned: Array
) -> None:
    """From the gradient of log(1 + measured) to those of A' and M, over `grad`."""
    graphs, clusters = dadj.shape[0], dadj.shape[1]
    one = np.float32(1.0)
    for graph in range(graphs):
        for j in range(clusters):
            grad[graph, j, 0] /= one + measured[graph, j, 0]
        for i in range(ptr[graph], ptr[graph + 1]):
            for j in range(clusters):
                dassigned[i, j] = grad[graph, j, 0]
        for j in range(clusters):
            inside = grad[graph, j, 1] / (one + measured[graph, j, 1])
            outside = grad[graph, j, 2] / (one + measured[graph, j, 2])
            if measured[graph, j, 1] <= 0:
                inside = np.float32(0.0)
            if measured[graph, j, 2] <= 0:
                outside = np.float32(0.0)
            for other in range(clusters):
                dadj[graph, j, other] = outside
            dadj[graph, j, j] = inside
